import { allColumns, defaultOrder, isNewestFirst } from '../../catalog/index.ts'
import type { PageChunk } from '../formats/index.ts'
import type { Columns, Run } from '../row-cache/index.ts'
import type { BoundFilter } from './filters.ts'
import { type Rows, rowsOf } from './gather.ts'
import type { ReadPlan } from './plan.ts'
import { isReversed } from './reversed.ts'
import { dayNumber, sorted } from './sorted.ts'

/** Rows of a plan out of memory. */
export interface Slice {
  readonly chunks: readonly PageChunk[]
  /** In the chunks: up to one more than the limit. */
  readonly rows: number
  /** There are rows, and the offset skips them all. */
  readonly pastTheEnd: boolean
}

/**
 * The rows of a plan that names its keys, where all of them are in memory: the very rows, in the very order, that its statement selects.
 *
 * @param names columns of the chunks
 * @returns undefined where the engine has to be asked
 */
export function sliceOf(plan: ReadPlan, names: readonly string[], columns: Columns): Slice | undefined {
  const { dataset, release, filters } = plan
  const named = filters.find(({ column, op, also }) => column === dataset.key && also === undefined && (op === 'eq' || op === 'in'))
  if (!named || !release) return undefined
  const keys = named.values.length > 1 ? [...new Set(named.values)].sort(byBytes) : named.values
  const runs: Run[] = []
  for (const key of keys) {
    const found = columns.runsOf(release, key)
    if (!found) return undefined
    runs.push(...found)
  }
  const rest = filters.filter(filter => filter !== named)
  const found = inRuns(plan, runs, rest, keys.length) ?? sorted(plan, runs, rest)
  if (found === 'incomplete') {
    for (const key of keys) columns.complete(release, key)
    return undefined
  }
  return found && sliced(plan, found, names)
}

/** Keys as the engine orders them: by their bytes, which for the ASCII of keys is by their characters. */
const byBytes = (a: string, b: string): number => (a < b ? -1 : 1)

/** Longer answers are made in pieces, and would fill the memory for texts with rows that hardly anybody asks for. */
const MOST_AS_TEXT = 256

/** Rows that match, in order, as far as they were wanted: the offset's, the limit's and one more. */
function sliced({ dataset, columns, offset, limit }: ReadPlan, { spans, matched }: Rows, names: readonly string[]): Slice {
  const chunks: PageChunk[] = []
  const asText = columns === allColumns(dataset) && limit <= MOST_AS_TEXT
  let [skip, left] = [offset, limit + 1]
  for (const span of spans) {
    const from = Math.min(skip, span.length)
    skip -= from
    const length = Math.min(span.length - from, left)
    if (length > 0) chunks.push(...rowsOf(span, from, length, names, asText))
    left -= Math.max(0, length)
  }
  const rows = limit + 1 - left
  return { chunks, rows, pastTheEnd: rows === 0 && matched }
}

/** Days, inclusive. */
type Bounds = readonly [from: number, to: number]

/** The days that bounds on the first column of the default order allow; undefined where there is any other filter. */
function boundsOf(filters: readonly BoundFilter[], column: string): Bounds | undefined {
  let [from, to] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
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
 * Rows by day, newest first or oldest first, of keys with at most one row a day: they lie in memory in order, so that only the ends have
 * to be found. Undefined for any other read.
 */
function inRuns(plan: ReadPlan, runs: readonly Run[], filters: readonly BoundFilter[], keys: number): Rows | 'incomplete' | undefined {
  const { dataset, offset, limit, order } = plan
  const natural = defaultOrder(dataset)
  const [day] = natural[0]!
  const reversed = isReversed(order, natural)
  if (reversed === undefined || dataset.columns[day]!.type !== 'date' || !isNewestFirst(dataset)) return undefined
  const bounds = boundsOf(filters, day)
  if (!bounds) return undefined
  const found = runs.map(run => cut(run, day, bounds))
  const most = offset + limit + 1
  if (keys > 1) return merged(found, day, reversed, most)
  // Runs of one key: of the parts of its bucket and of the days appended since, in which no day comes twice.
  const inOrder = found.filter(({ to, from }) => to > from).sort((a, b) => newestOf(b, day) - newestOf(a, day))
  if (inOrder.some((one, at) => at > 0 && newestOf(one, day) >= oldestOf(inOrder[at - 1]!, day))) return merged(found, day, reversed, most)
  if (reversed) {
    if (found.some(({ open }) => open)) return 'incomplete'
    const spans = inOrder
      .toReversed()
      .map(({ columns, texts, from, to }) => ({ columns, texts, from: to - 1, step: -1 as const, length: to - from }))
    return { spans, matched: spans.length > 0 }
  }
  // Where nothing matches among the newest rows of a part, older ones of it may, before the rows of another part.
  if (found.some(({ open, from, to }) => open && from === to)) return 'incomplete'
  let reach = 0
  for (const { from, to, open } of inOrder) {
    reach += to - from
    if (open && reach < most) return 'incomplete'
    if (open) break
  }
  return {
    spans: inOrder.map(({ columns, texts, from, to }) => ({ columns, texts, from, step: 1 as const, length: to - from })),
    matched: inOrder.length > 0,
  }
}

/** The rows of a run that the bounds allow. */
interface Cut extends Run {
  /** Older rows that are not in memory may match, too. */
  readonly open: boolean
}

function cut(run: Run, day: string, [first, last]: Bounds): Cut {
  const days = run.columns.get(day)!.items as Int32Array
  const from = firstUpTo(days, run.from, run.to, last)
  const to = firstUpTo(days, from, run.to, first - 1)
  return { ...run, from, to, open: !run.complete && to === run.to }
}

/** Index of the first of descending days that is not after `day`. */
function firstUpTo(days: Int32Array, from: number, to: number, day: number): number {
  let [low, high] = [from, to]
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

/** Rows of several runs, day by day; those of one day in the order of the runs. */
function merged(runs: readonly Cut[], day: string, reversed: boolean, most: number): Rows | 'incomplete' {
  if (reversed && runs.some(({ open }) => open)) return 'incomplete'
  const total = runs.reduce((sum, { from, to }) => sum + to - from, 0)
  const length = Math.min(total, most)
  const [of, rows] = [new Uint16Array(length), new Int32Array(length)]
  const days = runs.map(run => daysOf(run, day))
  const next = runs.map(({ from, to }) => (reversed ? to - 1 : from))
  const sign = reversed ? -1 : 1
  const has = (at: number): boolean => (reversed ? next[at]! >= runs[at]!.from : next[at]! < runs[at]!.to)
  const open = runs.flatMap((run, at) => (run.open ? [at] : []))
  let live = runs.flatMap((_, at) => (has(at) ? [at] : []))
  for (let count = 0; count < length; ) {
    // What is not in memory is older than what is: it may come next once a run is at its end.
    if (open.some(at => !has(at))) return 'incomplete'
    let best = Number.NEGATIVE_INFINITY
    for (const at of live) best = Math.max(best, sign * days[at]![next[at]!]!)
    let ended = false
    for (const at of live) {
      if (count === length || sign * days[at]![next[at]!]! !== best) continue
      of[count] = at
      rows[count++] = next[at]!
      next[at]! += sign
      ended ||= !has(at)
    }
    if (ended) live = live.filter(has)
  }
  if (length < most && runs.some(({ open }) => open)) return 'incomplete'
  return { spans: [{ sources: runs.map(({ columns }) => columns), of, rows, length }], matched: total > 0 }
}
