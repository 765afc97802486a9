import type { Column, ColumnType } from '../../catalog/index.ts'
import { type Fault, parameterRefusal, taipeiText } from '../core/index.ts'
import { type Chunk, isValid, quote, type Reads, type Statement } from '../engine/index.ts'
import { dayEdges, numberEdges } from './bins.ts'
import { fault } from './filters.ts'
import type { ReadPlan } from './plan.ts'
import { type Bind, matchingRows } from './select-rows.ts'

export const MOST_VALUES = 20

export type Cell = string | number | boolean

/** Counts values from `from` (inclusive) to `to` (exclusive). */
export interface Bin {
  readonly from: string | number
  readonly to: string | number
  readonly count: number
}

/** All numbers are exact. */
export interface ColumnProfile {
  readonly name: string
  readonly column: Column
  /** Number of values that are not null. */
  readonly count: number
  readonly nulls: number
  readonly distinct: number
  /** Text is compared by bytes. Null for JSON columns, and if all values are null. */
  readonly min: Cell | null
  readonly max: Cell | null
  /**
   * Ascending bins without gaps. Null for columns without numbers or dates, and for numbers too
   * large for round edges.
   */
  readonly histogram: readonly Bin[] | null
  /**
   * Most frequent values first. Null for other types than text and boolean. Equally frequent values
   * are in byte order.
   */
  readonly top: readonly { readonly value: Cell; readonly count: number }[] | null
  /** Counts of the values that `top` omits: distinct values, and rows. Null if `top` is null. */
  readonly others: { readonly values: number; readonly count: number } | null
}

export interface RowsProfile {
  readonly rows: number
  readonly columns: readonly ColumnProfile[]
}

/**
 * Computes column statistics in two scans.
 * @param plan `limit` is the maximum number of rows
 * @throws Refusal invalid_parameter if more rows match; errors of `Reads`
 */
export async function profileRows(plan: ReadPlan, reads: Reads): Promise<RowsProfile> {
  const read = <T>(statement: Statement, use: (cell: (column: number) => string | null) => T): Promise<readonly T[]> =>
    reads.read(statement, chunks => chunks.flatMap(chunk => rowsOf(chunk, use)), plan.limits.queueKey)
  const { dataset, columns: names, limit } = plan
  if (plan.unknown?.isAll || plan.parts().length === 0)
    return { rows: 0, columns: names.map(name => profileOf(name, dataset.columns[name]!, NOTHING, [], [])) }
  const unordered = await read(selectMeasures(plan), cell => ({
    column: Number(cell(0)),
    rows: Number(cell(1)),
    count: Number(cell(2)),
    distinct: Number(cell(3)),
    min: cell(4),
    max: cell(5),
  }))
  const measures = names.map((_, index) => unordered.find(({ column }) => column === index)!)
  const { rows } = measures[0]!
  if (rows > limit) throw parameterRefusal(dataset, [tooMany(plan)])
  const edges = names.map((name, index) => edgesOf(dataset.columns[name]!.type, measures[index]!))
  const distribution = selectDistribution(plan, edges)
  const groups = distribution
    ? await read(distribution, cell => ({ column: Number(cell(0)), value: cell(1)!, count: Number(cell(2)) }))
    : []
  const columns = names.map((name, index) =>
    profileOf(
      name,
      dataset.columns[name]!,
      measures[index]!,
      edges[index]!,
      groups.filter(({ column }) => column === index),
    ),
  )
  return { rows, columns }
}

/** Results of the first scan. `min` and `max` are text, or null if all values are null. */
interface Measures {
  readonly rows: number
  readonly count: number
  readonly distinct: number
  readonly min: string | null
  readonly max: string | null
}

/** `value` is a value of `top` or the number of a bin. */
interface Group {
  readonly value: string
  readonly count: number
}

const NOTHING: Measures = { rows: 0, count: 0, distinct: 0, min: null, max: null }

/** The rows are materialized, so that the files are scanned only once. */
function matching(plan: ReadPlan, bind: Bind): string {
  const columns = plan.columns.map(name => `t.${quote(name)}`).join(', ')
  return `WITH m AS MATERIALIZED (SELECT ${columns} ${matchingRows(plan, bind)} LIMIT ${bind(plan.limit + 1)}::BIGINT)`
}

/** Converts a value to text without loss of precision. */
const asText = (cell: string, type: ColumnType): string => (type === 'timestamp' ? `epoch_us(${cell})::VARCHAR` : `${cell}::VARCHAR`)

function selectMeasures(plan: ReadPlan): Statement {
  const values: (string | number)[] = []
  const bind: Bind = value => `$${values.push(value)}`
  const rows = matching(plan, bind)
  const measures = plan.columns.map((name, index) => {
    const cell = quote(name)
    const { type } = plan.dataset.columns[name]!
    const end = (which: 'min' | 'max'): string => (type === 'json' ? 'NULL' : asText(`${which}(${cell})`, type))
    const counts = ['count(*)', `count(${cell})`, `count(DISTINCT ${cell})`].map(count => `${count}::VARCHAR`).join(', ')
    return `SELECT '${index}', ${counts}, ${end('min')}, ${end('max')} FROM m`
  })
  return { text: `${rows}\n${measures.join('\nUNION ALL\n')}`, values, once: true }
}

const LISTED: ReadonlySet<ColumnType> = new Set(['text', 'boolean'])

/** Undefined if no column has a histogram or a list of frequent values. */
function selectDistribution(plan: ReadPlan, edges: readonly (readonly (string | number)[])[]): Statement | undefined {
  const values: (string | number)[] = []
  const bind: Bind = value => `$${values.push(value)}`
  const rows = matching(plan, bind)
  const groups = plan.columns.flatMap((name, index) => {
    const cell = quote(name)
    const { type } = plan.dataset.columns[name]!
    const from = `FROM m WHERE ${cell} IS NOT NULL GROUP BY ${cell}`
    if (LISTED.has(type))
      return [`(SELECT '${index}', ${cell}::VARCHAR, count(*)::VARCHAR ${from} ORDER BY count(*) DESC, ${cell} LIMIT ${MOST_VALUES})`]
    // The last bin needs no comparison, because all values are below the last edge.
    const inner = edges[index]!.slice(1, -1)
    if (edges[index]!.length === 0) return []
    const bins = inner.map((edge, bin) => `WHEN ${cell} < ${bind(edge)}${type === 'date' ? '::DATE' : ''} THEN ${bin}`)
    const bin = bins.length > 0 ? `CASE ${bins.join(' ')} ELSE ${inner.length} END` : '0'
    return [`(SELECT '${index}', (${bin})::VARCHAR AS bin, count(*)::VARCHAR FROM m WHERE ${cell} IS NOT NULL GROUP BY bin)`]
  })
  return groups.length > 0 ? { text: `${rows}\n${groups.join('\nUNION ALL\n')}`, values, once: true } : undefined
}

function edgesOf(type: ColumnType, { min, max }: Measures): readonly (string | number)[] {
  if (min === null || max === null) return []
  if (type === 'date') return dayEdges(min, max)
  return type === 'number' || type === 'integer' ? numberEdges(Number(min), Number(max), type === 'integer') : []
}

function profileOf(
  name: string,
  column: Column,
  { rows, count, distinct, min, max }: Measures,
  edges: readonly (string | number)[],
  groups: readonly Group[],
): ColumnProfile {
  const { type } = column
  const counts = new Map(groups.map(group => [group.value, group.count]))
  const bins = edges.slice(1).map((to, bin) => ({ from: edges[bin]!, to, count: counts.get(String(bin)) ?? 0 }))
  const top = LISTED.has(type) ? groups.toSorted(byCount).map(group => ({ ...group, value: cellOf(group.value, type) })) : null
  const listed = (top ?? []).reduce((sum, group) => sum + group.count, 0)
  return {
    name,
    column,
    count,
    nulls: rows - count,
    distinct,
    min: min === null ? null : cellOf(min, type),
    max: max === null ? null : cellOf(max, type),
    histogram: bins.length > 0 ? bins : null,
    top: top?.map(({ value, count }) => ({ value, count })) ?? null,
    others: top && { values: distinct - top.length, count: count - listed },
  }
}

const byCount = (a: Group, b: Group): number => b.count - a.count || Buffer.compare(Buffer.from(a.value), Buffer.from(b.value))

function cellOf(text: string, type: ColumnType): Cell {
  if (type === 'number' || type === 'integer') return Number(text)
  if (type === 'boolean') return text === 'true'
  return type === 'timestamp' ? taipeiText(Number(text)) : text
}

function rowsOf<T>(chunk: Chunk, use: (cell: (column: number) => string | null) => T): readonly T[] {
  return Array.from({ length: chunk.rows }, (_, row) =>
    use(index => {
      const column = chunk.column(index)
      return isValid(column, row) ? column.text(row) : null
    }),
  )
}

/** Suggests filters on key and date. */
function tooMany({ dataset: { filters, key, date }, limit }: ReadPlan): Fault {
  const names = Object.keys(filters)
  const narrowing = [key, date].flatMap(column => names.filter(name => filters[name]!.column === column))
  const [param = names[0] ?? 'columns'] = narrowing
  const words = {
    en: `more than ${limit} rows match, the maximum for a profile: narrow them by ${narrowing.join(', ') || param}`,
    zh: `符合條件的資料超過 ${limit} 列，超出單次統計上限；請以 ${narrowing.join('、') || param} 縮小範圍`,
  }
  return fault(param, words, 'range')
}
