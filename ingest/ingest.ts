import type { Dataset, Row } from '../catalog/index.ts'
import { Refusal, taipei } from '../src/core/index.ts'
import { type FollowUp, followUp } from './derive/index.ts'
import type { Control, Feed } from './formats/index.ts'
import {
  type Arrival,
  type Capture,
  calendarOf,
  calendarRows,
  heldDays,
  judgeEmpty,
  type Piece,
  piecesOf,
  quarantine,
  readArrival,
  recordCaptures,
} from './intake/index.ts'
import { type Outcome, openStaging, publish, stagedColumns, stageRows, type TradingCalendar, type Workspace } from './publish/index.ts'

/** What became of one body, or of one day of a body that holds several. */
export interface Result extends Capture {
  readonly dataset: string | null
  readonly message: string | null
  readonly quarantined: string | null
  /** What the feed had to say about a body it took: rows it left out, and why. */
  readonly notes: readonly string[]
}

export interface Ingested {
  readonly results: readonly Result[]
  /** Publications, those that others brought about included. */
  readonly publications: readonly FollowUp[]
}

export interface IngestOptions {
  readonly asked: string | undefined
  readonly accept: readonly string[]
  /** Called after each file is read. */
  readonly progress: (done: number, total: number) => void
}

/** Reads files of one feed, publishes the days that pass, keeps the others with a report, and records what became of each. */
export async function ingestFiles(workspace: Workspace, feed: Feed, paths: readonly string[], options: IngestOptions): Promise<Ingested> {
  const known = { calendar: await calendarRows(workspace), held: await heldDays(workspace, feed) }
  const staged = new Map<string, Staged>()
  const results: Result[] = []
  const seen = new Set<string>()
  for (const [index, path] of paths.entries()) {
    const arrival = readArrival(feed, path, options.asked)
    if (seen.has(arrival.sha256)) results.push(resultOf(workspace, feed, arrival, { outcome: 'unchanged', said: 'the same file twice' }))
    else results.push(...(await take(workspace, feed, arrival, known, staged)))
    seen.add(arrival.sha256)
    options.progress(index + 1, paths.length)
  }
  const publications: FollowUp[] = []
  for (const stage of staged.values()) publications.push(...(await publishStage(workspace, feed, stage, options.accept, results)))
  recordCaptures(
    workspace.captures,
    results.map(({ dataset: _, message: __, quarantined: ___, notes: ____, ...capture }) => capture),
  )
  return { results, publications }
}

/** Rows of one dataset on their way in, with the piece each `_source` number stands for. */
interface Staged {
  readonly dataset: Dataset
  readonly relation: string
  readonly columns: readonly string[]
  readonly pieces: { readonly arrival: Arrival; readonly piece: Piece }[]
}

interface Known {
  readonly calendar: TradingCalendar
  readonly held: ReadonlySet<string>
}

/** Stages what a file brought; a refused or empty one becomes its result at once. */
async function take(
  workspace: Workspace,
  feed: Feed,
  arrival: Arrival,
  { calendar, held }: Known,
  staged: Map<string, Staged>,
): Promise<readonly Result[]> {
  const { read } = arrival
  if (read instanceof Refusal) return [refused(workspace, feed, arrival, read)]
  if (read.kind === 'empty') {
    const refusal = judgeEmpty(feed, read, calendar, held)
    if (refusal) return [refused(workspace, feed, arrival, refusal)]
    return [resultOf(workspace, feed, arrival, { outcome: 'empty', date: read.date, said: read.said })]
  }
  const lists = Object.entries(read.rows)
  // A body may hold one table of two: the absent one brings no news of its dataset.
  const full = lists.filter(([, rows]) => rows.length > 0)
  for (const [slug, rows] of full.length > 0 ? full : lists) await stage(workspace, slug, arrival, rows, staged)
  return []
}

async function stage(
  workspace: Workspace,
  slug: string,
  arrival: Arrival,
  rows: readonly Row[],
  staged: Map<string, Staged>,
): Promise<void> {
  const dataset = workspace.catalog.get(slug)!
  let into = staged.get(slug)
  if (!into) {
    into = { dataset, relation: `raw_${dataset.id}`, columns: stagedColumns(dataset, rows), pieces: [] }
    staged.set(slug, into)
    await openStaging(workspace.session, into.relation, into.columns)
  }
  for (const piece of piecesOf(dataset, rows)) {
    const source = into.pieces.push({ arrival, piece }) - 1
    await stageRows(workspace.session, dataset, into.relation, into.columns, source, piece.rows)
    into.pieces[source] = { arrival, piece: { ...piece, rows: [] } }
  }
}

async function publishStage(
  workspace: Workspace,
  feed: Feed,
  { dataset, relation, pieces }: Staged,
  accept: readonly string[],
  results: Result[],
): Promise<readonly FollowUp[]> {
  const calendar = await calendarOf(workspace)
  const sources = pieces.map(({ arrival, piece }) => ({
    name: nameOf(arrival, piece),
    sha256: arrival.sha256,
    bytes: arrival.size,
    read_as: feed.name,
    url: feed.url,
    ...controlOf(arrival, dataset, pieces),
  }))
  const outcome = await publish(workspace, { dataset, relation, sources, synthetic: false, accept, sourceBySource: true, calendar })
  for (const [source, { arrival, piece }] of pieces.entries())
    results.push(pieceResult(workspace, feed, dataset, { outcome, source, arrival, piece }))
  const after =
    outcome.status === 'refused' ? [] : await followUp(workspace, dataset, outcome.status === 'published' ? outcome.changes : null)
  return [{ dataset: dataset.slug, outcome }, ...after]
}

/** What a body says of its rows, where they are published as one: said of several days together, it is true of none of them. */
function controlOf({ read, path }: Arrival, { slug }: Dataset, pieces: Staged['pieces']): Control {
  if (read instanceof Refusal || read.kind === 'empty') return {}
  return pieces.filter(({ arrival }) => arrival.path === path).length === 1 ? (read.controls?.[slug] ?? {}) : {}
}

const nameOf = ({ name }: Arrival, { date }: Piece): string => (date === null ? name : `${name} ${date}`)

interface Told {
  readonly outcome: Outcome
  readonly source: number
  readonly arrival: Arrival
  readonly piece: Piece
}

function pieceResult(workspace: Workspace, feed: Feed, dataset: Dataset, { outcome, source, arrival, piece }: Told): Result {
  const faults = outcome.faults.filter(fault => fault.source === source || fault.source === null)
  const notes = arrival.read instanceof Refusal || arrival.read.kind === 'empty' ? [] : (arrival.read.notes ?? [])
  const facts = { date: piece.date, rows: piece.count, dataset: dataset.slug, notes }
  if (faults.length === 0) return resultOf(workspace, feed, arrival, { ...facts, outcome: outcome.status })
  const quarantined = quarantine(workspace, arrival.path, Buffer.from(`${arrival.sha256}${piece.date}`), {
    for: feed.name,
    file: arrival.path,
    faults,
  })
  const message = faults.map(fault => fault.message).join(' ')
  return resultOf(workspace, feed, arrival, { ...facts, outcome: 'refused', said: faults[0]!.rule, message, quarantined })
}

function refused(workspace: Workspace, feed: Feed, arrival: Arrival, refusal: Refusal): Result {
  const { rule, ...facts } = refusal.facts
  const fault = { rule: String(rule), count: 1, samples: [facts], message: refusal.message }
  const quarantined = quarantine(workspace, arrival.path, Buffer.from(arrival.sha256), {
    for: feed.name,
    file: arrival.path,
    faults: [fault],
  })
  return resultOf(workspace, feed, arrival, { outcome: 'refused', said: fault.rule, message: refusal.message, quarantined })
}

function resultOf({ clock }: Workspace, feed: Feed, { name, sha256 }: Arrival, facts: Partial<Result> & Pick<Result, 'outcome'>): Result {
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
