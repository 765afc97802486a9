import { HOUR_MS } from '../core/index.ts'
import type { Database } from '../state/index.ts'
import type { Attempt, DeliveryStore, DueDelivery } from './deliveries.ts'
import type { EndpointStore } from './endpoints.ts'
import type { Failing } from './failing.ts'

const [SECOND_MS, MINUTE_MS] = [1_000, 60_000]

/** From one attempt to the next, by attempts that failed; after the last a message is given up. */
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
/** What is added to a delay at most, so that messages that failed together do not come together again. */
const JITTER = 0.1
/** The longest wait that a receiver is granted, for this message and all others. */
const MOST_WAIT_MS = 24 * HOUR_MS
/** Statuses with which a receiver says when it takes messages again. */
const WAITS: ReadonlySet<number | null> = new Set([429, 503])
const GONE = 410

/** What an attempt came to: the message was taken, is tried again, or is given up. */
export const OUTCOMES = ['delivered', 'failed', 'given_up'] as const
/** Told of an attempt once it is written down. */
export type Attempted = (outcome: (typeof OUTCOMES)[number]) => void

/** An attempt with what the receiver asked for. */
export interface Outcome extends Attempt {
  readonly retryAfter: string | undefined
}

export interface SettlingDeps {
  readonly db: Database
  readonly deliveries: DeliveryStore
  readonly endpoints: Pick<EndpointStore, 'hold'>
  readonly failing: Failing
  /** From 0 to 1. */
  readonly random?: () => number
  readonly attempted?: Attempted
}

/** Decides what becomes of a message after an attempt; the attempt, the message and the standing of its endpoint are written in one transaction. */
export function createSettling({ db, deliveries, endpoints, failing, random = Math.random, attempted }: SettlingDeps) {
  const settle = db.transaction((delivery: DueDelivery, { retryAfter, ...attempt }: Outcome, now: Date): (typeof OUTCOMES)[number] => {
    const { id, endpointId, url, attempts } = delivery
    const { status } = attempt
    deliveries.record(id, attempt)
    if (status !== null && status >= 200 && status < 300) {
      deliveries.end(delivery, 'delivered')
      failing.took(delivery)
      return 'delivered'
    }
    const asked = WAITS.has(status) ? Math.min(waitOf(retryAfter, now), MOST_WAIT_MS) : 0
    if (asked > 0) endpoints.hold(endpointId, url, new Date(now.getTime() + asked))
    const delay = DELAYS_MS[attempts]
    if (delay === undefined) deliveries.end(delivery, 'failed')
    else {
      deliveries.later(delivery, new Date(now.getTime() + Math.max(asked, delay * (1 + JITTER * random()))))
    }
    if (status === GONE) failing.gone(delivery, now)
    else failing.failed(delivery, now)
    return delay === undefined ? 'given_up' : 'failed'
  }).immediate
  return (delivery: DueDelivery, outcome: Outcome, now: Date): void => {
    const cameTo = settle(delivery, outcome, now)
    attempted?.(cameTo)
  }
}

export type Settling = ReturnType<typeof createSettling>

/** Milliseconds that a receiver asks to be left alone: seconds, or a date of HTTP. 0 for anything else. */
function waitOf(retryAfter = '', now: Date): number {
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter) * SECOND_MS
  const until = Date.parse(retryAfter)
  return Number.isNaN(until) ? 0 : Math.max(0, until - now.getTime())
}
