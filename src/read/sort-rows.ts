import type { Dataset } from '../../catalog/index.ts'
import { isValid, textBytes } from '../engine/index.ts'
import { type Run, type StoredColumns, textAt } from '../row-cache/index.ts'
import { type BoundFilter, isRange, KNOWN_BY } from './filters.ts'
import type { MatchingRows } from './gather.ts'
import type { ReadPlan } from './plan.ts'

/** Sorting this many rows in memory takes 1 to 2 ms. */
const MOST_SORTED = 20_000

const DAY_MS = 86_400_000

/** Converts a valid day to days since 1970. */
export const dayNumber = (day: string): number => Date.parse(day) / DAY_MS

/**
 * @returns undefined if there are too many rows, or if only the engine can compare the values;
 * `incomplete` if some rows are not in memory
 */
export function sortRows(
  { dataset, order }: ReadPlan,
  runs: readonly Run[],
  filters: readonly BoundFilter[],
): MatchingRows | 'incomplete' | undefined {
  if (runs.reduce((sum, { from, to }) => sum + to - from, 0) > MOST_SORTED) return undefined
  if (!filters.every(filter => isComparable(dataset, filter))) return undefined
  if (runs.some(({ complete }) => !complete)) return 'incomplete'
  const matching = rowsPassing(runs, filters).map(row => ({
    ...row,
    values: order.map(([name]) => sortValue(row.columns, name, row.index)),
  }))
  const signs = order.map(([, direction]) => (direction === 'asc' ? 1 : -1))
  matching.sort((a, b) => {
    for (const [index, sign] of signs.entries()) {
      const left = a.values[index]!
      const right = b.values[index]!
      if (left === null || right === null) {
        if (left !== right) return left === null ? 1 : -1
        continue
      }
      const difference = compare(left, right)
      if (difference !== 0) return sign * difference
    }
    return 0
  })
  const sources = [...new Set(runs.map(({ columns }) => columns))]
  return {
    spans: [
      {
        sources,
        sourceOf: Uint16Array.from(matching, ({ columns }) => sources.indexOf(columns)),
        rows: Int32Array.from(matching, ({ index }) => index),
        length: matching.length,
      },
    ],
    matched: matching.length > 0,
  }
}

/** Only the engine can convert types or letter case. */
function isComparable({ columns, filters }: Dataset, filter: BoundFilter): boolean {
  const { param, column, also, op } = filter
  if (isRange(filter) || op === KNOWN_BY) return true
  if (filters[param]!.fold === 'tai') return false
  const types = [column, ...(also === undefined ? [] : [also])].map(name => columns[name]!.type)
  if (op === 'from' || op === 'to') return types.every(type => type === 'date')
  return types.every(type => type === types[0] && (type === 'text' || (type === 'date' && op === 'eq')))
}

interface RowRef {
  readonly columns: StoredColumns
  readonly index: number
}

/** `first_of` selects the first value that exists in the requested periods. */
function rowsPassing(runs: readonly Run[], filters: readonly BoundFilter[]): readonly RowRef[] {
  const all = runs.flatMap(({ columns, from, to }) =>
    Array.from({ length: to - from }, (_, offset): RowRef => ({ columns, index: from + offset })),
  )
  const passes = (row: RowRef, subset: readonly BoundFilter[]): boolean => subset.every(filter => isPassed(row, filter))
  const firstOf = filters.find(({ op }) => op === 'first_of')
  const others = filters.filter(filter => filter !== firstOf)
  if (!firstOf) return all.filter(row => passes(row, others))
  const inPeriods = all.filter(row =>
    passes(
      row,
      filters.filter(({ op }) => op === 'period' || op === KNOWN_BY),
    ),
  )
  const has = (row: RowRef, value: string): boolean => textOf(row, firstOf.column) === value
  const first = firstOf.values.find(value => inPeriods.some(row => has(row, value)))
  return first === undefined ? [] : all.filter(row => has(row, first) && passes(row, others))
}

const textOf = ({ columns, index }: RowRef, name: string): string | null => {
  const column = columns.get(name)!
  return isValid({ valid: column.valid, from: 0 }, index) ? textAt(column, index) : null
}

function isPassed(row: RowRef, filter: BoundFilter): boolean {
  const { column, also } = filter
  return isPassedBy(row, filter, column) || (also !== undefined && isPassedBy(row, filter, also))
}

function isPassedBy({ columns, index }: RowRef, { op, values }: BoundFilter, name: string): boolean {
  const column = columns.get(name)!
  if (!isValid({ valid: column.valid, from: 0 }, index)) return op === KNOWN_BY
  if (column.dictionary) return values.includes(textAt(column, index))
  const value = column.items[index] as number
  if (op === 'at_least') return value >= Number(values[0])
  if (op === 'at_most') return value <= Number(values[0])
  if (op === 'below') return value < Number(values[0])
  const requestedDay = dayNumber(values[0]!)
  if (op === 'from') return value >= requestedDay
  return op === 'to' || op === KNOWN_BY ? value <= requestedDay : value === requestedDay
}

/** Text is compared by bytes. */
const sortValue = (columns: StoredColumns, name: string, index: number): number | Buffer | null => {
  const { items, valid, dictionary } = columns.get(name)!
  if (!isValid({ valid, from: 0 }, index)) return null
  return dictionary ? textBytes(dictionary, items[index] as number) : (items[index] as number)
}

const compare = (left: number | Buffer, right: number | Buffer): number =>
  typeof left === 'number' ? left - (right as number) : Buffer.compare(left, right as Buffer)
