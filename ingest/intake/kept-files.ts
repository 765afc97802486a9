import { createHash } from 'node:crypto'
import { appendFileSync, closeSync, existsSync, fsyncSync, openSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { checksummedLine, readChecksummedLines } from '../../src/core/index.ts'
import { keptFolders, type QuarantineReport, REPORT } from './quarantine.ts'

export interface KeptFile {
  /** Stable id: `q_` followed by 16 hexadecimal digits. */
  readonly id: string
  readonly folder: string
  readonly for: string
  readonly file: string
  /** Null if only a report is stored. */
  readonly path: string | null
  readonly bytes: number
  /** RFC 3339 in Taipei. Null if the report is damaged. */
  readonly refusedAt: string | null
  /** Original path. Null if the report is damaged. */
  readonly from: string | null
  readonly faults: QuarantineReport['faults']
}

export interface Settled {
  readonly id: string
  readonly at: string
  readonly action: 'accept' | 'discard'
  readonly for: string
  readonly file: string
  readonly rules: readonly string[]
  readonly outcome: 'published' | 'unchanged' | 'empty' | 'discarded'
  readonly releases: Readonly<Record<string, string>>
}

const idOf = (folder: string): string =>
  `q_${createHash('sha256')
    .update(join(basename(dirname(folder)), basename(folder)))
    .digest('hex')
    .slice(0, 16)}`

/**
 * Returns quarantined files, newest first, and the total number.
 *
 * @param root folder of the quarantine
 */
export function keptFiles(root: string, most: number): { readonly count: number; readonly files: readonly KeptFile[] } {
  const folders = keptFolders(root).toReversed()
  return { count: folders.length, files: folders.slice(0, most).flatMap(kept) }
}

export const findKept = (root: string, id: string): KeptFile | undefined =>
  keptFolders(root)
    .filter(folder => idOf(folder) === id)
    .flatMap(kept)[0]

/** Returns the file in a folder. Empty if another process deleted the folder. */
function kept(folder: string): readonly KeptFile[] {
  try {
    const name = readdirSync(folder).find(entry => entry !== REPORT)
    const path = name === undefined ? null : join(folder, name)
    const report = reportIn(folder)
    return [
      {
        id: idOf(folder),
        folder,
        for: basename(dirname(folder)),
        file: basename(report?.file ?? name ?? folder),
        path,
        bytes: path === null ? 0 : statSync(path).size,
        refusedAt: report?.refused_at ?? null,
        from: report?.file ?? null,
        faults: report?.faults ?? [],
      },
    ]
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** Null if a crash truncated the report. */
function reportIn(folder: string): (QuarantineReport & { readonly refused_at: string }) | null {
  try {
    return JSON.parse(readFileSync(join(folder, REPORT), 'utf8')) as QuarantineReport & { readonly refused_at: string }
  } catch {
    return null
  }
}

const journalOf = (root: string): string => join(root, 'settled.ndjson')

/** Returns the settled files, newest first. Skips damaged and truncated lines. */
export const settledFiles = (root: string): readonly Settled[] =>
  existsSync(journalOf(root)) ? readChecksummedLines<Settled>(readFileSync(journalOf(root), 'utf8')).values.toReversed() : []

/**
 * Records the decision, then deletes the file. After a crash between the two steps, the file counts
 * as settled.
 */
export function settleKept(root: string, { folder }: Pick<KeptFile, 'folder'>, settled: Settled): Settled {
  const handle = openSync(journalOf(root), 'a')
  try {
    // The line break ends a line that a crash truncated. Readers ignore empty lines.
    appendFileSync(handle, `\n${checksummedLine(settled)}`)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  rmSync(folder, { recursive: true, force: true })
  return settled
}
