import { PLANS, type PlanId } from '../../catalog/index.ts'
import { DAY_MS, taipei } from '../core/index.ts'

export interface Subscription {
  readonly id: string
  readonly accountId: string
  readonly customerId: string
  readonly status: string
  readonly planId: PlanId
  readonly currentPeriodEnd: string | null
  readonly cancelAtPeriodEnd: boolean
  /** Time at which the first unpaid bill was detected. Null while all bills are paid. */
  readonly pastDueSince: string | null
}

/** Time for which an unpaid subscription keeps its plan, in ms. */
const GRACE_MS = 7 * DAY_MS

/** True while the provider bills the subscription: active, in trial, or past due. */
export const isLive = ({ status }: Pick<Subscription, 'status'>): boolean =>
  status === 'active' || status === 'trialing' || status === 'past_due'

/** True if the provider will never bill the subscription again. */
export const hasEnded = ({ status }: Pick<Subscription, 'status'>): boolean => status === 'canceled' || status === 'incomplete_expired'

/**
 * Returns the time at which an unpaid subscription loses its plan, RFC 3339 in Taipei. Null while
 * all bills are paid.
 */
export const graceEnd = ({ pastDueSince }: Subscription): string | null =>
  pastDueSince === null ? null : taipei(new Date(Date.parse(pastDueSince) + GRACE_MS))

/**
 * True if the subscription gives the account its plan. A live subscription does. If a bill is
 * unpaid, it does so until the grace period ends.
 */
export const bringsPlan = (subscription: Subscription, now: Date): boolean =>
  isLive(subscription) && !hasPassed(graceEnd(subscription), now)

const hasPassed = (end: string | null, now: Date): boolean => end !== null && end <= taipei(now)

/** Sorts subscriptions by plan, the highest plan first. */
export const byRank = (a: Subscription, b: Subscription): number => PLANS[b.planId].rank - PLANS[a.planId].rank

/**
 * Returns the subscription to show to the account's owner. This is the live subscription with the
 * highest plan, or the last subscription if none is live.
 */
export const primarySubscription = (subscriptions: readonly Subscription[]): Subscription | undefined =>
  subscriptions.filter(isLive).sort(byRank)[0] ?? subscriptions.at(-1)
