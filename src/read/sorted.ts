import type { Dataset } from '../../catalog/index.ts'
import { isValid, textBytes } from '../engine/index.ts'
import { type Run, type StoredColumns, textAt } from '../row-cache/index.ts'
import { type BoundFilter, isRange } from './filters.ts'
import type { Rows } from './gather.ts'
import type { ReadPlan } from './plan.ts'

/** Rows that are looked at one by one, at most: a millisecond's worth or two. */
const MOST_LOOKED_AT = 20_000

const DAY_MS = 86_400_000

/** Days since 1970 of a valid day. */
export const dayNumber = (day: string): number => Date.parse(day) / DAY_MS

/**
 * Rows of runs that pass any filters, in any order of columns. Every row of the runs is looked at.
 *
 * @returns undefined where there are too many, or the engine compares otherwise than this can; `incomplete` where rows are not in memory
 */
export function sorted(
  { dataset, order }: ReadPlan,
  runs: readonly Run[],
  filters: readonly BoundFilter[],
): Rows | 'incomplete' | undefined {
  if (runs.reduce((sum, { from, to }) => sum + to - from, 0) > MOST_LOOKED_AT) return undefined
  if (!filters.every(filter => isComparable(dataset, filter))) return undefined
  if (runs.some(({ complete }) => !complete)) return 'incomplete'
  const matching = chosen(runs, filters).map(row => ({ ...row, values: order.map(([name]) => sortValue(row.columns, name, row.at)) }))
  const signs = order.map(([, direction]) => (direction === 'asc' ? 1 : -1))
  matching.sort((a, b) => {
    for (const [index, sign] of signs.entries()) {
      const [one, other] = [a.values[index]!, b.values[index]!]
      if (one === null || other === null) {
        if (one !== other) return one === null ? 1 : -1
        continue
      }
      const difference = compare(one, other)
      if (difference !== 0) return sign * difference
    }
    return 0
  })
  const sources = [...new Set(runs.map(({ columns }) => columns))]
  return {
    spans: [
      {
        sources,
        of: Uint16Array.from(matching, ({ columns }) => sources.indexOf(columns)),
        rows: Int32Array.from(matching, ({ at }) => at),
        length: matching.length,
      },
    ],
    matched: matching.length > 0,
  }
}

/** Text is compared with text, days with days, and ends of ranges with numbers; the engine converts between other types, and folds characters. */
function isComparable({ columns, filters }: Dataset, filter: BoundFilter): boolean {
  const { param, column, also, op } = filter
  if (isRange(filter)) return true
  if (filters[param]!.fold === 'tai') return false
  const types = [column, ...(also === undefined ? [] : [also])].map(name => columns[name]!.type)
  if (op === 'from' || op === 'to') return types.every(type => type === 'date')
  return types.every(type => type === types[0] && (type === 'text' || (type === 'date' && op === 'eq')))
}

interface RowAt {
  readonly columns: StoredColumns
  readonly at: number
}

/** The rows that pass every filter. `first_of` takes the first of its values that rows of the requested periods have, whatever else is asked. */
function chosen(runs: readonly Run[], filters: readonly BoundFilter[]): readonly RowAt[] {
  const all = runs.flatMap(({ columns, from, to }) =>
    Array.from({ length: to - from }, (_, index): RowAt => ({ columns, at: from + index })),
  )
  const passes = (row: RowAt, some: readonly BoundFilter[]): boolean => some.every(filter => isPassed(row, filter))
  const firstOf = filters.find(({ op }) => op === 'first_of')
  const others = filters.filter(filter => filter !== firstOf)
  if (!firstOf) return all.filter(row => passes(row, others))
  const ofPeriods = all.filter(row =>
    passes(
      row,
      filters.filter(({ op }) => op === 'period'),
    ),
  )
  const has = (row: RowAt, value: string): boolean => textOf(row, firstOf.column) === value
  const first = firstOf.values.find(value => ofPeriods.some(row => has(row, value)))
  return first === undefined ? [] : all.filter(row => has(row, first) && passes(row, others))
}

const textOf = ({ columns, at }: RowAt, name: string): string | null => {
  const column = columns.get(name)!
  return isValid({ valid: column.valid, from: 0 }, at) ? textAt(column, at) : null
}

function isPassed(row: RowAt, filter: BoundFilter): boolean {
  const { column, also } = filter
  return isPassedBy(row, filter, column) || (also !== undefined && isPassedBy(row, filter, also))
}

function isPassedBy({ columns, at }: RowAt, { op, values }: BoundFilter, name: string): boolean {
  const column = columns.get(name)!
  if (!isValid({ valid: column.valid, from: 0 }, at)) return false
  if (column.dictionary) {
    return values.includes(textAt(column, at))
  }
  const value = column.items[at] as number
  if (op === 'at_least') return value >= Number(values[0])
  if (op === 'at_most') return value <= Number(values[0])
  if (op === 'below') return value < Number(values[0])
  const [day, asked] = [value, dayNumber(values[0]!)]
  return op === 'from' ? day >= asked : op === 'to' ? day <= asked : day === asked
}

/** A value to sort by; text as its bytes. */
const sortValue = (columns: StoredColumns, name: string, at: number): number | Buffer | null => {
  const { items, valid, dictionary } = columns.get(name)!
  if (!isValid({ valid, from: 0 }, at)) return null
  return dictionary ? textBytes(dictionary, items[at] as number) : (items[at] as number)
}

const compare = (one: number | Buffer, other: number | Buffer): number =>
  typeof one === 'number' ? one - (other as number) : Buffer.compare(one, other as Buffer)
