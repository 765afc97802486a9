import type { PlanId } from '../../catalog/dataset.ts'
import { PLANS } from '../../catalog/plans.ts'

/** What an account was given and pays for; null where it has none. */
export interface PlanSources {
  readonly grantPlan: PlanId | null
  /** RFC 3339 in Taipei; null for a grant without an end. */
  readonly grantExpiresAt: string | null
  readonly paidPlan: PlanId | null
  /** End of the days of grace of an unpaid subscription; null while it is paid. */
  readonly paidEndsAt: string | null
}

export interface EffectivePlan {
  readonly plan: PlanId
  readonly source: 'free' | 'grant' | 'subscription'
}

/** Columns of `PlanSources` and the joins they need, for a query over `account AS a`. */
export const PLAN_COLUMNS = 'g.plan_id AS grantPlan, g.expires_at AS grantExpiresAt, p.plan_id AS paidPlan, p.ends_at AS paidEndsAt'
export const PLAN_JOINS = 'LEFT JOIN plan_grant g ON g.account_id = a.id LEFT JOIN paid_plan p ON p.account_id = a.id'

/** The highest plan in force at that moment, the paid one where both are equal; free when none is. */
export function effectivePlan({ grantPlan, grantExpiresAt, paidPlan, paidEndsAt }: PlanSources, now: string): EffectivePlan {
  const inForce = (plan: PlanId | null, until: string | null): PlanId => (plan !== null && (until === null || until > now) ? plan : 'free')
  const [paid, granted] = [inForce(paidPlan, paidEndsAt), inForce(grantPlan, grantExpiresAt)]
  if (paid === 'free' && granted === 'free') return { plan: 'free', source: 'free' }
  return PLANS[granted].rank > PLANS[paid].rank ? { plan: granted, source: 'grant' } : { plan: paid, source: 'subscription' }
}
