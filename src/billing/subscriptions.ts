import type { PlanId } from '../../catalog/index.ts'
import { taipei } from '../core/index.ts'
import type { Database } from '../state/index.ts'
import { createBilledPeriods } from './billed-periods.ts'
import type { ProviderSubscription } from './shapes.ts'
import { bringsPlan, byRank, graceEnd, type Subscription } from './subscription.ts'

type Stored = Omit<Subscription, 'cancelAtPeriodEnd'> & { readonly cancelAtPeriodEnd: number }

const SELECT = `SELECT id, account_id AS accountId, customer_id AS customerId, status, plan_id AS planId, current_period_end AS currentPeriodEnd,
  cancel_at_period_end AS cancelAtPeriodEnd, past_due_since AS pastDueSince FROM subscription`

const PUT = `INSERT INTO subscription (id, account_id, customer_id, status, plan_id, current_period_end, cancel_at_period_end, past_due_since, synced_at)
  VALUES (@id, @accountId, @customerId, @status, @planId, @currentPeriodEnd, @cancelAtPeriodEnd, @pastDueSince, @syncedAt)
  ON CONFLICT DO UPDATE SET status = excluded.status, plan_id = excluded.plan_id, current_period_end = excluded.current_period_end,
    cancel_at_period_end = excluded.cancel_at_period_end, past_due_since = excluded.past_due_since, synced_at = excluded.synced_at`

/** Subscriptions as last read from the provider. Each change also updates the plan its account pays for. */
export function createSubscriptionStore(db: Database) {
  const byId = db.prepare<[string], Stored>(`${SELECT} WHERE id = ?`)
  const ofAccount = db.prepare<[string], Stored>(`${SELECT} WHERE account_id = ? ORDER BY current_period_end, id`)
  const all = db.prepare<[], Stored>(`${SELECT} ORDER BY id`)
  const put = db.prepare(PUT)
  const keyOf = db.prepare<[string], { keyId: string | null }>('SELECT key_id AS keyId FROM subscription WHERE id = ?')
  const setKey = db.prepare('UPDATE subscription SET key_id = ? WHERE id = ?')
  const byAccount = (accountId: string): readonly Subscription[] => ofAccount.all(accountId).map(read)
  const periods = createBilledPeriods(db)
  const { recompute, lapse } = createPaidPlans(db, byAccount)
  const give = db.prepare('UPDATE subscription SET account_id = ? WHERE account_id = ?')
  const sync = db.transaction((named: string, found: ProviderSubscription, planId: PlanId, now: Date): void => {
    const before = byId.get(found.id)
    // A subscription stays with the account it was first stored for, whatever an event names.
    const accountId = before?.accountId ?? named
    put.run(rowOf(found, { accountId, planId, before }, now))
    periods.note(found, planId, before?.status, now)
    recompute(accountId, now)
  })
  return {
    get: (id: string): Subscription | undefined => {
      const stored = byId.get(id)
      return stored && read(stored)
    },
    /** All subscriptions of an account, in the order their periods end. */
    byAccount,
    /** What an account's subscriptions cost between two moments, those that ended included. */
    billed: periods.between,
    all: (): readonly Subscription[] => all.all().map(read),
    /** Id of the key issued for the subscription, or null. */
    keyOf: (id: string): string | null => keyOf.get(id)?.keyId ?? null,
    setKey: (id: string, keyId: string): void => void setKey.run(keyId, id),
    /** Stores what the provider says and the plan that follows from it, in one transaction. */
    sync: (accountId: string, subscription: ProviderSubscription, planId: PlanId, now: Date): void =>
      sync.immediate(accountId, subscription, planId, now),
    /** Gives every subscription of an account to another, with the plan they bring. @returns their ids */
    move(from: string, to: string, now: Date): readonly string[] {
      const moved = byAccount(from).map(({ id }) => id)
      if (moved.length === 0) return moved
      give.run(to, from)
      recompute(from, now)
      recompute(to, now)
      return moved
    },
    /** Replaces unpaid plans whose days of grace are over. */
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

/**
 * The plan each account pays for, stored so that authentication does not have to derive it from subscriptions.
 *
 * @param byAccount the subscriptions of an account; the first of equal plans is preferred
 */
function createPaidPlans(db: Database, byAccount: (accountId: string) => readonly Subscription[]) {
  const put = db.prepare(
    'INSERT INTO paid_plan (account_id, plan_id, ends_at) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET plan_id = excluded.plan_id, ends_at = excluded.ends_at',
  )
  const drop = db.prepare('DELETE FROM paid_plan WHERE account_id = ?')
  const lapsed = db.prepare<[string], { accountId: string }>('SELECT account_id AS accountId FROM paid_plan WHERE ends_at <= ?')
  /** Stores the highest plan the account's subscriptions bring. */
  const recompute = (accountId: string, now: Date): void => {
    const [best] = byAccount(accountId)
      .filter(subscription => bringsPlan(subscription, now))
      .sort(byRank)
    if (!best || best.planId === 'free') return void drop.run(accountId)
    put.run(accountId, best.planId, graceEnd(best))
  }
  return {
    recompute,
    /** Replaces unpaid plans whose days of grace are over with the next highest one there is. */
    lapse(now: Date): void {
      for (const { accountId } of lapsed.all(taipei(now))) recompute(accountId, now)
    },
  }
}

export type SubscriptionStore = ReturnType<typeof createSubscriptionStore>
