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
  /** Time of the first unpaid bill. Null while all bills are paid. */
  readonly pastDueSince: string | null
}

/** Time after which an unpaid subscription loses its plan. */
const GRACE_MS = 7 * DAY_MS

export const isLive = ({ status }: Pick<Subscription, 'status'>): boolean =>
  status === 'active' || status === 'trialing' || status === 'past_due'

export const hasEnded = ({ status }: Pick<Subscription, 'status'>): boolean => status === 'canceled' || status === 'incomplete_expired'

/** RFC 3339 in Taipei. Null while all bills are paid. */
export const graceEnd = ({ pastDueSince }: Subscription): string | null =>
  pastDueSince === null ? null : taipei(new Date(Date.parse(pastDueSince) + GRACE_MS))

/** True until the grace period of an unpaid subscription ends. */
export const bringsPlan = (subscription: Subscription, now: Date): boolean =>
  isLive(subscription) && !hasPassed(graceEnd(subscription), now)

const hasPassed = (end: string | null, now: Date): boolean => end !== null && end <= taipei(now)

/** Highest plan first. */
export const byRank = (a: Subscription, b: Subscription): number => PLANS[b.planId].rank - PLANS[a.planId].rank

export const primarySubscription = (subscriptions: readonly Subscription[]): Subscription | undefined =>
  subscriptions.filter(isLive).sort(byRank)[0] ?? subscriptions.at(-1)
