import { LRUCache } from 'lru-cache'
import { HOUR_MS, Refusal, type Words } from '../core/index.ts'

/** A number of requests per window of time. */
export interface Quota {
  readonly limit: number
  readonly windowMs: number
}

/** The state of a bucket after a request. */
export interface RateState {
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  /** Whole seconds until the bucket is full again. */
  readonly resetSeconds: number
  /** Whole seconds until the next request is allowed; 0 when this one was. */
  readonly retryAfter: number
}

/** Buckets by name, in memory; a restart fills them all. */
export interface Limiter {
  /** Takes one request out of a bucket, if the bucket allows it. */
  take(bucket: string, quota: Quota): RateState
  /** Takes as much out of a bucket as was used, whether or not it was there: what is missing has to come back first. */
  spend(bucket: string, quota: Quota, amount: number): void
  /** The state of the bucket, with nothing taken. */
  peek(bucket: string, quota: Quota): RateState
}

export const perMinute = (limit: number): Quota => ({ limit, windowMs: 60_000 })
export const perHour = (limit: number): Quota => ({ limit, windowMs: HOUR_MS })

/** Tolerance for rounding in sums of fractions. */
const GRAIN_MS = 1e-6

/**
 * Generic cell rate algorithm: the requests of a whole window may come at once, then they return one by one. A bucket is one number, and the
 * least recently used buckets are dropped, so memory is bounded however many names there are.
 *
 * @param now milliseconds of a monotonic clock
 */
export function createLimiter(now: () => number, maxBuckets = 50_000): Limiter {
  const fullAt = new LRUCache<string, number>({ max: maxBuckets })
  return {
    take(bucket, quota) {
      const at = now()
      const full = Math.max(fullAt.get(bucket) ?? 0, at)
      const next = full + quota.windowMs / quota.limit
      if (next - at > quota.windowMs + GRAIN_MS) return stateOf(quota, at, full, false)
      fullAt.set(bucket, next)
      return stateOf(quota, at, next, true)
    },
    spend(bucket, quota, amount) {
      fullAt.set(bucket, Math.max(fullAt.get(bucket) ?? 0, now()) + (amount * quota.windowMs) / quota.limit)
    },
    peek(bucket, quota) {
      const at = now()
      const full = Math.max(fullAt.peek(bucket) ?? 0, at)
      return stateOf(quota, at, full, full + quota.windowMs / quota.limit - at <= quota.windowMs + GRAIN_MS)
    },
  }
}

/** @param full time at which the bucket is full again */
function stateOf({ limit, windowMs }: Quota, at: number, full: number, allowed: boolean): RateState {
  const each = windowMs / limit
  return {
    allowed,
    limit,
    remaining: Math.max(0, Math.floor((windowMs - (full - at)) / each + GRAIN_MS)),
    resetSeconds: Math.max(0, Math.ceil((full - at) / 1_000)),
    retryAfter: allowed ? 0 : Math.max(1, Math.ceil((full + each - windowMs - at) / 1_000)),
  }
}

/** @param words of the seconds to wait @throws Refusal rate_limited when the bucket allowed no request */
export function throwWhenOver({ allowed, retryAfter, limit }: RateState, words: (seconds: number) => Words = waitFor): void {
  if (!allowed) throw new Refusal('rate_limited', { retry_after: retryAfter, limit }, words(retryAfter))
}

const waitFor = (seconds: number): Words => ({
  en: `Too many requests; wait ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
  zh: `請求過於頻繁；請等待 ${seconds} 秒。`,
})
