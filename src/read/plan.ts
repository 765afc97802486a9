import { isDeepStrictEqual } from 'node:util'
import { closedOrder, type Dataset, defaultOrder, type Format, type Order, type PlanId } from '../../catalog/index.ts'
import type { Release } from '../releases/index.ts'
import { type AsOf, settledAsOf } from './as-of.ts'
import type { BoundFilter } from './filters.ts'
import { type ReadParams, type ReadRequest, readParams, readProfileParams } from './params.ts'
import { chooseParts } from './parts.ts'
import { type KnownSymbols, type UnknownSymbols, unknownSymbols } from './unknown-symbols.ts'

export interface ReadLimits {
  readonly plan: PlanId
  readonly rowLimit: number
  /**
   * One queue per account. The engine serves the queues in turn, so that no account delays other
   * accounts.
   */
  readonly queueKey: string
}

/** Determines all rows of an answer. */
export interface ReadPlan {
  readonly dataset: Dataset
  /**
   * The whole answer uses this release, even if a newer release is published meanwhile. Null if the
   * dataset has no release.
   */
  readonly release: Release | null
  /**
   * Absolute paths of the files that may contain matching rows. Computed on the first call. Reads
   * from memory need no paths.
   */
  parts(): readonly string[]
  readonly filters: readonly BoundFilter[]
  readonly columns: readonly string[]
  readonly order: Order
  readonly limit: number
  /**
   * True if the caller sent no `limit` and the dataset's default applies. False if the row limit of
   * the subscription plan is lower than the default.
   */
  readonly isDefaultLimit: boolean
  readonly offset: number
  readonly single: boolean
  /** True for `envelope=full`. */
  readonly full: boolean
  readonly format: Format
  readonly bom: boolean
  /** True if the requested limit exceeds the plan's row limit. */
  readonly capped: boolean
  /** Canonical values of `range`, `sort`, `columns` and the filters. Null if not sent. */
  readonly sent: Readonly<Record<string, string | null>>
  /** Null if the caller did not send `as_of`. */
  readonly asOf: AsOf | null
  readonly limits: ReadLimits
  /** Requested tickers that no served dataset contains. Null if there are none. */
  readonly unknown: UnknownSymbols | null
}

/**
 * Plans a read without using a file, clock or database.
 * @param accepted format of the Accept header, in case there is no `format` parameter; null if no
 * format is acceptable
 * @param known the tickers of the served datasets; null skips the check for unknown tickers
 * @throws Refusal invalid_parameter or unbounded_read, each with all errors; format_not_supported
 */
export function planRead(
  dataset: Dataset,
  release: Release | null,
  query: ReadParams,
  limits: ReadLimits,
  accepted?: Format | null,
  known: KnownSymbols | null = null,
): ReadPlan {
  const request = readParams(dataset, query, accepted)
  return planOf(dataset, release, request, limits, unknownSymbols(dataset, release, request.filters, known))
}

export const MOST_PROFILED = 1_000_000

/**
 * Plans a profile of columns. The row limit of the subscription plan does not apply.
 * @throws Refusal invalid_parameter or unbounded_read, each with all errors
 */
export function planProfile(
  dataset: Dataset,
  release: Release | null,
  query: ReadParams,
  limits: ReadLimits,
  known: KnownSymbols | null = null,
  maxProfiledRows = MOST_PROFILED,
): ReadPlan {
  const request = readProfileParams(dataset, query)
  return planOf(
    dataset,
    release,
    {
      ...request,
      sort: dataset.order,
      limit: maxProfiledRows,
      isDefaultLimit: false,
      offset: 0,
      single: false,
      full: false,
      format: 'json',
      bom: false,
    },
    { ...limits, rowLimit: maxProfiledRows },
    unknownSymbols(dataset, release, request.filters, known),
  )
}

export function planOf(
  dataset: Dataset,
  release: Release | null,
  { filters, columns, sort, limit, isDefaultLimit, offset, single, full, format, bom, sent, asOf }: ReadRequest,
  limits: ReadLimits,
  unknown: UnknownSymbols | null,
): ReadPlan {
  let parts: readonly string[] | undefined
  return {
    dataset,
    release,
    parts() {
      parts ??= release ? chooseParts(release, filters) : []
      return parts
    },
    filters,
    columns,
    order: orderOf(dataset, sort),
    limit: Math.min(limit, limits.rowLimit),
    isDefaultLimit: isDefaultLimit && limit <= limits.rowLimit,
    offset,
    single,
    full,
    format,
    bom,
    capped: limit > limits.rowLimit,
    sent,
    asOf,
    limits,
    unknown,
  }
}

/** Returns the dataset's own object for the default order. Callers compare by identity. */
function orderOf(dataset: Dataset, sort: Order): Order {
  const natural = defaultOrder(dataset)
  if (sort === dataset.order) return natural
  const order = closedOrder(dataset, sort)
  return isDeepStrictEqual(order, natural) ? natural : order
}

/** Returns the query string of the next page. All pages read the same release. */
export function nextPage({ sent, asOf, offset, limit, release }: ReadPlan, query: Readonly<Record<string, unknown>>, now: Date): string {
  const next = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (!['offset', 'release', 'as_of'].includes(name)) next.set(name, sent[name] ?? String(value))
  next.set('offset', String(offset + limit))
  if (asOf) next.set('as_of', settledAsOf(asOf, release, now))
  else if (release) next.set('release', release.id)
  return next.toString()
}
