import { createHash } from 'node:crypto'
import { appendFileSync, closeSync, existsSync, fsyncSync, openSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { checksummedLine, readChecksummedLines } from '../../src/core/index.ts'
import { keptFolders, type QuarantineReport, REPORT } from './quarantine.ts'

/** A refused file that the quarantine keeps. */
export interface KeptFile {
  /** `q_` and 16 hexadecimal digits, the same as long as it is kept. */
  readonly id: string
  readonly folder: string
  /** Dataset or feed it was meant for. */
  readonly for: string
  /** Name of the file. */
  readonly file: string
  /** Where the copy is; null where a report alone is kept. */
  readonly path: string | null
  readonly bytes: number
  /** RFC 3339 in Taipei; null where the report is damaged. */
  readonly refusedAt: string | null
  /** Where the file lay when it was refused; null where the report is damaged. */
  readonly from: string | null
  readonly faults: QuarantineReport['faults']
}

/** What became of a kept file by somebody's decision. */
export interface Settled {
  readonly id: string
  readonly at: string
  readonly action: 'accept' | 'discard'
  readonly for: string
  readonly file: string
  /** Rules that were let pass. */
  readonly rules: readonly string[]
  readonly outcome: 'published' | 'unchanged' | 'empty' | 'discarded'
  /** By slug, the release its rows are in. */
  readonly releases: Readonly<Record<string, string>>
}

const idOf = (folder: string): string =>
  `q_${createHash('sha256')
    .update(join(basename(dirname(folder)), basename(folder)))
    .digest('hex')
    .slice(0, 16)}`

/** The newest kept files, newest first, and how many there are. @param root folder of the quarantine */
export function keptFiles(root: string, most: number): { readonly count: number; readonly files: readonly KeptFile[] } {
  const folders = keptFolders(root).toReversed()
  return { count: folders.length, files: folders.slice(0, most).flatMap(kept) }
}

/** A kept file by its id; undefined where it is not, or no longer, kept. */
export const findKept = (root: string, id: string): KeptFile | undefined =>
  keptFolders(root)
    .filter(folder => idOf(folder) === id)
    .flatMap(kept)[0]

/** None for a folder that another process let go meanwhile. */
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

/** Null for one that a crash cut short. */
function reportIn(folder: string): (QuarantineReport & { readonly refused_at: string }) | null {
  try {
    return JSON.parse(readFileSync(join(folder, REPORT), 'utf8')) as QuarantineReport & { readonly refused_at: string }
  } catch {
    return null
  }
}

const journalOf = (root: string): string => join(root, 'settled.ndjson')

/** What was settled, newest first. A line that is damaged, or that a crash cut short, is left out. */
export const settledFiles = (root: string): readonly Settled[] =>
  existsSync(journalOf(root)) ? readChecksummedLines<Settled>(readFileSync(journalOf(root), 'utf8')).values.toReversed() : []

/** Writes and syncs what became of a kept file, then removes it. A crash between the two leaves a file that is known to be settled. */
export function settleKept(root: string, { folder }: Pick<KeptFile, 'folder'>, settled: Settled): Settled {
  const handle = openSync(journalOf(root), 'a')
  try {
    // A line that a crash cut short stands alone this way; an empty line is none.
    appendFileSync(handle, `\n${checksummedLine(settled)}`)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  rmSync(folder, { recursive: true, force: true })
  return settled
}
