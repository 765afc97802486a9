import { PLANS, type PlanId } from '../../catalog/index.ts'
import { type Limits, taipei } from '../core/index.ts'
import type { Database } from './db.ts'

/**
 * An account's granted and paid plans, and the limits that the operator set. Each is null if there
 * is none.
 */
export interface PlanSources {
  readonly grantPlan: PlanId | null
  /** RFC 3339 in Taipei. Null if the grant does not expire. */
  readonly grantExpiresAt: string | null
  readonly paidPlan: PlanId | null
  /**
   * End of the grace period of an unpaid subscription, RFC 3339 in Taipei. Null while bills are
   * paid.
   */
  readonly paidEndsAt: string | null
  readonly ownRowLimit: number | null
  readonly ownRequestsPerMinute: number | null
  readonly ownRequestsAtOnce: number | null
  readonly ownCreditsPerMonth: number | null
}

/** A granted plan that has not expired. `expiresAt` is null if it never does. */
export interface ActiveGrant {
  readonly planId: PlanId
  readonly expiresAt: string | null
}

/**
 * The active grant, even if the paid plan is higher. Null if there is none.
 *
 * @param now RFC 3339 in Taipei
 */
export const activeGrant = (
  { grantPlan, grantExpiresAt }: Pick<PlanSources, 'grantPlan' | 'grantExpiresAt'>,
  now: string,
): ActiveGrant | null =>
  grantPlan !== null && (grantExpiresAt === null || grantExpiresAt > now) ? { planId: grantPlan, expiresAt: grantExpiresAt } : null

/** The current plan of an account, and its source. */
export interface EffectivePlan {
  readonly plan: PlanId
  readonly source: 'free' | 'grant' | 'subscription'
}

type GrantedAndPaid = Pick<PlanSources, 'grantPlan' | 'grantExpiresAt' | 'paidPlan' | 'paidEndsAt'>

/**
 * Columns of `PlanSources` for the account id that the SQL expression `account` yields. They are
 * subqueries, because SQLite prepares a join with bound values again for each value, which costs
 * more.
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
 * The highest active plan. If both are equal, the paid one. If there is none, `free`.
 *
 * @param now RFC 3339 in Taipei
 */
export function effectivePlan({ grantPlan, grantExpiresAt, paidPlan, paidEndsAt }: GrantedAndPaid, now: string): EffectivePlan {
  const inForce = (plan: PlanId | null, until: string | null): PlanId => (plan !== null && (until === null || until > now) ? plan : 'free')
  const paid = inForce(paidPlan, paidEndsAt)
  const granted = inForce(grantPlan, grantExpiresAt)
  if (paid === 'free' && granted === 'free') return { plan: 'free', source: 'free' }
  return PLANS[granted].rank > PLANS[paid].rank ? { plan: granted, source: 'grant' } : { plan: paid, source: 'subscription' }
}

/** Limits of an account: those of its plan, unless the operator set others. */
export function limitsOn(plan: PlanId, own: Omit<PlanSources, keyof GrantedAndPaid>): Limits {
  const { rowLimit, requestsPerMinute, requestsAtOnce, creditsPerMonth } = PLANS[plan]
  return {
    rowLimit: own.ownRowLimit ?? rowLimit,
    requestsPerMinute: own.ownRequestsPerMinute ?? requestsPerMinute,
    requestsAtOnce: own.ownRequestsAtOnce ?? requestsAtOnce,
    creditsPerMonth: own.ownCreditsPerMonth ?? creditsPerMonth,
  }
}

/** Creates a lookup of an account's active grant. */
export function createGrantFinder(db: Database): (accountId: string, now: Date) => ActiveGrant | null {
  const find = db.prepare<[string], Pick<PlanSources, 'grantPlan' | 'grantExpiresAt'>>(
    'SELECT plan_id AS grantPlan, expires_at AS grantExpiresAt FROM plan_grant WHERE account_id = ?',
  )
  return (accountId, now) => {
    const stored = find.get(accountId)
    return stored ? activeGrant(stored, taipei(now)) : null
  }
}
