import { appendFileSync, closeSync, existsSync, fstatSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { checksummedLine, readChecksummedLines } from '../../../src/core/index.ts'

/** One ingested file, or one day of it, and the outcome. */
export interface Capture {
  readonly at: string
  readonly feed: string
  readonly file: string
  readonly sha256: string
  readonly outcome: 'published' | 'unchanged' | 'empty' | 'refused'
  /** Day of the rows. Null if they have none. */
  readonly date: string | null
  readonly rows: number
  /**
   * The source's message in an empty file, or the rule that a refused file broke. Null for other
   * outcomes.
   */
  readonly said: string | null
}

/**
 * Journal of ingested files. Each feed has one append-only NDJSON file with one line per capture.
 */
export interface CaptureJournal {
  /** Appends lines to the files of the feeds without reading these files. */
  record(captures: readonly Capture[]): void
  /**
   * Returns the days for which a feed's source sent an empty file. They are read from disk once.
   * After that, only captures of this process are added.
   */
  emptyDays(feed: string): ReadonlySet<string>
  hasEmptyDays(): boolean
  /**
   * Returns the last outcome of each file of a feed, keyed by file name. It is `refused` if one day
   * of the file was refused. Read from disk.
   */
  outcomes(feed: string): ReadonlyMap<string, Capture['outcome']>
}

/** @param root existing folder of the journals */
export function createCaptureJournal(root: string): CaptureJournal {
  let empty: Map<string, Set<string>> | undefined
  const note = (days: Map<string, Set<string>>, { feed, outcome, date }: Capture): void => {
    if (outcome === 'empty' && date !== null) days.set(feed, (days.get(feed) ?? new Set()).add(date))
  }
  const read = (): Map<string, Set<string>> => {
    if (empty) return empty
    empty = new Map()
    for (const capture of readCaptures(root)) note(empty, capture)
    return empty
  }
  return {
    record(captures) {
      for (const [feed, lines] of Map.groupBy(captures, ({ feed }) => feed)) {
        appendLines(join(root, `${feed}.ndjson`), lines.map(checksummedLine).join(''))
      }
      if (empty) for (const capture of captures) note(empty, capture)
    },
    emptyDays: feed => read().get(feed) ?? new Set(),
    hasEmptyDays: () => read().size > 0,
    outcomes: feed => lastOutcomes(existsSync(join(root, `${feed}.ndjson`)) ? capturesOf(join(root, `${feed}.ndjson`)) : []),
  }
}

/** Appends complete lines to a file. If a crash left a partial line, ends this line first. */
export function appendLines(file: string, lines: string): void {
  const handle = openSync(file, 'a+')
  try {
    const { size } = fstatSync(handle)
    const last = Buffer.alloc(1)
    if (size > 0) readSync(handle, last, 0, 1, size - 1)
    appendFileSync(handle, (size > 0 && last.toString() !== '\n' ? '\n' : '') + lines)
  } finally {
    closeSync(handle)
  }
}

/**
 * Returns all captures of all feeds. Damaged or partial lines are skipped. Their files can be
 * ingested again.
 */
function readCaptures(root: string): readonly Capture[] {
  return readdirSync(root)
    .filter(name => name.endsWith('.ndjson'))
    .flatMap(name => capturesOf(join(root, name)))
}

const capturesOf = (file: string): readonly Capture[] => readChecksummedLines<Capture>(readFileSync(file, 'utf8')).values

function lastOutcomes(captures: readonly Capture[]): ReadonlyMap<string, Capture['outcome']> {
  const last = new Map<string, Capture>()
  for (const capture of captures) {
    const earlier = last.get(capture.file)
    if (earlier?.at !== capture.at || earlier.outcome !== 'refused') last.set(capture.file, capture)
  }
  return new Map([...last].map(([file, { outcome }]) => [file, outcome]))
}
