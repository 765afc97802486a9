import { isDeepStrictEqual } from 'node:util'
import { closedOrder, type Dataset, defaultOrder, type Format, type Order, type PlanId } from '../../catalog/index.ts'
import type { Release } from '../releases/index.ts'
import type { BoundFilter } from './filters.ts'
import { type ReadParams, type ReadRequest, readParams, readProfileParams } from './params.ts'
import { chooseParts } from './parts.ts'

/** What a caller may read at a time. */
export interface ReadLimits {
  /** The subscription plan, which some envelopes name. */
  readonly plan: PlanId
  /** Most rows of one answer. */
  readonly rowLimit: number
  /** Queries with different keys take turns in the engine's queue. */
  readonly queueKey: string
}

/** A read as a value: everything that decides the answer, and nothing that executes it. */
export interface ReadPlan {
  readonly dataset: Dataset
  /** Pinned, so that rows, data_as_of and release_version describe one snapshot. Null for a planned dataset without a release. */
  readonly release: Release | null
  /** Absolute paths of the parts that may hold a matching row. */
  readonly parts: readonly string[]
  readonly filters: readonly BoundFilter[]
  /** Columns to send, in order. */
  readonly columns: readonly string[]
  readonly order: Order
  readonly limit: number
  readonly offset: number
  /** The caller asked for one row, so no page follows. */
  readonly single: boolean
  /** The caller asked for envelope A where the dataset's own is the bare one. */
  readonly full: boolean
  readonly format: Format
  /** CSV begins with a byte order mark. */
  readonly bom: boolean
  /** The caller asked for more rows than the subscription plan's row limit. */
  readonly capped: boolean
  /** Filter parameters, `range`, `sort` and `columns` in canonical form, for the echo and the link to the next page; null where not sent. */
  readonly sent: Readonly<Record<string, string | null>>
  readonly limits: ReadLimits
}

/**
 * Turns query parameters into a read plan. Pure: uses no file, clock or database.
 *
 * @param accepted the format that is sent where none is named; null where the caller takes none there is
 * @throws Refusal invalid_parameter or unbounded_read, naming every mistake; format_not_supported
 */
export const planRead = (
  dataset: Dataset,
  release: Release | null,
  query: ReadParams,
  limits: ReadLimits,
  accepted?: Format | null,
): ReadPlan => planOf(dataset, release, readParams(dataset, query, accepted), limits)

/** Most rows that a profile looks at. */
export const MOST_PROFILED = 1_000_000

/**
 * The plan of all rows that a profile looks at, whatever the subscription plan's row limit is.
 *
 * @throws Refusal invalid_parameter or unbounded_read, naming every mistake
 */
export const planProfile = (
  dataset: Dataset,
  release: Release | null,
  query: ReadParams,
  limits: ReadLimits,
  most = MOST_PROFILED,
): ReadPlan =>
  planOf(
    dataset,
    release,
    {
      ...readProfileParams(dataset, query),
      sort: dataset.order,
      limit: most,
      offset: 0,
      single: false,
      full: false,
      format: 'json',
      bom: false,
    },
    { ...limits, rowLimit: most },
  )

/** The plan of parameters that were checked before. */
export function planOf(
  dataset: Dataset,
  release: Release | null,
  { filters, columns, sort, limit, offset, single, full, format, bom, sent }: ReadRequest,
  limits: ReadLimits,
): ReadPlan {
  let parts: readonly string[] | undefined
  return {
    dataset,
    release,
    // A read that memory answers needs none.
    get parts() {
      parts ??= release ? chooseParts(release, filters) : []
      return parts
    },
    filters,
    columns,
    order: orderOf(dataset, sort),
    limit: Math.min(limit, limits.rowLimit),
    offset,
    single,
    full,
    format,
    bom,
    capped: limit > limits.rowLimit,
    sent,
    limits,
  }
}

/** The default order is always the same value, however it was asked for. */
function orderOf(dataset: Dataset, sort: Order): Order {
  const natural = defaultOrder(dataset)
  if (sort === dataset.order) return natural
  const order = closedOrder(dataset, sort)
  return isDeepStrictEqual(order, natural) ? natural : order
}

/** Query string of the next page: the same request further on, pinned to this release so that all pages read one snapshot. */
export function nextPage({ sent, offset, limit, release }: ReadPlan, query: Readonly<Record<string, unknown>>): string {
  const next = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (!['offset', 'release'].includes(name)) next.set(name, sent[name] ?? String(value))
  next.set('offset', String(offset + limit))
  if (release) next.set('release', release.id)
  return next.toString()
}
