import { LRUCache } from 'lru-cache'
import { type Dataset, type Format, pathOf } from '../../catalog/index.ts'
import type { Calendar, FreshnessState } from '../calendar/index.ts'
import { createRecentTexts } from '../core/index.ts'
import type { Release } from '../releases/index.ts'
import { etagOf } from './etag.ts'
import { type ReadParams, readParams } from './params.ts'
import { nextPage, planOf, type ReadLimits, type ReadPlan } from './plan.ts'
import { type KnownSymbols, type UnknownSymbols, unknownSymbols } from './unknown-symbols.ts'

export interface PreparedRead {
  /** @param known the tickers of the served datasets; null if they are not indexed yet */
  planFor(release: Release | null, limits: ReadLimits, known: KnownSymbols | null): ReadPlan
  tagOf(plan: ReadPlan, freshness: FreshnessState, calendar: Calendar): string
  nextOf(plan: ReadPlan, now: Date): string
}

/** Caches parameters on their second use. */
export interface PreparedReads {
  /**
   * @param accepted format of the Accept header; undefined for JSON; null if no format is
   * acceptable
   * @param text all parameters as sent, used as cache key; undefined to bypass the cache
   */
  prepare(dataset: Dataset, params: ReadParams, accepted?: Format | null, text?: string): PreparedRead
}

/** Maximum number of entries, about 1.7 KB each. */
const MOST_ENTRIES = 8_192
const LONGEST_TEXT = 1_024

export function createPreparedReads(): PreparedReads {
  const cache = new LRUCache<string, PreparedRead>({ max: MOST_ENTRIES })
  const wasUsed = createRecentTexts(MOST_ENTRIES)
  return {
    prepare(dataset, params, accepted, text) {
      if (text === undefined || text.length > LONGEST_TEXT) return prepareRead(dataset, params, accepted)
      const key = `${pathOf(dataset)} ${accepted} ${text}`
      const cachedRead = cache.get(key)
      if (cachedRead) return cachedRead
      const preparedRead = prepareRead(dataset, params, accepted)
      if (wasUsed(key)) cache.set(key, preparedRead)
      return preparedRead
    },
  }
}

function prepareRead(dataset: Dataset, params: ReadParams, accepted: Format | null | undefined): PreparedRead {
  const request = readParams(dataset, params, accepted)
  let cachedUnknown:
    | { readonly release: string | undefined; readonly tag: string | undefined; readonly unknown: UnknownSymbols | null }
    | undefined
  const unknownIn = (release: Release | null, known: KnownSymbols | null): UnknownSymbols | null => {
    if (cachedUnknown?.release === release?.id && cachedUnknown?.tag === known?.tag) return cachedUnknown?.unknown ?? null
    cachedUnknown = { release: release?.id, tag: known?.tag, unknown: unknownSymbols(dataset, release, request.filters, known) }
    return cachedUnknown.unknown
  }
  let cachedTag: { readonly determinants: Determinants; readonly tag: string } | undefined
  let cachedNext: { readonly release: string | undefined; readonly limit: number; readonly next: string } | undefined
  return {
    planFor: (release, limits, known) => planOf(dataset, release, request, limits, unknownIn(release, known)),
    tagOf(plan, freshness, calendar) {
      if (cachedTag && isCurrent(cachedTag.determinants, plan, freshness, calendar)) return cachedTag.tag
      const tag = etagOf(plan, freshness, calendar)
      cachedTag = { determinants: determinantsOf(plan, freshness, calendar), tag }
      return tag
    },
    nextOf(plan, now) {
      const { release, limit } = plan
      if (cachedNext?.release === release?.id && cachedNext?.limit === limit) return cachedNext.next
      cachedNext = { release: release?.id, limit, next: nextPage(plan, params, now) }
      return cachedNext.next
    },
  }
}

/** Must not refer to the release, so that a replaced release can be freed. */
interface Determinants {
  readonly release: string | undefined
  readonly degraded: boolean | undefined
  readonly completeThrough: string | undefined
  readonly repairs: number | undefined
  readonly plan: string
  readonly rowLimit: number
  readonly freshness: FreshnessState
  readonly calendar: string | null
  readonly unknown: UnknownSymbols | null
}

const determinantsOf = ({ release, limits, unknown }: ReadPlan, freshness: FreshnessState, calendar: Calendar): Determinants => ({
  release: release?.id,
  degraded: release?.degraded,
  completeThrough: release?.completeThrough,
  repairs: release?.repairs,
  plan: limits.plan,
  rowLimit: limits.rowLimit,
  freshness,
  calendar: calendar.release,
  unknown,
})

const isCurrent = (
  determinants: Determinants,
  { release, limits, unknown }: ReadPlan,
  freshness: FreshnessState,
  calendar: Calendar,
): boolean =>
  determinants.release === release?.id &&
  determinants.degraded === release?.degraded &&
  determinants.completeThrough === release?.completeThrough &&
  determinants.repairs === release?.repairs &&
  determinants.plan === limits.plan &&
  determinants.rowLimit === limits.rowLimit &&
  determinants.freshness === freshness &&
  determinants.calendar === calendar.release &&
  determinants.unknown === unknown
