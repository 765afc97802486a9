import { creditsOfRows, type Dataset, type PlanId, type Priced, STORED, virtualColumns } from '../../catalog/index.ts'
import { isDay } from '../core/index.ts'
import { type BoundValue, type BoundValues, fromParts, literal, quote } from '../engine/index.ts'
import { type AsOf, type BoundFilter, chooseParts, maxMatchingRows } from '../read/index.ts'
import type { Release } from '../releases/index.ts'
import type { CheckedQuery } from './check.ts'
import type { Condition, Operand } from './conditions.ts'

export interface SqlView {
  /** Slug with `_` instead of `-`. */
  readonly name: string
  readonly dataset: Dataset
  /** Lowest plan, and price in credits per page of rows. */
  readonly access: NonNullable<Priced['access']>
}

export interface Scan {
  readonly view: SqlView
  readonly release: Release
  readonly files: readonly string[]
  readonly definition: string
  readonly rows: number
}

export const viewName = (slug: string): string => slug.replaceAll('-', '_')

/**
 * Selects the Parquet files to read, and counts the rows to charge. Queries cannot read other
 * files.
 *
 * @param asOf last day on which a row may have been announced. Null for no limit
 */
export function planScan(view: SqlView, release: Release, { uses }: CheckedQuery, values: BoundValues, asOf: AsOf | null): Scan {
  const { dataset } = view
  const filters = uses.filter(use => use.view === view.name).map(({ conditions }) => filtersOf(conditions, dataset, values))
  const rows = filters.reduce((sum, each) => sum + matchingRows(release, each), 0)
  const files = chooseParts(release, unionOf(filters))
  const where = asOf && dataset.knownAt !== undefined ? knownBy(dataset.knownAt, asOf.day) : null
  return { view, release, files, definition: definitionOf(view, files, where), rows: Math.min(rows, release.manifest.statistics.rows) }
}

/** Charges each started page of rows per dataset. The plan determines the size of a page. */
export const creditsOf = (scans: readonly Scan[], plan: PlanId): number =>
  Math.max(
    1,
    scans.reduce((sum, { view, rows }) => sum + creditsOfRows({ ...view.dataset, access: view.access }, plan, rows), 0),
  )

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

/** A row that passes any filter passes the result. */
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

const knownBy = (column: string, day: string): string => `${quote(column)} IS NULL OR ${quote(column)} <= ${literal(day)}::DATE`

/**
 * Selects only columns of the catalog. Casts timestamps, because older files store no time zone.
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
