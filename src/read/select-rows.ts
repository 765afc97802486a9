import { type Column, type Dataset, virtualColumns } from '../../catalog/index.ts'
import { fromParts, literal, quote, type Statement } from '../engine/index.ts'
import { type BoundFilter, isRange, KNOWN_BY } from './filters.ts'
import { chooseParts } from './parts.ts'
import type { ReadPlan } from './plan.ts'
import { type RowRange, rowRangesOf } from './row-ranges.ts'

/**
 * Builds the SELECT statement. Identifiers come from the catalog, values are bound. Selects one row
 * more than the limit, to detect a next page.
 * @param columns columns to send, then the other columns that the response needs
 */
export function selectRows(plan: ReadPlan, columns: readonly string[]): Statement {
  const { order, limit, offset } = plan
  const values: (string | number)[] = []
  const bind: Bind = value => `$${values.push(value)}`
  const text = [
    `SELECT ${columns.map(name => `t.${quote(name)}`).join(', ')}`,
    matchingRows(plan, bind),
    `ORDER BY ${order.map(([name, direction]) => `t.${quote(name)} ${direction.toUpperCase()} NULLS LAST`).join(', ')}`,
    `LIMIT ${bind(limit + 1)}::BIGINT OFFSET ${bind(offset)}::BIGINT`,
  ].join('\n')
  return { text, values }
}

/** @returns the placeholder */
export type Bind = (value: string | number) => string

/**
 * Returns the FROM and WHERE clauses. The alias of the rows is `t`. The plan must have at least one
 * file.
 */
export function matchingRows(plan: ReadPlan, bind: Bind): string {
  const { dataset, filters } = plan
  const conditions = filters.map(filter => (filter.op === 'first_of' ? firstOf(filter, plan, bind) : condition(filter, dataset, bind)))
  return [`FROM ${rowsOf(plan, bind)} AS t`, ...(conditions.length > 0 ? [`WHERE ${conditions.join(' AND ')}`] : [])].join('\n')
}

function rowsOf(plan: ReadPlan, bind: Bind): string {
  const ranges = rowRangesOf(plan)
  if (!ranges) return rowsIn(plan.parts(), plan.dataset)
  return withComputed(`(${ranges.map(range => rowsBetween(range, bind)).join(' UNION ALL BY NAME ')})`, plan.dataset)
}

function rowsBetween({ parts, rows }: RowRange, bind: Bind): string {
  if (!rows) return `FROM ${fromParts(parts)}`
  return `FROM ${fromParts(parts, ROW_NUMBER)} WHERE ${ROW_NUMBER} BETWEEN ${bind(rows.first)} AND ${bind(rows.last)}`
}

/** Option of DuckDB's `read_parquet`. The option adds a column of the same name. */
const ROW_NUMBER = 'file_row_number'

const rowsIn = (parts: readonly string[], dataset: Dataset): string => withComputed(fromParts(parts), dataset)

function withComputed(rows: string, dataset: Dataset): string {
  const computed = virtualColumns(dataset).map(([name, expression]) => `, ${expression} AS ${quote(name)}`)
  return computed.length > 0 ? `(SELECT *${computed.join('')} FROM ${rows})` : rows
}

const COMPARE = { eq: '=', from: '>=', to: '<=', at_least: '>=', at_most: '<=', below: '<' } as const

function condition(filter: BoundFilter, dataset: Dataset, bind: Bind): string {
  const { column, also, op, values } = filter
  const value = (text: string): string =>
    `${bind(text)}${isRange(filter) ? asNumber(dataset.columns[column]!) : cast(dataset.columns[column]!)}`
  if (op === KNOWN_BY) return knownBy(filter, 't', bind)
  if (op === 'in' || op === 'period') return `t.${quote(column)} IN (${values.map(value).join(', ')})`
  const fold = dataset.filters[filter.param]?.fold
  const cell = (name: string): string => (fold === 'tai' ? `replace(t.${quote(name)}, '臺', '台')` : `t.${quote(name)}`)
  const comparison = (name: string): string => `${cell(name)} ${COMPARE[op as keyof typeof COMPARE]} ${value(values[0]!)}`
  return also === undefined ? comparison(column) : `(${comparison(column)} OR ${comparison(also)})`
}

/** Accepts rows that were announced by the requested day, or whose announcement day is unknown. */
const knownBy = ({ column, values }: BoundFilter, row: string, bind: Bind): string =>
  `(${row}.${quote(column)} IS NULL OR ${row}.${quote(column)} <= ${bind(values[0]!)}::DATE)`

/**
 * `first_of` has values in order of preference. A row passes if its value is the first that exists
 * for the key and the periods. Ignores the filter on days, so the subquery reads the files of all
 * days.
 */
function firstOf({ column, values }: BoundFilter, { dataset, release, filters }: ReadPlan, bind: Bind): string {
  const available = filters.filter(({ column: name, op }) => (name === dataset.key && op === 'eq') || op === 'period' || op === KNOWN_BY)
  const parts = chooseParts(release!, available)
  const where = available.map(other =>
    other.op === KNOWN_BY ? knownBy(other, 'u', bind) : `u.${quote(other.column)} IN (${other.values.map(bind).join(', ')})`,
  )
  const ranked = `list_position([${values.map(literal).join(', ')}], u.${quote(column)})`
  return `t.${quote(column)} = (SELECT u.${quote(column)} FROM ${rowsIn(parts, dataset)} AS u WHERE ${[...where, `${ranked} IS NOT NULL`].join(' AND ')} ORDER BY ${ranked} LIMIT 1)`
}

const asNumber = ({ type }: Column): string => (type === 'integer' ? '::BIGINT' : '::DOUBLE')

const cast = ({ type }: Column): string => (type === 'date' ? '::DATE' : '')
