import { taipei } from '../../core/index.ts'
import type { Database } from '../state/db.ts'
import { bringsPlan, byRank, graceEnd, type Subscription } from './subscription.ts'

/**
 * The plan each account pays for, kept beside its subscriptions so that a key's look-up needs no sum.
 *
 * @param of the subscriptions of an account; the first of equal ones is preferred
 */
export function paidPlans(db: Database, of: (accountId: string) => readonly Subscription[]) {
  const put = db.prepare(
    'INSERT INTO paid_plan (account_id, plan_id, ends_at) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET plan_id = excluded.plan_id, ends_at = excluded.ends_at',
  )
  const drop = db.prepare('DELETE FROM paid_plan WHERE account_id = ?')
  const lapsed = db.prepare<[string], { accountId: string }>('SELECT account_id AS accountId FROM paid_plan WHERE ends_at <= ?')
  /** The best plan among those the subscriptions bring becomes the one paid for. */
  const recompute = (accountId: string, now: Date): void => {
    const [best] = of(accountId)
      .filter(subscription => bringsPlan(subscription, now))
      .sort(byRank)
    if (!best || best.planId === 'free') return void drop.run(accountId)
    put.run(accountId, best.planId, graceEnd(best))
  }
  return {
    recompute,
    /** Where days of grace are over, the next best plan there is takes the place of the unpaid one. */
    lapse(now: Date): void {
      for (const { accountId } of lapsed.all(taipei(now))) recompute(accountId, now)
    },
  }
}
