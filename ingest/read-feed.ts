import type { Dataset, Row } from '../catalog/index.ts'
import { Refusal, taipei } from '../src/core/index.ts'
import type { Feed, StatedTotals } from './formats/index.ts'
import {
  type DayRows,
  judgeEmpty,
  publishedDays,
  type Quarantine,
  type ReceivedFile,
  readReceivedFile,
  type Spool,
  splitByDay,
} from './intake/index.ts'
import type { Capture, TradingCalendar, Workspace } from './publish/index.ts'

export interface Result extends Capture {
  readonly dataset: string | null
  readonly message: string | null
  readonly message_zh: string | null
  readonly quarantined: string | null
  /** Notes about skipped rows of an accepted file. */
  readonly notes: readonly string[]
}

export interface Run {
  readonly workspace: Workspace
  readonly feed: Feed
  readonly quarantine: Quarantine
  readonly spool: Spool<TakenFile>
}

/** A file that was read: a result, or rows in the spool. */
export interface TakenFile extends Omit<ReceivedFile, 'read'> {
  readonly results: readonly Result[]
  /** Days with rows in the spool. A day is published or refused as a whole. */
  readonly days: readonly StagedDay[]
  readonly notes: readonly string[]
  readonly statedTotals: Readonly<Record<string, StatedTotals>>
}

interface StagedDay extends Omit<DayRows, 'rows'> {
  readonly slug: string
}

export type Staged = readonly { readonly file: TakenFile; readonly day: Omit<StagedDay, 'slug'> }[]

export interface ReadFiles {
  readonly results: readonly Result[]
  readonly staged: ReadonlyMap<string, Staged>
}

/**
 * Writes the rows of one feed's files to the spool.
 *
 * @param read called after each file
 */
export async function readFeed(
  run: Run,
  { paths, dayOf }: { readonly paths: readonly string[]; readonly dayOf: (path: string) => string | undefined },
  calendar: TradingCalendar,
  read: () => void,
): Promise<ReadFiles> {
  const published = await publishedDays(run.workspace, run.feed)
  const staged = new Map<string, Staged[number][]>()
  const results: Result[] = []
  const seen = new Set<string>()
  for (const path of paths) {
    let file = run.spool.recall(path)
    if (!file) {
      file = await take(run, await readReceivedFile(run.feed, path, dayOf(path)), { calendar, published, seen }, staged)
      run.spool.remember(path, file)
    }
    for (const { slug, ...day } of file.days) {
      const days = staged.get(slug) ?? []
      staged.set(slug, days)
      days.push({ file, day })
    }
    results.push(...file.results)
    seen.add(file.sha256)
    read()
  }
  return { results, staged }
}

interface Known {
  readonly calendar: TradingCalendar
  readonly published: ReadonlySet<string>
  /** sha256 of files that were read before. */
  readonly seen: ReadonlySet<string>
}

/** Writes rows to the spool. Returns a result for a refused or empty file. */
async function take(
  run: Run,
  { read, ...file }: ReceivedFile,
  { calendar, published, seen }: Known,
  staged: ReadonlyMap<string, Staged>,
): Promise<TakenFile> {
  const ended = (result: Result): TakenFile => ({ ...file, results: [result], days: [], notes: [], statedTotals: {} })
  if (seen.has(file.sha256)) return ended(resultOf(run, file, { outcome: 'unchanged', said: 'the same file twice' }))
  if (read instanceof Refusal) return ended(refused(run, file, read))
  if (read.kind === 'empty') {
    const refusal = judgeEmpty(run.feed, read, calendar, published)
    if (refusal) return ended(refused(run, file, refusal))
    return ended(resultOf(run, file, { outcome: 'empty', date: read.date, said: read.reason }))
  }
  const lists = Object.entries(read.rows)
  // A file may contain only one of two tables. The dataset of the missing table then gets no day.
  const full = lists.filter(([, rows]) => rows.length > 0)
  const { notes = [], statedTotals = {} } = read
  const days = (full.length > 0 ? full : lists).flatMap(([slug, rows]) => spoolDays(run, slug, rows, staged))
  return { ...file, results: [], days, notes, statedTotals }
}

function spoolDays(
  { workspace, spool }: Run,
  slug: string,
  rows: readonly Row[],
  staged: ReadonlyMap<string, Staged>,
): readonly StagedDay[] {
  const dataset = workspace.catalog.get(slug)!
  const first = staged.get(slug)?.length ?? 0
  if (rows.length === 0) spool.write(dataset, first, rows)
  return splitByDay(dataset, rows).map(({ rows: some, ...day }, index) => {
    spool.write(dataset, first + index, some)
    return { slug, ...day }
  })
}

export const sourcesOf = ({ feed }: Run, dataset: Dataset, days: Staged) =>
  days.map(({ file, day }) => ({
    name: day.date === null ? file.name : `${file.name} ${day.date}`,
    sha256: file.sha256,
    bytes: file.size,
    read_as: feed.name,
    url: feed.url,
    ...statedTotalsOf(file, dataset, days),
  }))

/**
 * Returns the totals of a file. Empty for a file with several days, because its totals match no
 * single day.
 */
const statedTotalsOf = ({ statedTotals, path }: TakenFile, { slug }: Dataset, days: Staged): StatedTotals =>
  days.filter(({ file }) => file.path === path).length === 1 ? (statedTotals[slug] ?? {}) : {}

function refused(run: Run, file: Omit<ReceivedFile, 'read'>, refusal: Refusal): Result {
  const { rule, ...facts } = refusal.facts
  const fault = { rule: String(rule), count: 1, samples: [facts], message: refusal.message, message_zh: refusal.words.zh }
  const quarantined = run.quarantine.keep(file.path, file.sha256, { for: run.feed.name, file: file.path, faults: [fault] })
  return resultOf(run, file, { outcome: 'refused', said: fault.rule, message: fault.message, message_zh: fault.message_zh, quarantined })
}

export function resultOf(
  { workspace: { clock }, feed }: Run,
  { name, sha256 }: Omit<ReceivedFile, 'read'>,
  facts: Partial<Result> & Pick<Result, 'outcome'>,
): Result {
  return {
    at: taipei(clock()),
    feed: feed.name,
    file: name,
    sha256,
    date: null,
    rows: 0,
    said: null,
    dataset: null,
    message: null,
    message_zh: null,
    quarantined: null,
    notes: [],
    ...facts,
  }
}
