import { HOUR_MS } from '../core/index.ts'
import type { Database } from '../state/index.ts'
import type { Attempt, DeliveryStore, DueDelivery } from './deliveries.ts'
import type { EndpointStore } from './endpoints.ts'
import type { FailureTracker } from './failure-tracker.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60_000

/** Delays after failed attempts. After the last delay, the message is given up. */
const DELAYS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
] as const
/** Random part of a delay, so that retries are spread over time. */
const JITTER = 0.1
/** Longest pause that `Retry-After` can request. */
const MAX_PAUSE_MS = 24 * HOUR_MS
const PAUSE_STATUSES: ReadonlySet<number | null> = new Set([429, 503])
const GONE = 410

/** `failed` means that the message will be retried. */
export const OUTCOMES = ['delivered', 'failed', 'given_up'] as const
export type AttemptListener = (outcome: (typeof OUTCOMES)[number]) => void

export interface AttemptResult extends Attempt {
  readonly retryAfter: string | undefined
}

export interface SettlingDeps {
  readonly db: Database
  readonly deliveries: DeliveryStore
  readonly endpoints: Pick<EndpointStore, 'pauseUntil'>
  readonly failures: FailureTracker
  /** Returns a number from 0 to 1. Default: `Math.random`. */
  readonly random?: () => number
  readonly onAttempt?: AttemptListener
}

/** Stores an attempt in one transaction with the new state of message and endpoint. */
export function createSettling({ db, deliveries, endpoints, failures, random = Math.random, onAttempt }: SettlingDeps) {
  const settle = db.transaction(
    (delivery: DueDelivery, { retryAfter, ...attempt }: AttemptResult, now: Date): (typeof OUTCOMES)[number] => {
      const { id, endpointId, url, attempts } = delivery
      const { status } = attempt
      deliveries.record(id, attempt)
      if (status !== null && status >= 200 && status < 300) {
        deliveries.end(delivery, 'delivered')
        failures.recordSuccess(delivery)
        return 'delivered'
      }
      const pauseMs = PAUSE_STATUSES.has(status) ? Math.min(parseRetryAfter(retryAfter, now), MAX_PAUSE_MS) : 0
      if (pauseMs > 0) endpoints.pauseUntil(endpointId, url, new Date(now.getTime() + pauseMs))
      const delay = DELAYS_MS[attempts]
      if (delay === undefined) deliveries.end(delivery, 'failed')
      else {
        deliveries.reschedule(delivery, new Date(now.getTime() + Math.max(pauseMs, delay * (1 + JITTER * random()))))
      }
      if (status === GONE) failures.recordGone(delivery, now)
      else failures.recordFailure(delivery, now)
      return delay === undefined ? 'given_up' : 'failed'
    },
  ).immediate
  return (delivery: DueDelivery, attempt: AttemptResult, now: Date): void => {
    const result = settle(delivery, attempt, now)
    onAttempt?.(result)
  }
}

export type Settling = ReturnType<typeof createSettling>

/** Accepts seconds or an HTTP date. Returns 0 for other values. */
function parseRetryAfter(retryAfter = '', now: Date): number {
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter) * SECOND_MS
  const until = Date.parse(retryAfter)
  return Number.isNaN(until) ? 0 : Math.max(0, until - now.getTime())
}
