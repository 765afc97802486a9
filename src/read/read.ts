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

export interface FetchedPage extends Page {
  /** True if rows match, but the offset skips all of them. */
  readonly pastTheEnd: boolean
  /** Approximate memory until the rows are sent. 0 for small results and cached rows. */
  readonly resultBytes: number
  readonly fromMemory: boolean
}

/** The cache (`columns`) is tried before the engine (`pool`). */
export interface PageSources {
  readonly pool: Pool
  readonly columns: Columns
}

/**
 * Executes a read. An empty page at an offset needs a second query, to check whether any row
 * matches.
 *
 * @param use receives the page and must copy the needed rows, because the page is freed afterwards
 */
export async function fetchPage<T>(
  plan: ReadPlan,
  { pool, columns: inMemory }: PageSources,
  use: (page: FetchedPage) => Promise<T>,
): Promise<T> {
  const { columns, position } = selectionOf(plan)
  const noRows = (pastTheEnd: boolean): Promise<T> => use(emptyPage(position, pastTheEnd))
  const cachedPage = await pageInMemory(plan, inMemory)
  if (cachedPage) return use(cachedPage)
  if (plan.unknown?.isAll || plan.parts().length === 0) return noRows(false)
  const takePage = async (chunks: readonly Chunk[], { rows, bytes }: ResultSize): Promise<{ readonly value: T } | undefined> => {
    if (rows === 0) return undefined
    return { value: await use({ ...pageOf(plan, chunks, rows, position), resultBytes: bytes }) }
  }
  const result = await pool.read(selectRows(plan, columns), takePage, plan.limits.queueKey)
  return result ? result.value : noRows(plan.offset > 0 && (await hasRows(plan, columns, pool)))
}

/** Undefined if the cache cannot answer the read. */
async function pageInMemory(plan: ReadPlan, inMemory: Columns): Promise<FetchedPage | undefined> {
  const { columns, position } = selectionOf(plan)
  const slice = await sliceOf(plan, columns, inMemory)
  if (!slice) return undefined
  return slice.rows === 0
    ? { ...emptyPage(position, slice.pastTheEnd), fromMemory: true }
    : pageOf(plan, slice.chunks, slice.rows, position, true)
}

const emptyPage = (position: FetchedPage['position'], pastTheEnd: boolean): FetchedPage => ({
  chunks: [],
  rows: 0,
  more: false,
  position,
  pastTheEnd,
  resultBytes: 0,
  fromMemory: false,
})

interface Selection {
  readonly columns: readonly string[]
  readonly position: ReadonlyMap<string, number>
}

/** Cached by column list, for reads of all columns. */
const fullSelections = new WeakMap<readonly string[], Selection>()

/** Returns the columns to send, then the other columns that the response needs. */
function selectionOf({ dataset, columns: sent }: ReadPlan): Selection {
  const cachedSelection = fullSelections.get(sent)
  if (cachedSelection) return cachedSelection
  const { envelope } = dataset
  const measured = envelope.kind === 'A' ? (envelope.measures ?? []).map(({ of }) => of) : []
  const columns = [...new Set([...sent, ...measured])]
  const selection = { columns, position: new Map(columns.map((name, index) => [name, index])) }
  if (sent === allColumns(dataset)) fullSelections.set(sent, selection)
  return selection
}

/** @param count number of rows in the chunks; greater than the limit if there is a next page */
const pageOf = (
  { limit, single }: ReadPlan,
  chunks: readonly Chunk[],
  count: number,
  position: FetchedPage['position'],
  fromMemory = false,
): FetchedPage => ({
  chunks,
  rows: Math.min(count, limit),
  more: count > limit && !single,
  position,
  pastTheEnd: false,
  resultBytes: 0,
  fromMemory,
})

const hasRows = (plan: ReadPlan, columns: readonly string[], pool: Pool): Promise<boolean> =>
  pool.read(selectRows({ ...plan, offset: 0, limit: 1 }, columns), (_, { rows }) => rows > 0, plan.limits.queueKey)

export interface ReadContext {
  readonly requestId: string
  /** Path of the request, without the query. */
  readonly endpoint: string
  readonly freshness: FreshnessState
  readonly isClosed: IsClosed
}

export function answerOf(plan: ReadPlan, page: FetchedPage, { requestId, endpoint, freshness, isClosed }: ReadContext): Answer {
  const { envelope } = plan.dataset
  const measures = envelope.kind === 'A' ? (envelope.measures ?? []) : []
  return {
    plan,
    rows: page.rows,
    limited: plan.capped && page.more,
    truncated: plan.isDefaultLimit && page.more,
    empty: page.rows === 0 ? emptyReason(plan, page.pastTheEnd, isClosed) : null,
    requestId,
    endpoint,
    freshness,
    measures: measurePage(page, measures),
  }
}

/** Supports only text and date columns. Distinct values are in order of appearance. */
function measurePage(page: Page, measures: readonly Measure[]): Answer['measures'] {
  const distinct = measures.map(() => new Set<string | number>())
  let remaining = measures.length > 0 ? page.rows : 0
  for (const chunk of page.chunks) {
    if (remaining === 0) break
    const rows = Math.min(chunk.rows, remaining)
    for (const [index, { of }] of measures.entries()) addValues(chunk.column(page.position.get(of)!), rows, distinct[index]!)
    remaining -= rows
    // Frees each chunk, because the encoder copies the chunk again. Only one chunk is then in
    // memory.
    if (page.chunks.length > 1) chunk.free?.()
  }
  return Object.fromEntries(
    measures.map(({ name, as }, index) => [name, as === 'count' ? distinct[index]!.size : [...distinct[index]!].map(String)]),
  )
}

function addValues(column: ColumnVector, rows: number, values: Set<string | number>): void {
  const { items, from } = column
  for (let row = 0; row < rows; row++) {
    if (isValid(column, row)) values.add(items instanceof Int32Array ? items[from + row]! : column.text(row))
  }
}

/** If the body is a stream, the page must stay valid until the stream ends. */
export function encodeBody(answer: Answer, page: Page): Promise<Body> {
  const { dataset, columns, format, bom } = answer.plan
  return openBody(ENCODERS[format].encode({ columns: dataset.columns, names: columns, page }, frame(answer), { bom }))
}

/** Typical size of a JSON value in bytes, without the column name. */
const CELL_BYTES = 16

/**
 * Returns an approximate size.
 * @param rows default: the maximum number of rows of the read
 */
export function estimatedBytes(plan: ReadPlan, rows = maxRows(plan)): number {
  const row = plan.columns.reduce((sum, { length }) => sum + length + CELL_BYTES, 0)
  return row * Math.min(plan.limit, rows)
}

/** On one day, most datasets have at most one row per key. */
export function maxRows({ dataset, release, filters, limit }: ReadPlan): number {
  const { rows = 0, keys = 0 } = release?.manifest.statistics ?? {}
  const isOneDay = isOneADay(dataset) && filters.some(({ column, op }) => column === dataset.date && op === 'eq')
  return Math.min(limit, isOneDay ? keys : rows)
}
