import { PLANS, type PlanId } from '../../catalog/index.ts'
import { type Limits, taipei } from '../core/index.ts'
import type { Database } from './db.ts'

/** Plans and limits of an account. Null if not set. */
export interface PlanSources {
  readonly grantPlan: PlanId | null
  /** End of the grant, RFC 3339 in Taipei. Null if the grant does not expire. */
  readonly grantExpiresAt: string | null
  readonly paidPlan: PlanId | null
  /** End of the grace period, RFC 3339 in Taipei. Null while all bills are paid. */
  readonly paidEndsAt: string | null
  readonly ownRowLimit: number | null
  readonly ownRequestsPerMinute: number | null
  readonly ownRequestsAtOnce: number | null
  readonly ownCreditsPerMonth: number | null
}

export interface ActiveGrant {
  readonly planId: PlanId
  readonly expiresAt: string | null
}

/**
 * Returns the granted plan, even if the paid plan is higher. Null if the grant has expired.
 *
 * @param now RFC 3339 in Taipei
 */
export const activeGrant = (
  { grantPlan, grantExpiresAt }: Pick<PlanSources, 'grantPlan' | 'grantExpiresAt'>,
  now: string,
): ActiveGrant | null =>
  grantPlan !== null && (grantExpiresAt === null || grantExpiresAt > now) ? { planId: grantPlan, expiresAt: grantExpiresAt } : null

export interface EffectivePlan {
  readonly plan: PlanId
  readonly source: 'free' | 'grant' | 'subscription'
}

type GrantedAndPaid = Pick<PlanSources, 'grantPlan' | 'grantExpiresAt' | 'paidPlan' | 'paidEndsAt'>

/**
 * SQL for the columns of `PlanSources`. Subqueries are faster than joins here.
 *
 * @param account SQL expression of the account id
 */
export const planColumns = (account: string): string =>
  Object.entries({
    grantPlan: 'plan_id FROM plan_grant',
    grantExpiresAt: 'expires_at FROM plan_grant',
    paidPlan: 'plan_id FROM paid_plan',
    paidEndsAt: 'ends_at FROM paid_plan',
    ownRowLimit: 'row_limit FROM account_limit',
    ownRequestsPerMinute: 'requests_per_minute FROM account_limit',
    ownRequestsAtOnce: 'requests_at_once FROM account_limit',
    ownCreditsPerMonth: 'credits_per_month FROM account_limit',
  })
    .map(([name, column]) => `(SELECT ${column} WHERE account_id = ${account}) AS ${name}`)
    .join(', ')

/**
 * Returns the highest active plan, or `free`.
 * @param now RFC 3339 in Taipei
 */
export function effectivePlan({ grantPlan, grantExpiresAt, paidPlan, paidEndsAt }: GrantedAndPaid, now: string): EffectivePlan {
  const inForce = (plan: PlanId | null, until: string | null): PlanId => (plan !== null && (until === null || until > now) ? plan : 'free')
  const paid = inForce(paidPlan, paidEndsAt)
  const granted = inForce(grantPlan, grantExpiresAt)
  if (paid === 'free' && granted === 'free') return { plan: 'free', source: 'free' }
  return PLANS[granted].rank > PLANS[paid].rank ? { plan: granted, source: 'grant' } : { plan: paid, source: 'subscription' }
}

export function limitsOn(plan: PlanId, own: Omit<PlanSources, keyof GrantedAndPaid>): Limits {
  const { rowLimit, requestsPerMinute, requestsAtOnce, creditsPerMonth } = PLANS[plan]
  return {
    rowLimit: own.ownRowLimit ?? rowLimit,
    requestsPerMinute: own.ownRequestsPerMinute ?? requestsPerMinute,
    requestsAtOnce: own.ownRequestsAtOnce ?? requestsAtOnce,
    creditsPerMonth: own.ownCreditsPerMonth ?? creditsPerMonth,
  }
}

export function createGrantFinder(db: Database): (accountId: string, now: Date) => ActiveGrant | null {
  const find = db.prepare<[string], Pick<PlanSources, 'grantPlan' | 'grantExpiresAt'>>(
    'SELECT plan_id AS grantPlan, expires_at AS grantExpiresAt FROM plan_grant WHERE account_id = ?',
  )
  return (accountId, now) => {
    const stored = find.get(accountId)
    return stored ? activeGrant(stored, taipei(now)) : null
  }
}
