import { isDeepStrictEqual } from 'node:util'
import { closedOrder, type Dataset, defaultOrder, type Format, type Order, type PlanId } from '../../catalog/index.ts'
import type { Release } from '../releases/index.ts'
import { type AsOf, settledAsOf } from './as-of.ts'
import type { BoundFilter } from './filters.ts'
import { type ReadParams, type ReadRequest, readParams, readProfileParams } from './params.ts'
import { chooseParts } from './parts.ts'
import { type KnownSymbols, type UnknownSymbols, unknownSymbols } from './unknown-symbols.ts'

/** Limits that apply to one caller's read. */
export interface ReadLimits {
  /** Subscription plan of the caller. Some envelopes contain its name. */
  readonly plan: PlanId
  readonly rowLimit: number
  /**
   * Queue key of the read, one per account. The engine serves the queues in turn, so that no
   * account delays the others.
   */
  readonly queueKey: string
}

/**
 * A read plan: the description of one read as a value. It contains everything that determines the
 * rows of the answer.
 */
export interface ReadPlan {
  readonly dataset: Dataset
  /**
   * Release to read. The whole answer uses this release, even if a newer release is activated
   * during the read. Null if the dataset has no release.
   */
  readonly release: Release | null
  /**
   * Returns the absolute paths of the parts that may contain a matching row. Computed at the first
   * call, because reads from memory need no paths.
   */
  parts(): readonly string[]
  readonly filters: readonly BoundFilter[]
  readonly columns: readonly string[]
  readonly order: Order
  readonly limit: number
  /**
   * True if the caller sent no `limit` and the default of the dataset applies. False if the row
   * limit of the subscription plan is lower than this default.
   */
  readonly isDefaultLimit: boolean
  readonly offset: number
  readonly single: boolean
  /** True to send envelope A, which has more fields than the bare envelope of the dataset. */
  readonly full: boolean
  readonly format: Format
  readonly bom: boolean
  /** True if the requested limit exceeds the row limit of the subscription plan. */
  readonly capped: boolean
  /**
   * Canonical value of each filter parameter and of `range`, `sort` and `columns`. Null if not
   * sent.
   */
  readonly sent: Readonly<Record<string, string | null>>
  /** Value of the parameter `as_of`, by which the release was selected. Null if it was not sent. */
  readonly asOf: AsOf | null
  readonly limits: ReadLimits
  /** Requested tickers that occur in no served dataset. Null if there are none. */
  readonly unknown: UnknownSymbols | null
}

/**
 * Converts query parameters to a read plan. Uses no file, clock or database.
 *
 * @param accepted format of the Accept header, used if there is no `format` parameter; null if the
 * header allows no available format
 * @param known all tickers of the served datasets; if null, unknown tickers are not reported
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

/** Maximum number of rows from which a profile (statistics of columns) is computed. */
export const MOST_PROFILED = 1_000_000

/**
 * Creates the read plan for a profile (statistics of columns). The row limit of the subscription
 * plan does not apply.
 *
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

/**
 * Returns the complete order of the rows. If it equals the default order, the dataset's own object
 * is returned, so that callers can compare by identity.
 */
function orderOf(dataset: Dataset, sort: Order): Order {
  const natural = defaultOrder(dataset)
  if (sort === dataset.order) return natural
  const order = closedOrder(dataset, sort)
  return isDeepStrictEqual(order, natural) ? natural : order
}

/**
 * Returns the query string of the next page. The query string contains the release or `as_of`, so
 * that all pages read the same rows.
 */
export function nextPage({ sent, asOf, offset, limit, release }: ReadPlan, query: Readonly<Record<string, unknown>>, now: Date): string {
  const next = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (!['offset', 'release', 'as_of'].includes(name)) next.set(name, sent[name] ?? String(value))
  next.set('offset', String(offset + limit))
  if (asOf) next.set('as_of', settledAsOf(asOf, release, now))
  else if (release) next.set('release', release.id)
  return next.toString()
}
