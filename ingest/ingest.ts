import type { Dataset, Row } from '../catalog/index.ts'
import { Refusal, taipei } from '../src/core/index.ts'
import { followUp } from './derive/index.ts'
import type { Feed, StatedTotals } from './formats/index.ts'
import {
  calendarOf,
  calendarRows,
  createQuarantine,
  type DayRows,
  judgeEmpty,
  publishedDays,
  type Quarantine,
  type QuarantineChange,
  type ReceivedFile,
  readReceivedFile,
  type Spool,
  splitByDay,
  withSpool,
} from './intake/index.ts'
import { type Capture, type DatasetOutcome, type Outcome, publish, type TradingCalendar, type Workspace } from './publish/index.ts'

/** What became of one body, or of one day of a body that holds several. */
export interface Result extends Capture {
  readonly dataset: string | null
  readonly message: string | null
  readonly quarantined: string | null
  /** What the feed reports about a body it took: rows it left out, and why. */
  readonly notes: readonly string[]
}

export interface Ingested {
  readonly results: readonly Result[]
  /** Publications, follow-ups included. */
  readonly publications: readonly DatasetOutcome[]
  readonly quarantine: QuarantineChange
}

export interface IngestOptions {
  /** Day the files were fetched for, where it was named: of all of them, or of each by its path. */
  readonly requestedDay: string | undefined | ((path: string) => string | undefined)
  readonly accept: readonly string[]
  /** Called after each file is read. */
  readonly progress: (done: number, total: number) => void
  /** Where refused files go; that of the workspace when absent. */
  readonly quarantine?: Quarantine
  /** Called when the rows of a dataset are read and their publication begins. */
  readonly publishing?: (slug: string, rows: number) => void
}

/** What every step of one run works with. */
interface Run {
  readonly workspace: Workspace
  readonly feed: Feed
  readonly quarantine: Quarantine
  readonly spool: Spool<TakenFile>
}

/**
 * Reads files of one feed, publishes the days that pass, quarantines the others with a report, and records every outcome. The rows of many
 * files wait on disk; a run over them that is interrupted is taken up by the next one of the same files.
 */
export function ingestFiles(workspace: Workspace, feed: Feed, paths: readonly string[], options: IngestOptions): Promise<Ingested> {
  const { requestedDay } = options
  const dayOf = typeof requestedDay === 'function' ? requestedDay : () => requestedDay
  return withSpool<TakenFile, Ingested>(workspace, feed, { paths, dayOf }, async spool => {
    const known = { calendar: await calendarRows(workspace), published: await publishedDays(workspace, feed) }
    const run = { workspace, feed, quarantine: options.quarantine ?? createQuarantine(workspace), spool }
    const staged = new Map<string, Staged>()
    const results: Result[] = []
    const seen = new Set<string>()
    for (const [index, path] of paths.entries()) {
      let file = spool.recall(path)
      if (!file) {
        file = await take(run, await readReceivedFile(feed, path, dayOf(path)), { ...known, seen }, staged)
        spool.remember(path, file)
      }
      for (const { slug, ...day } of file.days) stagedOf(staged, slug).push({ file, day })
      results.push(...file.results)
      seen.add(file.sha256)
      options.progress(index + 1, paths.length)
    }
    const publications: DatasetOutcome[] = []
    for (const [slug, days] of staged) {
      options.publishing?.(
        slug,
        days.reduce((rows, { day }) => rows + day.count, 0),
      )
      publications.push(...(await publishStage(run, slug, days, options.accept, results)))
    }
    workspace.journal.record(results.map(({ dataset: _, message: __, quarantined: ___, notes: ____, ...capture }) => capture))
    return { results, publications, quarantine: run.quarantine.close() }
  })
}

/** A file that was read: what became of it at once, or which rows of it wait in the spool. */
interface TakenFile extends Omit<ReceivedFile, 'read'> {
  readonly results: readonly Result[]
  /** Rows that are published or refused together, in the order of their source numbers. */
  readonly days: readonly StagedDay[]
  readonly notes: readonly string[]
  readonly statedTotals: Readonly<Record<string, StatedTotals>>
}

interface StagedDay extends Omit<DayRows, 'rows'> {
  readonly slug: string
}

/** The days of one dataset on their way in; the place of each is the `_source` number of its rows. */
type Staged = { readonly file: TakenFile; readonly day: Omit<StagedDay, 'slug'> }[]

function stagedOf(staged: Map<string, Staged>, slug: string): Staged {
  const days = staged.get(slug) ?? []
  staged.set(slug, days)
  return days
}

interface Known {
  readonly calendar: TradingCalendar
  readonly published: ReadonlySet<string>
  /** Of the files before this one. */
  readonly seen: ReadonlySet<string>
}

/** Spools what a file brought; a refused or empty one becomes its result immediately. */
async function take(
  run: Run,
  { read, ...file }: ReceivedFile,
  { calendar, published, seen }: Known,
  staged: Map<string, Staged>,
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
  // A body may hold one of two tables; the absent one says nothing about its dataset.
  const full = lists.filter(([, rows]) => rows.length > 0)
  const { notes = [], statedTotals = {} } = read
  const days = (full.length > 0 ? full : lists).flatMap(([slug, rows]) => spoolDays(run, slug, rows, staged))
  return { ...file, results: [], days, notes, statedTotals }
}

function spoolDays({ workspace, spool }: Run, slug: string, rows: readonly Row[], staged: Map<string, Staged>): readonly StagedDay[] {
  const dataset = workspace.catalog.get(slug)!
  const first = stagedOf(staged, slug).length
  if (rows.length === 0) spool.write(dataset, first, rows)
  return splitByDay(dataset, rows).map(({ rows: some, ...day }, index) => {
    spool.write(dataset, first + index, some)
    return { slug, ...day }
  })
}

async function publishStage(
  run: Run,
  slug: string,
  days: Staged,
  accept: readonly string[],
  results: Result[],
): Promise<readonly DatasetOutcome[]> {
  const { workspace, feed, spool } = run
  const dataset = workspace.catalog.get(slug)!
  const relation = await spool.relation(dataset)
  const calendar = await calendarOf(workspace)
  const sources = days.map(({ file, day }) => ({
    name: nameOf(file, day),
    sha256: file.sha256,
    bytes: file.size,
    read_as: feed.name,
    url: feed.url,
    ...statedTotalsOf(file, dataset, days),
  }))
  const outcome = await publish(workspace, { dataset, relation, sources, synthetic: false, accept, sourceBySource: true, calendar })
  for (const [source, { file, day }] of days.entries()) results.push(dayResult(run, dataset, { outcome, source, file, day }))
  return [{ dataset: dataset.slug, outcome }, ...(await followUp(workspace, dataset, outcome))]
}

/** What a body states about its rows. Dropped for a file of several days: a total over all of them holds for none. */
const statedTotalsOf = ({ statedTotals, path }: TakenFile, { slug }: Dataset, days: Staged): StatedTotals =>
  days.filter(({ file }) => file.path === path).length === 1 ? (statedTotals[slug] ?? {}) : {}

const nameOf = ({ name }: TakenFile, { date }: Staged[number]['day']): string => (date === null ? name : `${name} ${date}`)

interface DayOutcome {
  readonly outcome: Outcome
  readonly source: number
  readonly file: TakenFile
  readonly day: Staged[number]['day']
}

function dayResult(run: Run, dataset: Dataset, { outcome, source, file, day }: DayOutcome): Result {
  const faults = outcome.faults.filter(fault => fault.source === source || fault.source === null)
  const facts = { date: day.date, rows: day.count, dataset: dataset.slug, notes: file.notes }
  if (faults.length === 0) return resultOf(run, file, { ...facts, outcome: outcome.status })
  const quarantined = run.quarantine.keep(file.path, `${file.sha256}${day.date}`, { for: run.feed.name, file: file.path, faults })
  const message = faults.map(fault => fault.message).join(' ')
  return resultOf(run, file, { ...facts, outcome: 'refused', said: faults[0]!.rule, message, quarantined })
}

function refused(run: Run, file: Omit<ReceivedFile, 'read'>, refusal: Refusal): Result {
  const { rule, ...facts } = refusal.facts
  const fault = { rule: String(rule), count: 1, samples: [facts], message: refusal.message }
  const quarantined = run.quarantine.keep(file.path, file.sha256, { for: run.feed.name, file: file.path, faults: [fault] })
  return resultOf(run, file, { outcome: 'refused', said: fault.rule, message: refusal.message, quarantined })
}

function resultOf(
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
    quarantined: null,
    notes: [],
    ...facts,
  }
}
