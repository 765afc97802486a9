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

/** A file that was taken, as the archive's journal keeps it. */
export interface Taken {
  readonly at: string
  /** Folder of the inbox it lay in. */
  readonly inbox: string
  readonly file: string
  readonly sha256: string
  readonly outcome: 'published' | 'unchanged' | 'empty'
  /** By slug, the release its rows are in; none for an empty body. */
  readonly releases: Readonly<Record<string, string>>
  /**
   * What made rows of its bytes: see `Place`. Absent where nothing but the dataset's own columns
   * did, or an earlier version took it.
   */
  readonly read_by?: string
}

/** The files that were taken, and the journal of them. Nothing is ever removed. */
export interface Archive {
  /**
   * Earlier times that a file of these bytes was taken from that folder of the inbox, oldest first.
   */
  taken(inbox: string, sha256: string): readonly Taken[]
  /**
   * Writes and syncs what was taken, before its files are moved: after a crash between the two they
   * are only moved.
   */
  record(taken: readonly Omit<Taken, 'at'>[]): void
  /**
   * Moves a file into the folder of its place and today's day, under its own name; where there is
   * one of that name, into the folder `….2`, and so on. @returns the new path, from the archive's
   * root
   */
  move(path: string, inbox: string, file: string): string
}

const JOURNAL = 'taken.ndjson'

/**
 * @param root folder of the archive. One process at a time writes to it: the journal is read once.
 */
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
 * Bytes at the end of the journal that are read for what was taken lately: a thousand lines or
 * more.
 */
const TAIL_BYTES = 256 * 1_024

/**
 * What was taken last, newest first, as far as the end of the journal tells.
 *
 * @param root folder of the archive
 */
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

/** True for a path that is there, or that a file stands in the way of. */
function isTaken(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return true
    throw error
  }
}

/**
 * A line cut short by a crash says nothing; its files are still in the inbox. One that is damaged
 * does neither: the releases know its file.
 */
const takenIn = (text: string): readonly Taken[] =>
  readChecksummedLines<Taken>(text).values.filter(({ releases }) => typeof releases === 'object' && releases !== null)

/** Moves a file, to another disk as well. A crash leaves it where it was, or in both places. */
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
