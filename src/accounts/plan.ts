import { PLANS, type PlanId } from '../../catalog/index.ts'

/** The plans an account was granted and pays for; null where it has none. */
export interface PlanSources {
  readonly grantPlan: PlanId | null
  /** RFC 3339 in Taipei; null for a grant without an end. */
  readonly grantExpiresAt: string | null
  readonly paidPlan: PlanId | null
  /** End of the days of grace of an unpaid subscription, RFC 3339 in Taipei; null while bills are paid. */
  readonly paidEndsAt: string | null
}

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
