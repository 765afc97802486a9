import type { Dataset, Operator, Order } from '../../catalog/index.ts'
import type { Grant } from '../core/index.ts'
import type { Release } from '../releases/index.ts'
import { type ReadParams, readParams } from './params.ts'
import { chooseParts } from './parts.ts'

/** One parameter as it bears on the rows. `values` has one entry but for `in` and `period`. */
export interface BoundFilter {
  readonly param: string
  readonly column: string
  readonly also?: string
  readonly op: Operator
  readonly values: readonly string[]
}

/** A read as a value: everything that decides the answer, and nothing that runs it. */
export interface ReadPlan {
  readonly dataset: Dataset
  /** Pinned here, so rows, data_as_of and release_version always describe one snapshot; null for a planned dataset without one. */
  readonly release: Release | null
  /** Absolute paths of the parts that can hold a matching row. */
  readonly parts: readonly string[]
  readonly filters: readonly BoundFilter[]
  /** Columns to send, in the order they are sent. */
  readonly columns: readonly string[]
  readonly order: Order
  readonly limit: number
  readonly offset: number
  /** One row by request: no page follows it. */
  readonly single: boolean
  /** The caller asked for more rows than the plan's row limit. */
  readonly limited: boolean
  /** Parameters as sent, canonical, for the echo and the next page's link; null where not sent. */
  readonly sent: Readonly<Record<string, string | null>>
  readonly grant: Grant
}

/**
 * Turns query parameters into a read plan. Pure: touches no file, clock or database.
 *
 * @throws Refusal invalid_parameter or unbounded_read naming every parameter that is wrong
 */
export function planRead(dataset: Dataset, release: Release | null, query: ReadParams, grant: Grant): ReadPlan {
  const { filters, columns, sort, limit, offset, single, sent } = readParams(dataset, query)
  const sorted = new Set(sort.map(([column]) => column))
  return {
    dataset,
    release,
    parts: release ? chooseParts(release, filters) : [],
    filters,
    columns,
    // The grain closes every ordering, so two pages never share or skip a row.
    order: [...sort, ...dataset.grain.filter(column => !sorted.has(column)).map(column => [column, 'asc'] as const)],
    limit: Math.min(limit, grant.rowLimit),
    offset,
    single,
    limited: limit > grant.rowLimit,
    sent,
    grant,
  }
}
