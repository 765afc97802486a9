import { createHash } from 'node:crypto'
import { constants, copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DAY_MS, syncNow, taipei } from '../../src/core/index.ts'
import type { Workspace } from '../publish/index.ts'

/** Why a file was not published. Stored next to the copy. */
export interface QuarantineReport {
  readonly for: string
  readonly file: string
  readonly faults: readonly {
    readonly rule: string
    readonly column?: string | null
    readonly count?: number
    readonly samples?: readonly unknown[]
    readonly message: string
    /** Missing in reports of earlier versions. */
    readonly message_zh?: string
  }[]
}

export interface QuarantineChange {
  /** Deleted folders, oldest first. They may include folders of the same run. */
  readonly left: readonly string[]
  /**
   * Folders with only a report, because the file is too large for the quarantine. The file stays
   * where it was.
   */
  readonly reportOnly: readonly string[]
}

export interface Quarantine {
  /**
   * Copies a refused file and writes a report. Copy and report are synced on return, so that the
   * caller can delete the original. Deletes older entries if space is short.
   *
   * @param mark distinguishes refusals of files with the same name
   * @throws Error if the copy cannot be written; no partial copy stays
   * @returns the new folder
   */
  keep(path: string, mark: string, report: QuarantineReport): string
  /**
   * Deletes entries beyond the limits of age and size.
   *
   * @returns all changes since the quarantine was opened
   */
  close(): QuarantineChange
}

interface Kept {
  readonly folder: string
  readonly bytes: number
}

/** Lists the folders of the quarantine only once. */
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

/** With a null path, writes only the report. */
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

/** Returns the folders, oldest first. Ignores folders that the quarantine did not create. */
const keptIn = (root: string): Kept[] => keptFolders(root).map(folder => ({ folder, bytes: bytesIn(folder) }))

export const keptFolders = (root: string): readonly string[] =>
  (existsSync(root) ? foldersIn(root) : [])
    .flatMap(foldersIn)
    .filter(folder => /^\d{4}-\d\d-\d\dT\d{6}-.*-[0-9a-f]{8}$/s.test(basename(folder)))
    .sort((a, b) => (basename(a) < basename(b) ? -1 : 1))

const foldersIn = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(({ name }) => join(folder, name))

/** Returns the bytes without the report. 0 if the folder no longer exists. */
function bytesIn(folder: string): number {
  try {
    return readdirSync(folder).reduce((sum, name) => sum + (name === REPORT ? 0 : statSync(join(folder, name)).size), 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0
    throw error
  }
}

export const REPORT = 'report.json'

const copyName = (path: string): string => (basename(path) === REPORT ? `received-${REPORT}` : clip(basename(path)))

const folderName = (at: string, path: string, mark: string): string =>
  `${folderTime(at)}-${clip(basename(path))}-${createHash('sha256').update(mark).digest('hex').slice(0, 8)}`

const folderTime = (at: string): string => at.slice(0, 19).replaceAll(':', '')

/** Shortens a name to 150 bytes, because file systems allow 255 for the whole folder name. */
const clip = (name: string): string =>
  Buffer.from(name)
    .subarray(0, 150)
    .toString('utf8')
    .replace(/\ufffd+$/, '')
