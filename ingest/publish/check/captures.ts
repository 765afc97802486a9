import { appendFileSync, closeSync, existsSync, fstatSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { checksummedLine, readChecksummedLines } from '../../../src/core/index.ts'

/** One ingested file, or one day of a file. */
export interface Capture {
  readonly at: string
  readonly feed: string
  readonly file: string
  readonly sha256: string
  readonly outcome: 'published' | 'unchanged' | 'empty' | 'refused'
  /** Day of the rows. Null without rows. */
  readonly date: string | null
  readonly rows: number
  /** Message of an empty file, or the rule that the file broke. Null for other outcomes. */
  readonly said: string | null
}

/** Append-only journal of ingested files: one NDJSON file per feed. */
export interface CaptureJournal {
  record(captures: readonly Capture[]): void
  /**
   * Returns the days for which the source sent an empty file. Reads the disk only once, so later
   * captures of other processes are missing.
   */
  emptyDays(feed: string): ReadonlySet<string>
  hasEmptyDays(): boolean
  /**
   * Returns the last outcome of each file, keyed by name. One refused day makes the file `refused`.
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

/** Appends complete lines, after ending a line that a crash truncated. */
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

/** Skips damaged and partial lines. Their files can be ingested again. */
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
