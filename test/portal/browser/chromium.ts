import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** Path of a Chromium: `CHROMIUM_PATH`, or one on the PATH. Undefined if there is none. */
export function chromiumPath(): string | undefined {
  const named = process.env['CHROMIUM_PATH']
  const found = (process.env['PATH'] ?? '').split(delimiter).flatMap(folder => NAMES.map(name => join(folder, name)))
  return [...(named ? [named] : []), ...found].find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

let launched: Promise<Browser> | undefined

/**
 * One browser for all test files of a worker, closed with the worker. Launched again if a caller
 * has closed the browser.
 */
export async function browser(): Promise<Browser> {
  if (launched && !(await launched).isConnected()) launched = undefined
  // Chromium's sandbox does not start as root.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  launched ??= chromium.launch({ executablePath: chromiumPath()!, args: [...args, '--disable-dev-shm-usage'] })
  return launched
}

/** Suffix for the name of the test group: the reason to skip browser tests. Empty to run them. */
export const WITHOUT = chromiumPath() === undefined ? ' (skipped: no Chromium; install one, or name it in CHROMIUM_PATH)' : ''
