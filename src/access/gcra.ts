import { LRUCache } from 'lru-cache'
import { HOUR_MS, Refusal, type Words } from '../core/index.ts'

export interface Quota {
  readonly limit: number
  readonly windowMs: number
}

export interface RateState {
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  /** Whole seconds until the bucket is full again. */
  readonly resetSeconds: number
  /** Whole seconds until another request is allowed. 0 if allowed now. */
  readonly retryAfter: number
}

/** Rate limiter in memory. A restart fills all buckets. */
export interface Limiter {
  take(bucket: string, quota: Quota): RateState
  /** Takes an amount, even from an empty bucket. Requests are refused until the bucket refills. */
  spend(bucket: string, quota: Quota, amount: number): void
  peek(bucket: string, quota: Quota): RateState
}

export const perMinute = (limit: number): Quota => ({ limit, windowMs: 60_000 })
export const perHour = (limit: number): Quota => ({ limit, windowMs: HOUR_MS })

const TOLERANCE_MS = 1e-6

/**
 * Implements the generic cell rate algorithm (GCRA). Stores one number per bucket: the time at
 * which the bucket is full again. A full bucket allows a burst of a whole window. Evicts the least
 * recently used buckets.
 *
 * @param now monotonic clock in ms
 */
export function createLimiter(now: () => number, maxBuckets = 50_000): Limiter {
  const fullTimes = new LRUCache<string, number>({ max: maxBuckets })
  return {
    take(bucket, quota) {
      const nowMs = now()
      const fullMs = Math.max(fullTimes.get(bucket) ?? 0, nowMs)
      const nextFullMs = fullMs + quota.windowMs / quota.limit
      if (nextFullMs - nowMs > quota.windowMs + TOLERANCE_MS) return stateOf(quota, nowMs, fullMs, false)
      fullTimes.set(bucket, nextFullMs)
      return stateOf(quota, nowMs, nextFullMs, true)
    },
    spend(bucket, quota, amount) {
      fullTimes.set(bucket, Math.max(fullTimes.get(bucket) ?? 0, now()) + (amount * quota.windowMs) / quota.limit)
    },
    peek(bucket, quota) {
      const nowMs = now()
      const fullMs = Math.max(fullTimes.peek(bucket) ?? 0, nowMs)
      return stateOf(quota, nowMs, fullMs, fullMs + quota.windowMs / quota.limit - nowMs <= quota.windowMs + TOLERANCE_MS)
    },
  }
}

/** @param fullMs time at which the bucket is full again */
function stateOf({ limit, windowMs }: Quota, nowMs: number, fullMs: number, allowed: boolean): RateState {
  const intervalMs = windowMs / limit
  return {
    allowed,
    limit,
    remaining: Math.max(0, Math.floor((windowMs - (fullMs - nowMs)) / intervalMs + TOLERANCE_MS)),
    resetSeconds: Math.max(0, Math.ceil((fullMs - nowMs) / 1_000)),
    retryAfter: allowed ? 0 : Math.max(1, Math.ceil((fullMs + intervalMs - windowMs - nowMs) / 1_000)),
  }
}

/**
 * @param words function that returns the message for a number of seconds to wait
 * @throws Refusal rate_limited if the request was not allowed
 */
export function throwIfLimited({ allowed, retryAfter, limit }: RateState, words: (seconds: number) => Words = waitFor): void {
  if (!allowed) throw new Refusal('rate_limited', { retry_after: retryAfter, limit }, words(retryAfter))
}

const waitFor = (seconds: number): Words => ({
  en: `Too many requests. Wait ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
  zh: `請求過於頻繁。請等待 ${seconds} 秒。`,
})
