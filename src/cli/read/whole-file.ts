import { randomBytes } from 'node:crypto'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** A name beside a file that nobody else has. */
const draftOf = (file: string): string => join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}.part`)

const STOPS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Writes a file that appears under its name once it is whole and on the disk; until then it has a hidden name of its own beside it. That one is there
 * before the contents are asked for, and gone after a failure or a signal; a kill leaves it.
 *
 * @throws Error where no file can be there, before the contents are asked for
 */
export async function writeWhole(file: string, contents: () => AsyncIterable<Uint8Array>): Promise<void> {
  const there = await stat(file).catch(() => undefined)
  if (there && !there.isFile()) throw new Error(`${file} is there and is not a file; name another one with --out.`)
  const draft = draftOf(file)
  const handle = await open(draft, 'wx').catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new Error(`There is no folder ${dirname(file)}; make it, or name another file with --out.`) : error
  })
  const stopped = (signal: NodeJS.Signals): void => {
    rmSync(draft, { force: true })
    process.kill(process.pid, signal)
  }
  for (const signal of STOPS) process.once(signal, stopped)
  try {
    await pipeline(contents(), handle.createWriteStream({ flush: true }))
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  } finally {
    for (const signal of STOPS) process.off(signal, stopped)
  }
}

/** Replaces a short file by rename once the new one is on the disk, so that a kill or a loss of power leaves one of the two whole. */
export function replaceFile(file: string, text: string): void {
  const draft = draftOf(file)
  try {
    writeFileSync(draft, text, { flag: 'wx', flush: true })
    renameSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}
