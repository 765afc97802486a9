import { appendFileSync, closeSync, existsSync, fstatSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { checksummedLine, readChecksummedLines } from '../../../src/core/index.ts'

/** One file or day that was ingested, and what became of it. */
export interface Capture {
  readonly at: string
  readonly feed: string
  readonly file: string
  readonly sha256: string
  readonly outcome: 'published' | 'unchanged' | 'empty' | 'refused'
  /** Day of the body, where it has one. */
  readonly date: string | null
  readonly rows: number
  /** The source's words for an empty body, or the rule a refused one broke; null for any other outcome. */
  readonly said: string | null
}

/** The captures of every feed: one NDJSON file a feed, one line a capture, only ever appended to. */
export interface CaptureJournal {
  /** Appends to the feeds' files without reading them. */
  record(captures: readonly Capture[]): void
  /**
   * Days that a feed's source answered with nothing. Read from disk once and kept up to date with what is recorded here; what other
   * processes record meanwhile is seen by the next journal.
   */
  emptyDays(feed: string): ReadonlySet<string>
  /** What became of each file of a feed by its name, when it was last handed in; `refused` where any of its days was. Read from disk. */
  outcomes(feed: string): ReadonlyMap<string, Capture['outcome']>
}

/** @param root folder of the journals, which must exist */
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
    outcomes: feed => lastOutcomes(existsSync(join(root, `${feed}.ndjson`)) ? capturesOf(join(root, `${feed}.ndjson`)) : []),
  }
}

/** Appends whole lines to a file. A line that a crash cut short is ended first, so that the next one stands alone. */
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

/** Every line of every journal. One that is damaged, or cut short by a crash, is skipped; its file can be ingested again. */
function readCaptures(root: string): readonly Capture[] {
  return readdirSync(root)
    .filter(name => name.endsWith('.ndjson'))
    .flatMap(name => capturesOf(join(root, name)))
}

const capturesOf = (file: string): readonly Capture[] => readChecksummedLines<Capture>(readFileSync(file, 'utf8')).values

function lastOutcomes(captures: readonly Capture[]): ReadonlyMap<string, Capture['outcome']> {
  const last = new Map<string, Capture>()
  for (const capture of captures) {
    const known = last.get(capture.file)
    if (known?.at !== capture.at || known.outcome !== 'refused') last.set(capture.file, capture)
  }
  return new Map([...last].map(([file, { outcome }]) => [file, outcome]))
}
