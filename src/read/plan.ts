import { isDeepStrictEqual } from 'node:util'
import { closedOrder, type Dataset, defaultOrder, type Format, type Order, type PlanId } from '../../catalog/index.ts'
import type { Release } from '../releases/index.ts'
import { type AsOf, settledAsOf } from './as-of.ts'
import type { BoundFilter } from './filters.ts'
import { type ReadParams, type ReadRequest, readParams, readProfileParams } from './params.ts'
import { chooseParts } from './parts.ts'
import { type KnownSymbols, type UnknownSymbols, unknownSymbols } from './unknown-symbols.ts'

/** Limits of one read by one caller. */
export interface ReadLimits {
  /** The subscription plan, which some envelopes contain. */
  readonly plan: PlanId
  /** Maximum rows of one answer. */
  readonly rowLimit: number
  /**
   * Queue key of the read. The engine serves different keys in turn, so that no account delays the
   * others.
   */
  readonly queueKey: string
}

/** A read plan: a read as a value, with everything that determines the answer. */
export interface ReadPlan {
  readonly dataset: Dataset
  /**
   * Release to read. All fields of the answer use this release, even if another one is served in
   * the meantime. Null if the dataset has no release.
   */
  readonly release: Release | null
  /**
   * Returns the absolute paths of the parts that may have a matching row. They are determined at
   * the first call, because reads from memory do not need them.
   */
  parts(): readonly string[]
  readonly filters: readonly BoundFilter[]
  /** Columns to send, in order. */
  readonly columns: readonly string[]
  readonly order: Order
  readonly limit: number
  /**
   * True if the caller sent no `limit` and the dataset's default limit applies, because it is
   * within the plan's row limit.
   */
  readonly isDefaultLimit: boolean
  readonly offset: number
  /** True if one row is requested, so there is no next page. */
  readonly single: boolean
  /** True to return envelope A instead of the dataset's bare envelope. */
  readonly full: boolean
  readonly format: Format
  /** Starts CSV with a byte order mark. */
  readonly bom: boolean
  /** True if the requested limit exceeds the row limit of the subscription plan. */
  readonly capped: boolean
  /** Filter parameters, `range`, `sort` and `columns` in canonical form. Null if not sent. */
  readonly sent: Readonly<Record<string, string | null>>
  /** `as_of` of the read, which selected the release. Null if not sent. */
  readonly asOf: AsOf | null
  readonly limits: ReadLimits
  /** Requested tickers that no served dataset has. Null if there are none. */
  readonly unknown: UnknownSymbols | null
}

/**
 * Converts query parameters to a read plan. Pure: uses no file, clock or database.
 *
 * @param accepted format to use without a `format` parameter; null if the caller accepts no
 * available format
 * @param known the known tickers. If null, unknown tickers are not reported
 * @throws Refusal invalid_parameter or unbounded_read, with all errors; format_not_supported
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

/** Maximum rows of a profile. */
export const MOST_PROFILED = 1_000_000

/**
 * Creates the read plan of a profile. Ignores the row limit of the subscription plan.
 *
 * @throws Refusal invalid_parameter or unbounded_read, with all errors
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

/** Creates a read plan from validated parameters. */
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
 * Returns the dataset's own object for every form of the default order, so that other code can
 * compare the order by identity.
 */
function orderOf(dataset: Dataset, sort: Order): Order {
  const natural = defaultOrder(dataset)
  if (sort === dataset.order) return natural
  const order = closedOrder(dataset, sort)
  return isDeepStrictEqual(order, natural) ? natural : order
}

/**
 * Query string of the next page. It contains the release or `as_of`, so that all pages read the
 * same rows.
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
