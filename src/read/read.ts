import { allColumns, isOneADay, type Measure } from '../../catalog/index.ts'
import type { FreshnessState, IsClosed } from '../calendar/index.ts'
import { type Chunk, type ColumnVector, isValid, type Pool, type ResultSize } from '../engine/index.ts'
import { type Body, ENCODERS, openBody, type Page } from '../formats/index.ts'
import type { Columns } from '../row-cache/index.ts'
import { emptyReason } from './empty.ts'
import type { Answer } from './envelopes/answer.ts'
import { frame } from './envelopes/frame.ts'
import type { ReadPlan } from './plan.ts'
import { selectRows } from './select-rows.ts'
import { sliceOf } from './slice.ts'

/** A page of a plan's rows. */
export interface FetchedPage extends Page {
  /** There are rows, and the offset skips them all. */
  readonly pastTheEnd: boolean
  /** What its rows take of memory until they have left, about; 0 of rows in memory, which stay, and of few. */
  readonly held: number
}

/** Where rows come from: memory, where they are at hand, else the engine. */
export interface PageSources {
  readonly pool: Pool
  readonly columns: Columns
}

/**
 * Executes a plan. A plan without parts has no rows and runs no query. One that skips rows and gets none asks once more, whether there are
 * any.
 *
 * @param use takes what it needs out of the page, whose memory is freed once what it returns is settled
 */
export async function fetchPage<T>(
  plan: ReadPlan,
  { pool, columns: inMemory }: PageSources,
  use: (page: FetchedPage) => Promise<T>,
): Promise<T> {
  const { columns, position } = selected(plan)
  const none = (pastTheEnd: boolean): Promise<T> => use(emptyPage(position, pastTheEnd))
  const atHand = pageAtHand(plan, inMemory)
  if (atHand) return use(atHand)
  if (plan.parts.length === 0) return none(false)
  const take = async (chunks: readonly Chunk[], { rows, bytes }: ResultSize): Promise<{ readonly done: T } | undefined> => {
    if (rows === 0) return undefined
    return { done: await use({ ...pageOf(plan, chunks, rows, position), held: bytes }) }
  }
  const found = await pool.read(selectRows(plan, columns), take, plan.limits.queueKey)
  return found ? found.done : none(plan.offset > 0 && (await hasRows(plan, columns, pool)))
}

/** The page of a plan whose rows are all in memory, which stay as they are; undefined where the engine has to be asked. */
function pageAtHand(plan: ReadPlan, inMemory: Columns): FetchedPage | undefined {
  const { columns, position } = selected(plan)
  const slice = sliceOf(plan, columns, inMemory)
  if (!slice) return undefined
  return slice.rows === 0 ? emptyPage(position, slice.pastTheEnd) : pageOf(plan, slice.chunks, slice.rows, position)
}

const emptyPage = (position: FetchedPage['position'], pastTheEnd: boolean): FetchedPage => ({
  chunks: [],
  rows: 0,
  more: false,
  position,
  pastTheEnd,
  held: 0,
})

/** Columns that are read, and where each stands. */
interface Selected {
  readonly columns: readonly string[]
  readonly position: ReadonlyMap<string, number>
}

/** Those of a read of all columns, by their list, of which each dataset has one. */
const ofAll = new WeakMap<readonly string[], Selected>()

/** The plan's columns, then those that only its envelope measures. */
function selected({ dataset, columns: sent }: ReadPlan): Selected {
  const known = ofAll.get(sent)
  if (known) return known
  const { envelope } = dataset
  const measured = envelope.kind === 'A' ? (envelope.measures ?? []).map(({ of }) => of) : []
  const columns = [...new Set([...sent, ...measured])]
  const made = { columns, position: new Map(columns.map((name, index) => [name, index])) }
  if (sent === allColumns(dataset)) ofAll.set(sent, made)
  return made
}

/** @param count of the chunks' rows: one more than the limit where another page follows */
const pageOf = ({ limit, single }: ReadPlan, chunks: readonly Chunk[], count: number, position: FetchedPage['position']): FetchedPage => ({
  chunks,
  rows: Math.min(count, limit),
  more: count > limit && !single,
  position,
  pastTheEnd: false,
  held: 0,
})

const hasRows = (plan: ReadPlan, columns: readonly string[], pool: Pool): Promise<boolean> =>
  pool.read(selectRows({ ...plan, offset: 0, limit: 1 }, columns), (_, { rows }) => rows > 0, plan.limits.queueKey)

/** What an answer needs to know of its request. */
export interface ReadContext {
  readonly requestId: string
  /** Path of the request, without the query. */
  readonly endpoint: string
  readonly freshness: FreshnessState
  readonly isClosed: IsClosed
}

/** Gathers everything an envelope may state about a fetched page. */
export function answerOf(plan: ReadPlan, page: FetchedPage, { requestId, endpoint, freshness, isClosed }: ReadContext): Answer {
  const { envelope } = plan.dataset
  const measures = envelope.kind === 'A' ? (envelope.measures ?? []) : []
  return {
    plan,
    rows: page.rows,
    limited: plan.capped && page.more,
    empty: page.rows === 0 ? emptyReason(plan, page.pastTheEnd, isClosed) : null,
    requestId,
    endpoint,
    freshness,
    measures: measurePage(page, measures),
  }
}

/** Measures over the page's rows: the distinct values in order of appearance, or their number. Text and date columns only. */
function measurePage(page: Page, measures: readonly Measure[]): Answer['measures'] {
  const seen = measures.map(() => new Set<string | number>())
  let left = measures.length > 0 ? page.rows : 0
  for (const chunk of page.chunks) {
    if (left === 0) break
    const rows = Math.min(chunk.rows, left)
    for (const [index, { of }] of measures.entries()) addValues(chunk.column(page.position.get(of)!), rows, seen[index]!)
    left -= rows
    // Of many chunks each is copied anew when it is encoded, so that they are not all there at once.
    if (page.chunks.length > 1) chunk.done?.()
  }
  return Object.fromEntries(
    measures.map(({ name, as }, index) => [name, as === 'count' ? seen[index]!.size : [...seen[index]!].map(String)]),
  )
}

function addValues(column: ColumnVector, rows: number, to: Set<string | number>): void {
  const { items, from } = column
  for (let row = 0; row < rows; row++) {
    if (isValid(column, row)) to.add(items instanceof Int32Array ? items[from + row]! : column.text(row))
  }
}

/** Begins the body in the plan's format. What is streamed of it needs the page until it is over. */
export function encodeBody(answer: Answer, page: Page): Promise<Body> {
  const { dataset, columns, format, bom } = answer.plan
  return openBody(ENCODERS[format].encode({ columns: dataset.columns, names: columns, page }, frame(answer), { bom }))
}

/** Typical size of a JSON cell with its punctuation, without its name. */
const CELL_BYTES = 16

/** How large the JSON body of a plan may become, about: every row it could have, in full. @param rows when absent, all that there may be */
export function likelyBytes(plan: ReadPlan, rows = mostRows(plan)): number {
  const row = plan.columns.reduce((sum, { length }) => sum + length + CELL_BYTES, 0)
  return row * Math.min(plan.limit, rows)
}

/** Rows that a plan may have at most. A day of a series has no more rows than there are keys, unless something else identifies its rows as well. */
export function mostRows({ dataset, release, filters, limit }: ReadPlan): number {
  const { rows = 0, keys = 0 } = release?.manifest.statistics ?? {}
  const ofDay = isOneADay(dataset) && filters.some(({ column, op }) => column === dataset.date && op === 'eq')
  return Math.min(limit, ofDay ? keys : rows)
}
