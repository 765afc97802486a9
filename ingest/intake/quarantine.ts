import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { taipei } from '../../src/core/index.ts'
import type { Workspace } from '../publish/index.ts'

/** Why a file was not published, in the shape the report file keeps. */
export interface QuarantineReport {
  /** Dataset or feed the file was meant for. */
  readonly for: string
  readonly file: string
  readonly faults: readonly {
    readonly rule: string
    readonly column?: string | null
    readonly count?: number
    readonly samples?: readonly unknown[]
    readonly message: string
  }[]
}

/**
 * Keeps a refused file beside a report of what was wrong. The file's own folder is left as it is.
 *
 * @throws Error when the disk takes no copy; no half of one is left
 * @returns the folder, named by time, file and content, so the same refusal twice does not overwrite the first
 */
export function quarantine(
  { quarantine: root, clock }: Pick<Workspace, 'quarantine' | 'clock'>,
  path: string,
  bytes: Uint8Array | undefined,
  report: QuarantineReport,
): string {
  const at = taipei(clock())
  const mark = createHash('sha256')
    .update(bytes ?? path)
    .digest('hex')
    .slice(0, 8)
  const folder = join(root, report.for, `${at.slice(0, 19).replaceAll(':', '')}-${clip(basename(path))}-${mark}`)
  try {
    mkdirSync(folder, { recursive: true })
    copyFileSync(path, join(folder, clip(basename(path))))
    writeFileSync(join(folder, 'report.json'), `${JSON.stringify({ refused_at: at, ...report }, null, 2)}\n`)
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
  return folder
}

/** A file name cut to 150 bytes: the time and mark are added, and file systems take 255. */
const clip = (name: string): string =>
  Buffer.from(name)
    .subarray(0, 150)
    .toString('utf8')
    .replace(/\ufffd+$/, '')
