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
  splitByDay,
} from './intake/index.ts'
import {
  type Capture,
  createStaging,
  type DatasetOutcome,
  type Outcome,
  publish,
  type Relation,
  stagedColumns,
  stageRows,
  type TradingCalendar,
  type Workspace,
} from './publish/index.ts'

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
}

/** What every step of one run works with. */
interface Run {
  readonly workspace: Workspace
  readonly feed: Feed
  readonly quarantine: Quarantine
}

/** Reads files of one feed, publishes the days that pass, quarantines the others with a report, and records every outcome. */
export async function ingestFiles(workspace: Workspace, feed: Feed, paths: readonly string[], options: IngestOptions): Promise<Ingested> {
  const known = { calendar: await calendarRows(workspace), published: await publishedDays(workspace, feed) }
  const run = { workspace, feed, quarantine: options.quarantine ?? createQuarantine(workspace) }
  const staged = new Map<string, Staged>()
  const results: Result[] = []
  const seen = new Set<string>()
  for (const [index, path] of paths.entries()) {
    const day = typeof options.requestedDay === 'function' ? options.requestedDay(path) : options.requestedDay
    const file = await readReceivedFile(feed, path, day)
    if (seen.has(file.sha256)) results.push(resultOf(run, file, { outcome: 'unchanged', said: 'the same file twice' }))
    else results.push(...(await take(run, file, known, staged)))
    seen.add(file.sha256)
    options.progress(index + 1, paths.length)
  }
  const publications: DatasetOutcome[] = []
  for (const stage of staged.values()) publications.push(...(await publishStage(run, stage, options.accept, results)))
  workspace.journal.record(results.map(({ dataset: _, message: __, quarantined: ___, notes: ____, ...capture }) => capture))
  return { results, publications, quarantine: run.quarantine.close() }
}

/** A file whose rows are staged, without them: they would be in memory twice. */
interface StagedFile extends Omit<ReceivedFile, 'read'> {
  readonly notes: readonly string[]
  readonly statedTotals: Readonly<Record<string, StatedTotals>>
}

/** Rows of one dataset on their way in, with the day each `_source` number stands for. */
interface Staged {
  readonly dataset: Dataset
  readonly relation: Relation
  readonly columns: readonly string[]
  readonly days: { readonly file: StagedFile; readonly day: DayRows }[]
}

interface Known {
  readonly calendar: TradingCalendar
  readonly published: ReadonlySet<string>
}

/** Stages what a file brought; a refused or empty one becomes its result immediately. */
async function take(
  run: Run,
  { read, ...file }: ReceivedFile,
  { calendar, published }: Known,
  staged: Map<string, Staged>,
): Promise<readonly Result[]> {
  if (read instanceof Refusal) return [refused(run, file, read)]
  if (read.kind === 'empty') {
    const refusal = judgeEmpty(run.feed, read, calendar, published)
    if (refusal) return [refused(run, file, refusal)]
    return [resultOf(run, file, { outcome: 'empty', date: read.date, said: read.reason })]
  }
  const lists = Object.entries(read.rows)
  // A body may hold one of two tables; the absent one says nothing about its dataset.
  const full = lists.filter(([, rows]) => rows.length > 0)
  const { notes = [], statedTotals = {} } = read
  for (const [slug, rows] of full.length > 0 ? full : lists) await stage(run, slug, { ...file, notes, statedTotals }, rows, staged)
  return []
}

async function stage({ workspace }: Run, slug: string, file: StagedFile, rows: readonly Row[], staged: Map<string, Staged>): Promise<void> {
  const dataset = workspace.catalog.get(slug)!
  let into = staged.get(slug)
  if (!into) {
    const columns = stagedColumns(dataset, rows)
    into = {
      dataset,
      relation: await createStaging(workspace.session, `raw_${dataset.id.replaceAll('-', '_')}`, columns),
      columns,
      days: [],
    }
    staged.set(slug, into)
  }
  for (const day of splitByDay(dataset, rows)) {
    const source = into.days.push({ file, day }) - 1
    await stageRows(workspace.session, dataset, into.relation, into.columns, source, day.rows)
    into.days[source] = { file, day: { ...day, rows: [] } }
  }
}

async function publishStage(
  run: Run,
  { dataset, relation, days }: Staged,
  accept: readonly string[],
  results: Result[],
): Promise<readonly DatasetOutcome[]> {
  const { workspace, feed } = run
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
const statedTotalsOf = ({ statedTotals, path }: StagedFile, { slug }: Dataset, days: Staged['days']): StatedTotals =>
  days.filter(({ file }) => file.path === path).length === 1 ? (statedTotals[slug] ?? {}) : {}

const nameOf = ({ name }: StagedFile, { date }: DayRows): string => (date === null ? name : `${name} ${date}`)

interface DayOutcome {
  readonly outcome: Outcome
  readonly source: number
  readonly file: StagedFile
  readonly day: DayRows
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
