import type { PlanId } from '../../../catalog/dataset.ts'
import { PLANS } from '../../../catalog/plans.ts'
import { taipei } from '../../core/clock.ts'
import type { Database } from '../db.ts'
import type { ProviderSubscription } from './stripe.ts'

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

/** True while the subscription brings its plan: active, in trial, or unpaid for less than the days of grace. */
export const isLive = ({ status }: Pick<Subscription, 'status'>): boolean =>
  status === 'active' || status === 'trialing' || status === 'past_due'

/** Subscriptions, and per account the plan they pay for, kept beside it so that a key's look-up needs no sum. */
export function subscriptionStore(db: Database) {
  const byId = db.prepare<[string], Stored>(`${SELECT} WHERE id = ?`)
  const byAccount = db.prepare<[string], Stored>(`${SELECT} WHERE account_id = ? ORDER BY id`)
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
  const noPaid = db.prepare('DELETE FROM paid_plan WHERE account_id = ?')
  const keyOf = db.prepare<[string], { keyId: string | null }>('SELECT key_id AS keyId FROM subscription WHERE id = ?')
  const setKey = db.prepare('UPDATE subscription SET key_id = ? WHERE id = ?')
  const read = (stored: Stored): Subscription => ({ ...stored, cancelAtPeriodEnd: stored.cancelAtPeriodEnd === 1 })
  const of = (accountId: string): readonly Subscription[] => byAccount.all(accountId).map(read)

  /** The best plan among the live subscriptions becomes the one paid for. */
  const recompute = (accountId: string): void => {
    const [best] = of(accountId)
      .filter(isLive)
      .sort((a, b) => PLANS[b.planId].rank - PLANS[a.planId].rank)
    if (!best || best.planId === 'free') return void noPaid.run(accountId)
    const ends = best.pastDueSince === null ? null : taipei(new Date(Date.parse(best.pastDueSince) + GRACE_MS))
    setPaid.run(accountId, best.planId, ends)
  }
  const sync = db.transaction(
    (
      accountId: string,
      { id, customerId, status, currentPeriodEnd, cancelAtPeriodEnd }: ProviderSubscription,
      planId: PlanId,
      now: Date,
    ): void => {
      const before = byId.get(id)
      const pastDueSince = status === 'past_due' ? (before?.pastDueSince ?? taipei(now)) : null
      const flag = cancelAtPeriodEnd ? 1 : 0
      put.run({ id, accountId, customerId, status, planId, currentPeriodEnd, cancelAtPeriodEnd: flag, pastDueSince, syncedAt: taipei(now) })
      recompute(accountId)
    },
  )
  return {
    get: (id: string): Subscription | undefined => {
      const stored = byId.get(id)
      return stored && read(stored)
    },
    of,
    all: (): readonly Subscription[] => all.all().map(read),
    /** Id of the key issued for the subscription, or null. */
    keyOf: (id: string): string | null => keyOf.get(id)?.keyId ?? null,
    setKey: (id: string, keyId: string): void => void setKey.run(keyId, id),
    /** Takes over what the provider says, and the plan that follows from it, together. */
    sync: (accountId: string, subscription: ProviderSubscription, planId: PlanId, now: Date): void =>
      sync.immediate(accountId, subscription, planId, now),
  }
}

export type SubscriptionStore = ReturnType<typeof subscriptionStore>
