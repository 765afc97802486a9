import type { PlanId } from '../../catalog/index.ts'
import { taipei } from '../core/index.ts'
import type { Database } from '../state/index.ts'
import { createBilledPeriods } from './billed-periods.ts'
import type { ProviderSubscription } from './provider-data.ts'
import { bringsPlan, byRank, graceEnd, type Subscription } from './subscription.ts'

type StoredSubscription = Omit<Subscription, 'cancelAtPeriodEnd'> & { readonly cancelAtPeriodEnd: number }

const SELECT = `SELECT id, account_id AS accountId, customer_id AS customerId, status, plan_id AS planId, current_period_end AS currentPeriodEnd,
  cancel_at_period_end AS cancelAtPeriodEnd, past_due_since AS pastDueSince FROM subscription`

const UPSERT = `INSERT INTO subscription (id, account_id, customer_id, status, plan_id, current_period_end, cancel_at_period_end, past_due_since, synced_at)
  VALUES (@id, @accountId, @customerId, @status, @planId, @currentPeriodEnd, @cancelAtPeriodEnd, @pastDueSince, @syncedAt)
  ON CONFLICT DO UPDATE SET status = excluded.status, plan_id = excluded.plan_id, current_period_end = excluded.current_period_end,
    cancel_at_period_end = excluded.cancel_at_period_end, past_due_since = excluded.past_due_since, synced_at = excluded.synced_at`

/** Stores subscriptions as last read from the provider. Changes also update the paid plan. */
export function createSubscriptionStore(db: Database) {
  const byId = db.prepare<[string], StoredSubscription>(`${SELECT} WHERE id = ?`)
  const ofAccount = db.prepare<[string], StoredSubscription>(`${SELECT} WHERE account_id = ? ORDER BY current_period_end, id`)
  const all = db.prepare<[], StoredSubscription>(`${SELECT} ORDER BY id`)
  const upsert = db.prepare(UPSERT)
  const keyOf = db.prepare<[string], { keyId: string | null }>('SELECT key_id AS keyId FROM subscription WHERE id = ?')
  const setKey = db.prepare('UPDATE subscription SET key_id = ? WHERE id = ?')
  const replaceKey = db.prepare('UPDATE subscription SET key_id = ? WHERE key_id = ?')
  const byAccount = (accountId: string): readonly Subscription[] => ofAccount.all(accountId).map(parseRow)
  const periods = createBilledPeriods(db)
  const { recompute, lapse } = createPaidPlans(db, byAccount)
  const reassign = db.prepare('UPDATE subscription SET account_id = ? WHERE account_id = ?')
  const sync = db.transaction((namedAccountId: string, subscription: ProviderSubscription, planId: PlanId, now: Date): void => {
    const previous = byId.get(subscription.id)
    // Events never move a subscription to another account.
    const accountId = previous?.accountId ?? namedAccountId
    upsert.run(rowOf(subscription, { accountId, planId, previous }, now))
    periods.record(subscription, planId, previous?.status, now)
    recompute(accountId, now)
  })
  return {
    get: (id: string): Subscription | undefined => {
      const stored = byId.get(id)
      return stored && parseRow(stored)
    },
    /** Sorted by the end of the period. */
    byAccount,
    billedBetween: periods.between,
    all: (): readonly Subscription[] => all.all().map(parseRow),
    keyOf: (id: string): string | null => keyOf.get(id)?.keyId ?? null,
    setKey: (id: string, keyId: string): void => void setKey.run(keyId, id),
    replaceKey: (formerKeyId: string, keyId: string): void => void replaceKey.run(keyId, formerKeyId),
    billedPeriods: periods.ofAccount,
    sync: (accountId: string, subscription: ProviderSubscription, planId: PlanId, now: Date): void =>
      sync.immediate(accountId, subscription, planId, now),
    /**
     * Moves all subscriptions and the paid plan.
     * @returns the ids of the subscriptions
     */
    move(formerOwner: string, newOwner: string, now: Date): readonly string[] {
      const moved = byAccount(formerOwner).map(({ id }) => id)
      if (moved.length === 0) return moved
      reassign.run(newOwner, formerOwner)
      recompute(formerOwner, now)
      recompute(newOwner, now)
      return moved
    },
    lapse,
  }
}

const parseRow = (stored: StoredSubscription): Subscription => ({ ...stored, cancelAtPeriodEnd: stored.cancelAtPeriodEnd === 1 })

interface RowContext {
  readonly accountId: string
  readonly planId: PlanId
  readonly previous: StoredSubscription | undefined
}

const rowOf = (subscription: ProviderSubscription, { accountId, planId, previous }: RowContext, now: Date) => ({
  id: subscription.id,
  accountId,
  customerId: subscription.customerId,
  status: subscription.status,
  planId,
  currentPeriodEnd: subscription.currentPeriodEnd,
  cancelAtPeriodEnd: subscription.cancelAtPeriodEnd ? 1 : 0,
  pastDueSince: subscription.status === 'past_due' ? (previous?.pastDueSince ?? taipei(now)) : null,
  syncedAt: taipei(now),
})

/**
 * Stores the paid plan per account, so that authentication need not read subscriptions.
 *
 * @param byAccount returns the subscriptions of an account
 */
function createPaidPlans(db: Database, byAccount: (accountId: string) => readonly Subscription[]) {
  const put = db.prepare(
    'INSERT INTO paid_plan (account_id, plan_id, ends_at) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET plan_id = excluded.plan_id, ends_at = excluded.ends_at',
  )
  const remove = db.prepare('DELETE FROM paid_plan WHERE account_id = ?')
  const lapsed = db.prepare<[string], { accountId: string }>('SELECT account_id AS accountId FROM paid_plan WHERE ends_at <= ?')
  const recompute = (accountId: string, now: Date): void => {
    const [best] = byAccount(accountId)
      .filter(subscription => bringsPlan(subscription, now))
      .sort(byRank)
    if (!best || best.planId === 'free') return void remove.run(accountId)
    put.run(accountId, best.planId, graceEnd(best))
  }
  return {
    recompute,
    lapse(now: Date): void {
      for (const { accountId } of lapsed.all(taipei(now))) recompute(accountId, now)
    },
  }
}

export type SubscriptionStore = ReturnType<typeof createSubscriptionStore>
