import type { PlanId } from '../../../catalog/dataset.ts'
import { PLANS } from '../../../catalog/plans.ts'
import { taipei } from '../../core/clock.ts'
import type { Database } from '../db.ts'
import type { ProviderSubscription } from './shapes.ts'

/** A subscription as last read from the provider. */
export interface Subscription {
  readonly id: string
  readonly accountId: string
  readonly customerId: string
  readonly status: string
  readonly planId: PlanId
  readonly currentPeriodEnd: string | null
  readonly cancelAtPeriodEnd: boolean
  /** When the first unpaid bill was noticed; null while it is paid. */
  readonly pastDueSince: string | null
}

/** An unpaid subscription keeps its plan this long. */
const GRACE_MS = 7 * 86_400_000

type Stored = Omit<Subscription, 'cancelAtPeriodEnd'> & { readonly cancelAtPeriodEnd: number }

const SELECT = `SELECT id, account_id AS accountId, customer_id AS customerId, status, plan_id AS planId, current_period_end AS currentPeriodEnd,
  cancel_at_period_end AS cancelAtPeriodEnd, past_due_since AS pastDueSince FROM subscription`

/** True while the provider bills it: active, in trial, or its last bill unpaid. */
export const isLive = ({ status }: Pick<Subscription, 'status'>): boolean =>
  status === 'active' || status === 'trialing' || status === 'past_due'

/** True once nothing can bring it back: the provider will never bill it again. */
export const hasEnded = ({ status }: Pick<Subscription, 'status'>): boolean => status === 'canceled' || status === 'incomplete_expired'

/** End of the days of grace of an unpaid subscription, RFC 3339 in Taipei; null while it is paid. */
const graceEnd = ({ pastDueSince }: Subscription): string | null =>
  pastDueSince === null ? null : taipei(new Date(Date.parse(pastDueSince) + GRACE_MS))

/** True while the subscription brings its plan: live, and not unpaid for longer than the days of grace. */
export const bringsPlan = (subscription: Subscription, now: Date): boolean => isLive(subscription) && !isOver(graceEnd(subscription), now)

const isOver = (end: string | null, now: Date): boolean => end !== null && end <= taipei(now)

const byRank = (a: Subscription, b: Subscription): number => PLANS[b.planId].rank - PLANS[a.planId].rank

/** The subscription that is shown: of the live ones that of the highest plan, else the last there was. */
export const foremost = (subscriptions: readonly Subscription[]): Subscription | undefined =>
  subscriptions.filter(isLive).sort(byRank)[0] ?? subscriptions.at(-1)

/** Subscriptions, and per account the plan they pay for, kept beside it so that a key's look-up needs no sum. */
export function subscriptionStore(db: Database) {
  const byId = db.prepare<[string], Stored>(`${SELECT} WHERE id = ?`)
  const byAccount = db.prepare<[string], Stored>(`${SELECT} WHERE account_id = ? ORDER BY current_period_end, id`)
  const all = db.prepare<[], Stored>(`${SELECT} ORDER BY id`)
  const put = db.prepare(
    `INSERT INTO subscription (id, account_id, customer_id, status, plan_id, current_period_end, cancel_at_period_end, past_due_since, synced_at)
     VALUES (@id, @accountId, @customerId, @status, @planId, @currentPeriodEnd, @cancelAtPeriodEnd, @pastDueSince, @syncedAt)
     ON CONFLICT DO UPDATE SET status = excluded.status, plan_id = excluded.plan_id, current_period_end = excluded.current_period_end,
       cancel_at_period_end = excluded.cancel_at_period_end, past_due_since = excluded.past_due_since, synced_at = excluded.synced_at`,
  )
  const setPaid = db.prepare(
    'INSERT INTO paid_plan (account_id, plan_id, ends_at) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET plan_id = excluded.plan_id, ends_at = excluded.ends_at',
  )
  const lapsed = db.prepare<[string], { accountId: string }>('SELECT account_id AS accountId FROM paid_plan WHERE ends_at <= ?')
  const noPaid = db.prepare('DELETE FROM paid_plan WHERE account_id = ?')
  const keyOf = db.prepare<[string], { keyId: string | null }>('SELECT key_id AS keyId FROM subscription WHERE id = ?')
  const setKey = db.prepare('UPDATE subscription SET key_id = ? WHERE id = ?')
  const read = (stored: Stored): Subscription => ({ ...stored, cancelAtPeriodEnd: stored.cancelAtPeriodEnd === 1 })
  const of = (accountId: string): readonly Subscription[] => byAccount.all(accountId).map(read)

  /** The best plan among those the subscriptions bring becomes the one paid for. */
  const recompute = (accountId: string, now: Date): void => {
    const [best] = of(accountId)
      .filter(subscription => bringsPlan(subscription, now))
      .sort(byRank)
    if (!best || best.planId === 'free') return void noPaid.run(accountId)
    setPaid.run(accountId, best.planId, graceEnd(best))
  }
  const sync = db.transaction(
    (
      named: string,
      { id, customerId, status, currentPeriodEnd, cancelAtPeriodEnd }: ProviderSubscription,
      planId: PlanId,
      now: Date,
    ): void => {
      const before = byId.get(id)
      // A subscription stays with the account it was first known under, whatever an event names.
      const accountId = before?.accountId ?? named
      const pastDueSince = status === 'past_due' ? (before?.pastDueSince ?? taipei(now)) : null
      const flag = cancelAtPeriodEnd ? 1 : 0
      put.run({ id, accountId, customerId, status, planId, currentPeriodEnd, cancelAtPeriodEnd: flag, pastDueSince, syncedAt: taipei(now) })
      recompute(accountId, now)
    },
  )
  return {
    get: (id: string): Subscription | undefined => {
      const stored = byId.get(id)
      return stored && read(stored)
    },
    /** All of an account's, in the order their periods end. */
    of,
    all: (): readonly Subscription[] => all.all().map(read),
    /** Id of the key issued for the subscription, or null. */
    keyOf: (id: string): string | null => keyOf.get(id)?.keyId ?? null,
    setKey: (id: string, keyId: string): void => void setKey.run(keyId, id),
    /** Takes over what the provider says, and the plan that follows from it, together. */
    sync: (accountId: string, subscription: ProviderSubscription, planId: PlanId, now: Date): void =>
      sync.immediate(accountId, subscription, planId, now),
    /** Where days of grace are over, the next best plan there is takes the place of the unpaid one. */
    lapse(now: Date): void {
      for (const { accountId } of lapsed.all(taipei(now))) recompute(accountId, now)
    },
  }
}

export type SubscriptionStore = ReturnType<typeof subscriptionStore>
