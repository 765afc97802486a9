import { allColumns, defaultOrder, isNewestFirst } from '../../catalog/index.ts'
import { encodeSlot, type PageChunk } from '../formats/index.ts'
import type { Columns, Run } from '../row-cache/index.ts'
import type { BoundFilter } from './filters.ts'
import { batchesOf, type MatchingRows } from './gather.ts'
import { isReversed } from './order.ts'
import type { ReadPlan } from './plan.ts'
import { dayNumber, sortRows } from './sort-rows.ts'

export interface Slice {
  readonly chunks: readonly PageChunk[]
  /** At most the limit plus 1. */
  readonly rows: number
  /** True if rows match, but the offset skips all of them. */
  readonly pastTheEnd: boolean
}

/**
 * Returns the same rows as the SQL statement, from memory.
 * @param names columns of the chunks
 * @returns undefined if only the engine can answer
 */
export async function sliceOf(plan: ReadPlan, names: readonly string[], columns: Columns): Promise<Slice | undefined> {
  const { dataset, release, filters } = plan
  const keyFilter = filters.find(({ column, op, also }) => column === dataset.key && also === undefined && (op === 'eq' || op === 'in'))
  if (!keyFilter || !release) return undefined
  const keys = keyFilter.values.length > 1 ? [...new Set(keyFilter.values)].sort(byBytes) : keyFilter.values
  const runs: Run[] = []
  for (const key of keys) {
    const runsOfKey = columns.runsOf(release, key)
    if (!runsOfKey) return undefined
    runs.push(...runsOfKey)
  }
  const otherFilters = filters.filter(filter => filter !== keyFilter)
  const rows = (await rowsByDay(plan, runs, otherFilters, keys.length)) ?? sortRows(plan, runs, otherFilters)
  if (rows === 'incomplete') {
    for (const key of keys) columns.complete(release, key)
    return undefined
  }
  return rows && pageOf(plan, rows, names)
}

/** Equals the engine's comparison of bytes, because keys are ASCII. */
const byBytes = (a: string, b: string): number => (a < b ? -1 : 1)

/** Larger pages would fill the cache with rarely requested rows. */
const MOST_CACHED_TEXT_ROWS = 256

function pageOf({ dataset, columns, offset, limit }: ReadPlan, { spans, matched }: MatchingRows, names: readonly string[]): Slice {
  const chunks: PageChunk[] = []
  const asText = columns === allColumns(dataset) && limit <= MOST_CACHED_TEXT_ROWS
  let skip = offset
  let remaining = limit + 1
  for (const span of spans) {
    const from = Math.min(skip, span.length)
    skip -= from
    const length = Math.min(span.length - from, remaining)
    if (length > 0) chunks.push(...batchesOf(span, from, length, names, asText))
    remaining -= Math.max(0, length)
  }
  const rows = limit + 1 - remaining
  return { chunks, rows, pastTheEnd: rows === 0 && matched }
}

/** Days since 1970, both inclusive. */
type Bounds = readonly [from: number, to: number]

/** Undefined if any filter is not a date filter on this column. */
function boundsOf(filters: readonly BoundFilter[], column: string): Bounds | undefined {
  let from = Number.NEGATIVE_INFINITY
  let to = Number.POSITIVE_INFINITY
  for (const filter of filters) {
    const { op, values } = filter
    if (filter.column !== column || filter.also !== undefined || (op !== 'from' && op !== 'to' && op !== 'eq')) return undefined
    const day = dayNumber(values[0]!)
    if (op !== 'to') from = Math.max(from, day)
    if (op !== 'from') to = Math.min(to, day)
  }
  return [from, to]
}

/**
 * Returns rows by day, newest or oldest first. Undefined for another order, or filters on other
 * columns.
 */
function rowsByDay(
  plan: ReadPlan,
  runs: readonly Run[],
  filters: readonly BoundFilter[],
  keys: number,
): Promise<MatchingRows | 'incomplete'> | MatchingRows | 'incomplete' | undefined {
  const { dataset, offset, limit, order } = plan
  const natural = defaultOrder(dataset)
  const [day] = natural[0]!
  const reversed = isReversed(order, natural)
  if (reversed === undefined || dataset.columns[day]!.type !== 'date' || !isNewestFirst(dataset)) return undefined
  const bounds = boundsOf(filters, day)
  if (!bounds) return undefined
  const bounded = runs.map(run => boundRun(run, day, bounds))
  const wanted = offset + limit + 1
  if (keys > 1) return merged(bounded, day, reversed, wanted)
  // A key has old rows and recently added rows, usually of different days.
  const inOrder = bounded.filter(({ to, from }) => to > from).sort((a, b) => newestOf(b, day) - newestOf(a, day))
  const overlaps = inOrder.some((run, index) => index > 0 && newestOf(run, day) >= oldestOf(inOrder[index - 1]!, day))
  if (overlaps) return merged(bounded, day, reversed, wanted)
  if (reversed) {
    if (bounded.some(({ open }) => open)) return 'incomplete'
    const spans = inOrder
      .toReversed()
      .map(({ columns, texts, from, to }) => ({ columns, texts, from: to - 1, step: -1 as const, length: to - from }))
    return { spans, matched: spans.length > 0 }
  }
  // Older rows on disk may match and come before the rows of other keys.
  if (bounded.some(({ open, from, to }) => open && from === to)) return 'incomplete'
  let available = 0
  for (const { from, to, open } of inOrder) {
    available += to - from
    if (open && available < wanted) return 'incomplete'
    if (open) break
  }
  return {
    spans: inOrder.map(({ columns, texts, from, to }) => ({ columns, texts, from, step: 1 as const, length: to - from })),
    matched: inOrder.length > 0,
  }
}

interface BoundedRun extends Run {
  /** True if older rows on disk may match too. */
  readonly open: boolean
}

function boundRun(run: Run, day: string, [first, last]: Bounds): BoundedRun {
  const days = run.columns.get(day)!.items as Int32Array
  const from = firstUpTo(days, run.from, run.to, last)
  const to = firstUpTo(days, from, run.to, first - 1)
  return { ...run, from, to, open: !run.complete && to === run.to }
}

/** Returns the index of the first day that is not after `day`. Expects descending days. */
export function firstUpTo(days: Int32Array, from: number, to: number, day: number): number {
  let low = from
  let high = to
  while (low < high) {
    const middle = (low + high) >>> 1
    if (days[middle]! > day) low = middle + 1
    else high = middle
  }
  return low
}

const daysOf = ({ columns }: Run, day: string): Int32Array => columns.get(day)!.items as Int32Array
const newestOf = (run: Run, day: string): number => daysOf(run, day)[run.from]!
const oldestOf = (run: Run, day: string): number => daysOf(run, day)[run.to - 1]!

/** Merging this many rows takes about 0.3 ms. */
const MERGED_ROWS_PER_SLOT = 2_048

/** Rows of the same day keep the order of `runs`. */
async function merged(runs: readonly BoundedRun[], day: string, reversed: boolean, wanted: number): Promise<MatchingRows | 'incomplete'> {
  if (reversed && runs.some(({ open }) => open)) return 'incomplete'
  const total = runs.reduce((sum, { from, to }) => sum + to - from, 0)
  const length = Math.min(total, wanted)
  const sourceOf = new Uint16Array(length)
  const rows = new Int32Array(length)
  const days = runs.map(run => daysOf(run, day))
  const next = runs.map(({ from, to }) => (reversed ? to - 1 : from))
  const sign = reversed ? -1 : 1
  const has = (run: number): boolean => (reversed ? next[run]! >= runs[run]!.from : next[run]! < runs[run]!.to)
  const open = runs.flatMap((run, index) => (run.open ? [index] : []))
  let live = runs.flatMap((_, index) => (has(index) ? [index] : []))
  let pauseAt = MERGED_ROWS_PER_SLOT
  for (let count = 0; count < length; ) {
    if (count >= pauseAt) {
      await encodeSlot()
      pauseAt = count + MERGED_ROWS_PER_SLOT
    }
    // Older rows may be on disk.
    if (open.some(run => !has(run))) return 'incomplete'
    let best = Number.NEGATIVE_INFINITY
    for (const run of live) best = Math.max(best, sign * days[run]![next[run]!]!)
    let ended = false
    for (const run of live) {
      if (count === length || sign * days[run]![next[run]!]! !== best) continue
      sourceOf[count] = run
      rows[count++] = next[run]!
      next[run]! += sign
      ended ||= !has(run)
    }
    if (ended) live = live.filter(has)
  }
  if (length < wanted && runs.some(({ open }) => open)) return 'incomplete'
  return { spans: [{ sources: runs.map(({ columns }) => columns), sourceOf, rows, length }], matched: total > 0 }
}
