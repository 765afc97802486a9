import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** One body the service was shown, and what became of it. */
export interface Capture {
  readonly at: string
  readonly feed: string
  readonly file: string
  readonly sha256: string
  readonly outcome: 'published' | 'unchanged' | 'empty' | 'refused'
  /** Day of the body, where it has one. */
  readonly date: string | null
  readonly rows: number
  /** What an empty body said, or the rule a refused one broke. */
  readonly said: string | null
}

/** Adds to the feed's journal, one JSON line a body. Lines are only ever appended. */
export function recordCaptures(root: string, captures: readonly Capture[]): void {
  for (const [feed, lines] of Map.groupBy(captures, ({ feed }) => feed)) {
    const file = join(root, `${feed}.ndjson`)
    // After a line that a crash cut short, the next one begins on its own.
    const gap = existsSync(file) && !/(^|\n)$/.test(readFileSync(file, 'utf8')) ? '\n' : ''
    appendFileSync(file, gap + lines.map(line => `${JSON.stringify(line)}\n`).join(''))
  }
}

/** Everything recorded for every feed. A line cut short by a crash is passed over; the body can be shown again. */
export function readCaptures(root: string): readonly Capture[] {
  return readdirSync(root)
    .filter(name => name.endsWith('.ndjson'))
    .flatMap(name => readFileSync(join(root, name), 'utf8').split('\n'))
    .flatMap(parsed)
}

function parsed(line: string): readonly Capture[] {
  try {
    return [JSON.parse(line) as Capture]
  } catch {
    return []
  }
}
