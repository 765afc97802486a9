import type { PlanId } from '../../catalog/dataset.ts'
import { PLANS } from '../../catalog/plans.ts'

/** What an account was given or pays for; null where it has none. */
export interface PlanSources {
  readonly grantPlan: PlanId | null
  /** RFC 3339 in Taipei; null for a grant without an end. */
  readonly grantExpiresAt: string | null
}

export interface EffectivePlan {
  readonly plan: PlanId
  readonly source: 'free' | 'grant'
}

/** The highest plan in force at that moment; free when none is. */
export function effectivePlan({ grantPlan, grantExpiresAt }: PlanSources, now: string): EffectivePlan {
  const granted = grantPlan !== null && (grantExpiresAt === null || grantExpiresAt > now) ? grantPlan : null
  return granted !== null && PLANS[granted].rank > PLANS.free.rank ? { plan: granted, source: 'grant' } : { plan: 'free', source: 'free' }
}
