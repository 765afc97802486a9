import { createHash } from 'node:crypto'
import { constants, copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DAY_MS, syncNow, taipei } from '../../src/core/index.ts'
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
    /** The same in Chinese; absent where an earlier version wrote the report. */
    readonly message_zh?: string
  }[]
}

/** What the quarantine let go to stay within its bounds. Folders, in the order they left or came. */
export interface QuarantineChange {
  /** Oldest first; among them may be some that came in the same run. */
  readonly left: readonly string[]
  /** Those that hold a report alone: the file is larger than the whole quarantine may be, and stays where it is. */
  readonly reportOnly: readonly string[]
}

/** The quarantine as one command uses it. */
export interface Quarantine {
  /**
   * Keeps a refused file beside a report of what was wrong; older ones leave first where there is no room. The file's own folder is left
   * as it is.
   *
   * Both are on disk when it returns: whoever removes the file afterwards loses nothing in a power cut.
   *
   * @param mark what tells this refusal from others of a file of that name
   * @throws Error when the disk takes no copy; no half of one is left
   * @returns the folder, named by time, file and mark, so the same refusal twice does not overwrite the first
   */
  keep(path: string, mark: string, report: QuarantineReport): string
  /** Removes what has grown too old, and what a bound that was lowered has no room for. @returns all that left since this was made */
  close(): QuarantineChange
}

/** A refused file that is kept. */
interface Kept {
  readonly folder: string
  readonly bytes: number
}

/** The quarantine of a workspace, within its bounds on bytes and days. What is in it is looked up once. */
export function createQuarantine({ quarantine: root, quarantineBounds, clock }: Workspace): Quarantine {
  const { bytes: most, days } = quarantineBounds
  const [left, reportOnly]: [string[], string[]] = [[], []]
  let known: Kept[] | undefined
  const kept = (): Kept[] => (known ??= keptIn(root))
  const remove = ({ folder }: Kept): void => {
    rmSync(folder, { recursive: true, force: true })
    left.push(folder)
  }
  const makeRoom = (bytes: number): void => {
    let total = kept().reduce((sum, entry) => sum + entry.bytes, bytes)
    while (total > most && kept().length > 0) {
      const oldest = kept().shift()!
      total -= oldest.bytes
      remove(oldest)
    }
  }
  return {
    keep(path, mark, report) {
      const at = taipei(clock())
      const folder = join(root, report.for, folderName(at, path, mark))
      const { size } = statSync(path)
      if (size <= most) makeRoom(size)
      else reportOnly.push(folder)
      writeKept(folder, size <= most ? path : null, { refused_at: at, ...report })
      known = [...kept().filter(entry => entry.folder !== folder), { folder, bytes: bytesIn(folder) }]
      return folder
    },
    close() {
      const oldest = folderTime(taipei(new Date(clock().getTime() - days * DAY_MS)))
      while (kept().length > 0 && basename(kept()[0]!.folder) < oldest) remove(kept().shift()!)
      makeRoom(0)
      return { left, reportOnly }
    },
  }
}

/** @param path null for a report alone */
function writeKept(folder: string, path: string | null, report: object): void {
  try {
    mkdirSync(folder, { recursive: true })
    const copy = path === null ? [] : [join(folder, copyName(path))]
    for (const to of copy) copyFileSync(path!, to, constants.COPYFILE_FICLONE)
    writeFileSync(join(folder, REPORT), `${JSON.stringify(report, null, 2)}\n`)
    for (const written of [...copy, join(folder, REPORT), folder, dirname(folder), dirname(dirname(folder))]) syncNow(written)
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

/** What is kept, oldest first. Folders that are named otherwise are somebody's own and are left alone. */
const keptIn = (root: string): Kept[] => keptFolders(root).map(folder => ({ folder, bytes: bytesIn(folder) }))

/** Folders that the quarantine named, oldest first; empty where there is no quarantine yet. */
export const keptFolders = (root: string): readonly string[] =>
  (existsSync(root) ? foldersIn(root) : [])
    .flatMap(foldersIn)
    .filter(folder => /^\d{4}-\d\d-\d\dT\d{6}-.*-[0-9a-f]{8}$/s.test(basename(folder)))
    .sort((a, b) => (basename(a) < basename(b) ? -1 : 1))

const foldersIn = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(({ name }) => join(folder, name))

/** Without the report. 0 for a folder that another process let go meanwhile. */
function bytesIn(folder: string): number {
  try {
    return readdirSync(folder).reduce((sum, name) => sum + (name === REPORT ? 0 : statSync(join(folder, name)).size), 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0
    throw error
  }
}

/** File of a kept folder that says why. */
export const REPORT = 'report.json'

const copyName = (path: string): string => (basename(path) === REPORT ? `received-${REPORT}` : clip(basename(path)))

const folderName = (at: string, path: string, mark: string): string =>
  `${folderTime(at)}-${clip(basename(path))}-${createHash('sha256').update(mark).digest('hex').slice(0, 8)}`

const folderTime = (at: string): string => at.slice(0, 19).replaceAll(':', '')

/** A file name cut to 150 bytes: the time and mark are added, and file systems take 255. */
const clip = (name: string): string =>
  Buffer.from(name)
    .subarray(0, 150)
    .toString('utf8')
    .replace(/\ufffd+$/, '')
