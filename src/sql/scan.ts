import { creditsOfRows, type Dataset, type PlanId, type Priced, STORED, virtualColumns } from '../../catalog/index.ts'
import { isDay } from '../core/index.ts'
import { type BoundValue, type BoundValues, fromParts, literal, quote } from '../engine/index.ts'
import { type AsOf, type BoundFilter, chooseParts, maxMatchingRows } from '../read/index.ts'
import type { Release } from '../releases/index.ts'
import type { CheckedQuery } from './check.ts'
import type { Condition, Operand } from './conditions.ts'

/** A view that queries can read. It contains the rows of one dataset. */
export interface SqlView {
  /** Slug of the dataset, with `_` instead of `-`. */
  readonly name: string
  readonly dataset: Dataset
  /** Lowest plan that may read the view, and price in credits per page of scanned rows. */
  readonly access: NonNullable<Priced['access']>
}

/** The rows of one dataset that a query may scan. */
export interface Scan {
  readonly view: SqlView
  readonly release: Release
  readonly files: readonly string[]
  readonly definition: string
  /** Number of rows for which the query is charged. */
  readonly rows: number
}

export const viewName = (slug: string): string => slug.replaceAll('-', '_')

/**
 * Plans the scan of one dataset: the parts that may contain a matching row, and the number of rows
 * to charge.
 *
 * A query can use a dataset several times. The charged rows are the sum over these uses, but at
 * most the rows of the release. If a use has a condition on the key, the rows of these keys are
 * counted. Otherwise the rows of the parts for the requested days are counted. The view contains
 * only these parts, so a query cannot read rows that are not charged.
 *
 * @param asOf excludes rows announced after this day; null if not sent
 */
export function planScan(view: SqlView, release: Release, { uses }: CheckedQuery, values: BoundValues, asOf: AsOf | null): Scan {
  const { dataset } = view
  const filters = uses.filter(use => use.view === view.name).map(({ conditions }) => filtersOf(conditions, dataset, values))
  const rows = filters.reduce((sum, each) => sum + matchingRows(release, each), 0)
  const files = chooseParts(release, unionOf(filters))
  const where = asOf && dataset.knownAt !== undefined ? knownBy(dataset.knownAt, asOf.day) : null
  return { view, release, files, definition: definitionOf(view, files, where), rows: Math.min(rows, release.manifest.statistics.rows) }
}

/**
 * Returns the price of a query in credits. For each dataset, every page of rows is charged,
 * including the incomplete last page. The size of a page is the row limit of the plan.
 */
export const creditsOf = (scans: readonly Scan[], plan: PlanId): number =>
  Math.max(
    1,
    scans.reduce((sum, { view, rows }) => sum + creditsOfRows({ ...view.dataset, access: view.access }, plan, rows), 0),
  )

/** Maximum number of keys in a condition for which rows are counted per key. */
const MOST_KEYS = 1_000

function matchingRows(release: Release, filters: readonly BoundFilter[]): number {
  const keys = filters.find(({ op }) => op === 'in')?.values
  const ofParts = maxMatchingRows(release, filters)
  if (!keys || keys.length > MOST_KEYS) return ofParts
  return Math.min(
    ofParts,
    keys.reduce((sum, key) => sum + (release.spanOf(key)?.[2] ?? 0), 0),
  )
}

/**
 * Converts conditions on the key column or date column to filters. Other conditions are ignored.
 */
function filtersOf(conditions: readonly Condition[], { key, date }: Dataset, values: BoundValues): readonly BoundFilter[] {
  return conditions.flatMap(({ column, op, values: operands }): readonly BoundFilter[] => {
    const texts = operands.map(operand => boundValue(operand, values))
    if (!texts.every(text => typeof text === 'string')) return []
    if (column === key && op === 'in') return [{ param: column, column, op, values: [...new Set(texts)] }]
    if (column !== date || !texts.every(isDay)) return []
    const days = texts.toSorted()
    const from: BoundFilter = { param: column, column, op: 'from', values: [days[0]!] }
    const to: BoundFilter = { param: column, column, op: 'to', values: [days.at(-1)!] }
    return op === 'in' ? [from, to] : op === 'from' ? [from] : [to]
  })
}

function boundValue(operand: Operand, values: BoundValues): BoundValue | undefined {
  if ('text' in operand) return operand.text
  return Array.isArray(values) ? values[Number(operand.parameter) - 1] : (values as Readonly<Record<string, BoundValue>>)[operand.parameter]
}

/**
 * Combines the filters of several uses. A row that passes the filters of any use passes the
 * combined filters.
 */
function unionOf(uses: readonly (readonly BoundFilter[])[]): readonly BoundFilter[] {
  if (uses.length === 1) return uses[0]!
  const widest = (op: 'from' | 'to'): readonly BoundFilter[] => {
    const bounds = uses.map(filters =>
      filters
        .filter(filter => filter.op === op)
        .map(({ values }) => values[0]!)
        .sort()
        .at(op === 'from' ? -1 : 0),
    )
    const [first] = uses.flatMap(filters => filters.filter(filter => filter.op === op))
    const days = bounds.flatMap(day => day ?? []).sort()
    return first && days.length === uses.length ? [{ ...first, values: [days.at(op === 'from' ? 0 : -1)!] }] : []
  }
  const keyFilters = uses.map(filters => filters.find(({ op }) => op === 'in'))
  const [firstKeys] = keyFilters
  const keys = keyFilters.every(filter => filter !== undefined)
    ? [{ ...firstKeys!, values: [...new Set(keyFilters.flatMap(filter => filter!.values))] }]
    : []
  return [...keys, ...widest('from'), ...widest('to')]
}

/** @param day a day in the format that `isDay` accepts */
const knownBy = (column: string, day: string): string => `${quote(column)} IS NULL OR ${quote(column)} <= ${literal(day)}::DATE`

/**
 * Returns the SQL definition of a view. Only columns of the catalog are selected, because the
 * Parquet reader adds columns such as the file name. Timestamps are cast, because parts of earlier
 * versions store timestamps without a time zone.
 */
function definitionOf({ name, dataset }: SqlView, files: readonly string[], where: string | null): string {
  const virtual = new Map(virtualColumns(dataset))
  const columns = Object.entries(dataset.columns).map(([column, { type }]) => {
    const expression = virtual.get(column)
    if (files.length === 0) return `NULL::${STORED[type]} AS ${quote(column)}`
    if (expression !== undefined) return `${expression} AS ${quote(column)}`
    return type === 'timestamp' ? `${quote(column)}::${STORED.timestamp} AS ${quote(column)}` : quote(column)
  })
  const from = files.length === 0 ? 'WHERE false' : `FROM ${fromParts(files)}${where === null ? '' : ` WHERE ${where}`}`
  return `CREATE VIEW ${quote(name)} AS SELECT ${columns.join(', ')} ${from}`
}
