import { PLANS, type PlanId } from '../../catalog/index.ts'
import { taipei } from '../core/index.ts'
import type { Database } from './db.ts'

/** The plans an account was granted and pays for; null where it has none. */
export interface PlanSources {
  readonly grantPlan: PlanId | null
  /** RFC 3339 in Taipei; null for a grant without an end. */
  readonly grantExpiresAt: string | null
  readonly paidPlan: PlanId | null
  /** End of the days of grace of an unpaid subscription, RFC 3339 in Taipei; null while bills are paid. */
  readonly paidEndsAt: string | null
}

/** A granted plan while it lasts; `expiresAt` is null for one without an end. */
export interface HeldGrant {
  readonly planId: PlanId
  readonly expiresAt: string | null
}

/** The grant in force at a moment, whether or not a paid plan is higher; null where there is none. @param now RFC 3339 in Taipei */
export const heldGrant = (
  { grantPlan, grantExpiresAt }: Pick<PlanSources, 'grantPlan' | 'grantExpiresAt'>,
  now: string,
): HeldGrant | null =>
  grantPlan !== null && (grantExpiresAt === null || grantExpiresAt > now) ? { planId: grantPlan, expiresAt: grantExpiresAt } : null

/** The plan an account has now, and what it has it from. */
export interface EffectivePlan {
  readonly plan: PlanId
  readonly source: 'free' | 'grant' | 'subscription'
}

/**
 * Columns of `PlanSources`, for the account whose id the SQL expression `account` yields. They are looked up one by one: SQLite prepares a
 * join with bound values again for every value, which costs more than the look-ups.
 */
export const planColumns = (account: string): string =>
  Object.entries({
    grantPlan: 'plan_id FROM plan_grant',
    grantExpiresAt: 'expires_at FROM plan_grant',
    paidPlan: 'plan_id FROM paid_plan',
    paidEndsAt: 'ends_at FROM paid_plan',
  })
    .map(([name, column]) => `(SELECT ${column} WHERE account_id = ${account}) AS ${name}`)
    .join(', ')

/** The highest plan in force at a moment, the paid one when both are equal; free when none is. @param now RFC 3339 in Taipei */
export function effectivePlan({ grantPlan, grantExpiresAt, paidPlan, paidEndsAt }: PlanSources, now: string): EffectivePlan {
  const inForce = (plan: PlanId | null, until: string | null): PlanId => (plan !== null && (until === null || until > now) ? plan : 'free')
  const [paid, granted] = [inForce(paidPlan, paidEndsAt), inForce(grantPlan, grantExpiresAt)]
  if (paid === 'free' && granted === 'free') return { plan: 'free', source: 'free' }
  return PLANS[granted].rank > PLANS[paid].rank ? { plan: granted, source: 'grant' } : { plan: paid, source: 'subscription' }
}

/** Looks up the grant of an account that a key belongs to. @param db the connection that looks keys up */
export function createGrantFinder(db: Database): (accountId: string, now: Date) => HeldGrant | null {
  const find = db.prepare<[string], Pick<PlanSources, 'grantPlan' | 'grantExpiresAt'>>(
    'SELECT plan_id AS grantPlan, expires_at AS grantExpiresAt FROM plan_grant WHERE account_id = ?',
  )
  return (accountId, now) => {
    const stored = find.get(accountId)
    return stored ? heldGrant(stored, taipei(now)) : null
  }
}
