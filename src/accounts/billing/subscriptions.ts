import type { PlanId } from '../../../catalog/index.ts'
import { taipei } from '../../core/index.ts'
import type { Database } from '../state/db.ts'
import { paidPlans } from './paid-plan.ts'
import type { ProviderSubscription } from './shapes.ts'
import type { Subscription } from './subscription.ts'

type Stored = Omit<Subscription, 'cancelAtPeriodEnd'> & { readonly cancelAtPeriodEnd: number }

const SELECT = `SELECT id, account_id AS accountId, customer_id AS customerId, status, plan_id AS planId, current_period_end AS currentPeriodEnd,
  cancel_at_period_end AS cancelAtPeriodEnd, past_due_since AS pastDueSince FROM subscription`

const PUT = `INSERT INTO subscription (id, account_id, customer_id, status, plan_id, current_period_end, cancel_at_period_end, past_due_since, synced_at)
  VALUES (@id, @accountId, @customerId, @status, @planId, @currentPeriodEnd, @cancelAtPeriodEnd, @pastDueSince, @syncedAt)
  ON CONFLICT DO UPDATE SET status = excluded.status, plan_id = excluded.plan_id, current_period_end = excluded.current_period_end,
    cancel_at_period_end = excluded.cancel_at_period_end, past_due_since = excluded.past_due_since, synced_at = excluded.synced_at`

/** Subscriptions as last read from the provider, and with each change the plan its account pays for. */
export function createSubscriptionStore(db: Database) {
  const byId = db.prepare<[string], Stored>(`${SELECT} WHERE id = ?`)
  const ofAccount = db.prepare<[string], Stored>(`${SELECT} WHERE account_id = ? ORDER BY current_period_end, id`)
  const all = db.prepare<[], Stored>(`${SELECT} ORDER BY id`)
  const put = db.prepare(PUT)
  const keyOf = db.prepare<[string], { keyId: string | null }>('SELECT key_id AS keyId FROM subscription WHERE id = ?')
  const setKey = db.prepare('UPDATE subscription SET key_id = ? WHERE id = ?')
  const byAccount = (accountId: string): readonly Subscription[] => ofAccount.all(accountId).map(read)
  const { recompute, lapse } = paidPlans(db, byAccount)
  const sync = db.transaction((named: string, found: ProviderSubscription, planId: PlanId, now: Date): void => {
    const before = byId.get(found.id)
    // A subscription stays with the account it was first known under, whatever an event names.
    const accountId = before?.accountId ?? named
    put.run(rowOf(found, { accountId, planId, before }, now))
    recompute(accountId, now)
  })
  return {
    get: (id: string): Subscription | undefined => {
      const stored = byId.get(id)
      return stored && read(stored)
    },
    /** All of an account's, in the order their periods end. */
    byAccount,
    all: (): readonly Subscription[] => all.all().map(read),
    /** Id of the key issued for the subscription, or null. */
    keyOf: (id: string): string | null => keyOf.get(id)?.keyId ?? null,
    setKey: (id: string, keyId: string): void => void setKey.run(keyId, id),
    /** Takes over what the provider says, and the plan that follows from it, together. */
    sync: (accountId: string, subscription: ProviderSubscription, planId: PlanId, now: Date): void =>
      sync.immediate(accountId, subscription, planId, now),
    lapse,
  }
}

const read = (stored: Stored): Subscription => ({ ...stored, cancelAtPeriodEnd: stored.cancelAtPeriodEnd === 1 })

interface Known {
  readonly accountId: string
  readonly planId: PlanId
  readonly before: Stored | undefined
}

const rowOf = (found: ProviderSubscription, { accountId, planId, before }: Known, now: Date) => ({
  id: found.id,
  accountId,
  customerId: found.customerId,
  status: found.status,
  planId,
  currentPeriodEnd: found.currentPeriodEnd,
  cancelAtPeriodEnd: found.cancelAtPeriodEnd ? 1 : 0,
  pastDueSince: found.status === 'past_due' ? (before?.pastDueSince ?? taipei(now)) : null,
  syncedAt: taipei(now),
})

export type SubscriptionStore = ReturnType<typeof createSubscriptionStore>
