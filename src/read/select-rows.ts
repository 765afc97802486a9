import { type Column, type Dataset, virtualColumns } from '../../catalog/index.ts'
import { fromParts, literal, quote, type Statement } from '../engine/index.ts'
import { type BoundFilter, isRange } from './filters.ts'
import { chooseParts } from './parts.ts'
import type { ReadPlan } from './plan.ts'
import { type RowRange, rowRangesOf } from './row-ranges.ts'

/**
 * Builds the SELECT of a plan with at least one part. Identifiers come from the catalog and are quoted; values are bound, so the text
 * depends only on which parameters were sent and on the parts. It selects one row more than the limit: its presence means that another page
 * follows. Where the rows of the named keys lie is bound beside the condition on the keys, so it can never add a row.
 *
 * @param columns the plan's columns, then those the envelope measures
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

/** Binds a value. @returns its placeholder */
export type Bind = (value: string | number) => string

/** FROM and WHERE of a plan with at least one part: every row that passes its filters, as `t`. */
export function matchingRows(plan: ReadPlan, bind: Bind): string {
  const { dataset, filters } = plan
  const where = filters.map(filter => (filter.op === 'first_of' ? firstOf(filter, plan, bind) : condition(filter, dataset, bind)))
  return [`FROM ${rowsOf(plan, bind)} AS t`, ...(where.length > 0 ? [`WHERE ${where.join(' AND ')}`] : [])].join('\n')
}

/** The rows of the plan's parts, as far as they may be answered. */
function rowsOf(plan: ReadPlan, bind: Bind): string {
  const ranges = rowRangesOf(plan)
  if (!ranges) return rowsIn(plan.parts, plan.dataset)
  return withComputed(`(${ranges.map(range => rowsBetween(range, bind)).join(' UNION ALL BY NAME ')})`, plan.dataset)
}

function rowsBetween({ parts, rows }: RowRange, bind: Bind): string {
  if (!rows) return `FROM ${fromParts(parts)}`
  return `FROM ${fromParts(parts, ROW_NUMBER)} WHERE ${ROW_NUMBER} BETWEEN ${bind(rows.first)} AND ${bind(rows.last)}`
}

/** Option of the engine's reader that adds a column of this name: the number of a row in its file, from 0. */
const ROW_NUMBER = 'file_row_number'

/** The rows of the parts. */
const rowsIn = (parts: readonly string[], dataset: Dataset): string => withComputed(fromParts(parts), dataset)

/** Adds the columns that no part stores. */
function withComputed(rows: string, dataset: Dataset): string {
  const computed = virtualColumns(dataset).map(([name, expression]) => `, ${expression} AS ${quote(name)}`)
  return computed.length > 0 ? `(SELECT *${computed.join('')} FROM ${rows})` : rows
}

const COMPARE = { eq: '=', from: '>=', to: '<=', at_least: '>=', at_most: '<=', below: '<' } as const

function condition(filter: BoundFilter, dataset: Dataset, bind: Bind): string {
  const { column, also, op, values } = filter
  const value = (text: string): string =>
    `${bind(text)}${isRange(filter) ? asNumber(dataset.columns[column]!) : cast(dataset.columns[column]!)}`
  if (op === 'in' || op === 'period') return `t.${quote(column)} IN (${values.map(value).join(', ')})`
  const fold = dataset.filters[filter.param]?.fold
  const cell = (name: string): string => (fold === 'tai' ? `replace(t.${quote(name)}, '臺', '台')` : `t.${quote(name)}`)
  const one = (name: string): string => `${cell(name)} ${COMPARE[op as keyof typeof COMPARE]} ${value(values[0]!)}`
  return also === undefined ? one(column) : `(${one(column)} OR ${one(also)})`
}

/**
 * The column equals the first of the values that the same key has in the requested periods, whatever days are asked for: so it looks into
 * the parts of every day.
 */
function firstOf({ column, values }: BoundFilter, { dataset, release, filters }: ReadPlan, bind: Bind): string {
  const available = filters.filter(({ column: name, op }) => (name === dataset.key && op === 'eq') || op === 'period')
  const parts = chooseParts(release!, available)
  const where = available.map(other => `u.${quote(other.column)} IN (${other.values.map(bind).join(', ')})`)
  const ranked = `list_position([${values.map(literal).join(', ')}], u.${quote(column)})`
  return `t.${quote(column)} = (SELECT u.${quote(column)} FROM ${rowsIn(parts, dataset)} AS u WHERE ${[...where, `${ranked} IS NOT NULL`].join(' AND ')} ORDER BY ${ranked} LIMIT 1)`
}

/** Text of a number as the very type the column has. */
const asNumber = ({ type }: Column): string => (type === 'integer' ? '::BIGINT' : '::DOUBLE')

const cast = ({ type }: Column): string => (type === 'date' ? '::DATE' : '')
