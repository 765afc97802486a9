import {
  appendFileSync,
  closeSync,
  copyFileSync,
  existsSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type Clock, checksummedLine, readChecksummedLines, syncNow, taipei, taipeiDay } from '../../src/core/index.ts'

export interface Taken {
  readonly at: string
  readonly inbox: string
  readonly file: string
  readonly sha256: string
  readonly outcome: 'published' | 'unchanged' | 'empty'
  /** Releases with rows of the file, keyed by dataset. Empty for a file without data. */
  readonly releases: Readonly<Record<string, string>>
  /**
   * Version of the mapping and of the code that read the file. Missing if the file has the
   * dataset's own columns, and in entries of earlier versions.
   */
  readonly read_by?: string
}

/** Folder and journal of processed files. Files are never deleted. */
export interface Archive {
  /** Returns earlier entries with the same bytes, oldest first. */
  taken(inbox: string, sha256: string): readonly Taken[]
  /**
   * Writes and syncs journal entries. Call it before the files are moved. After a crash, the next
   * run only repeats the moves.
   */
  record(taken: readonly Omit<Taken, 'at'>[]): void
  /**
   * Moves a file into the archive, to a folder for its inbox folder and the current day. If the
   * name exists there, uses the folder `….2`, and so on.
   *
   * @returns the new path, relative to the archive
   */
  move(path: string, inbox: string, file: string): string
}

const JOURNAL = 'taken.ndjson'

/** @param root folder of the archive; only one process may write to it */
export function openArchive(root: string, clock: Clock): Archive {
  mkdirSync(root, { recursive: true })
  const journal = join(root, JOURNAL)
  const known = new Map<string, Taken[]>()
  const nameOf = (inbox: string, sha256: string): string => `${inbox} ${sha256}`
  const note = (taken: Taken): void => {
    const name = nameOf(taken.inbox, taken.sha256)
    known.set(name, [...(known.get(name) ?? []), taken])
  }
  let endsWhole = true
  if (existsSync(journal)) {
    const text = readFileSync(journal, 'utf8')
    endsWhole = text === '' || text.endsWith('\n')
    for (const taken of takenIn(text)) note(taken)
  }
  return {
    taken: (inbox, sha256) => known.get(nameOf(inbox, sha256)) ?? [],
    record(entries) {
      const lines = entries.map(entry => ({ at: taipei(clock()), ...entry }))
      const handle = openSync(journal, 'a')
      try {
        appendFileSync(handle, (endsWhole ? '' : '\n') + lines.map(checksummedLine).join(''))
        fsyncSync(handle)
      } catch (error) {
        endsWhole = false
        throw error
      } finally {
        closeSync(handle)
      }
      endsWhole = true
      for (const line of lines) note(line)
    },
    move(path, inbox, file) {
      const day = join(inbox, taipeiDay(clock()))
      for (let nth = 1; ; nth++) {
        const to = join(nth === 1 ? day : `${day}.${nth}`, file)
        if (isTaken(join(root, to))) continue
        moveFile(path, join(root, to))
        return to
      }
    },
  }
}

/**
 * Number of bytes to read from the end of the journal. They contain at least a thousand entries.
 */
const TAIL_BYTES = 256 * 1_024

/** Returns recent entries, newest first. */
export function takenLately(root: string, most: number): readonly Taken[] {
  const journal = join(root, JOURNAL)
  if (!existsSync(journal)) return []
  const handle = openSync(journal, 'r')
  try {
    const { size } = fstatSync(handle)
    const tail = Buffer.alloc(Math.min(size, TAIL_BYTES))
    readSync(handle, tail, 0, tail.length, size - tail.length)
    return takenIn(tail.toString('utf8')).slice(-most).reverse()
  } finally {
    closeSync(handle)
  }
}

function isTaken(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return true
    throw error
  }
}

/**
 * Skips truncated and damaged lines: files of a truncated line are still in the inbox, and files
 * of a damaged line are listed in releases.
 */
const takenIn = (text: string): readonly Taken[] =>
  readChecksummedLines<Taken>(text).values.filter(({ releases }) => typeof releases === 'object' && releases !== null)

/**
 * Moves a file, also to another disk. After a crash, the file is at the old path or at both paths.
 */
function moveFile(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  try {
    renameSync(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    const draft = join(dirname(to), `.${basename(to).slice(0, 200)}.part`)
    copyFileSync(from, draft)
    syncNow(draft)
    renameSync(draft, to)
    syncNow(dirname(to))
    rmSync(from)
  }
}
