import type { PlanId } from './schema/index.ts'

export interface Plan {
  readonly id: PlanId
  readonly name: string
  readonly rank: number
  /** Price per month without tax. `amount` is in minor units, such as cents. */
  readonly price: { readonly amount: number; readonly currency: 'TWD' }
  readonly creditsPerMonth: number
  /** Maximum rows in one response. */
  readonly rowLimit: number
  readonly requestsPerMinute: number
  readonly requestsAtOnce: number
  readonly webhookEndpoints: number
  readonly features: readonly string[]
}

/** All plans, lowest rank first. */
export type Plans = Readonly<Record<PlanId, Plan>>

/** Plans that apply without a plans file. */
export const BUILT_IN_PLANS: Plans = {
  free: {
    id: 'free',
    name: 'Free',
    rank: 0,
    price: { amount: 0, currency: 'TWD' },
    creditsPerMonth: 1_000,
    rowLimit: 1_000,
    requestsPerMinute: 60,
    requestsAtOnce: 2,
    webhookEndpoints: 1,
    features: ['self_serve_keys', 'usage_reports'],
  },
  pro: {
    id: 'pro',
    name: 'Pro',
    rank: 1,
    price: { amount: 99_000, currency: 'TWD' },
    creditsPerMonth: 100_000,
    rowLimit: 20_000,
    requestsPerMinute: 600,
    requestsAtOnce: 6,
    webhookEndpoints: 5,
    features: ['self_serve_keys', 'usage_reports', 'capital_flows', 'financial_reports', 'risk_events'],
  },
  max: {
    id: 'max',
    name: 'Max',
    rank: 2,
    price: { amount: 299_000, currency: 'TWD' },
    creditsPerMonth: 1_000_000,
    rowLimit: 100_000,
    requestsPerMinute: 3_000,
    requestsAtOnce: 12,
    webhookEndpoints: 20,
    features: ['self_serve_keys', 'usage_reports', 'capital_flows', 'financial_reports', 'risk_events', 'yield_curve'],
  },
}

const current: Record<PlanId, Plan> = { ...BUILT_IN_PLANS }
let revision = 0

/** Plans of this process. Do not copy values, because `setPlans` can change them. */
export const PLANS: Plans = current

export function setPlans(plans: Plans): void {
  Object.assign(current, plans)
  revision++
}

/** Changes with each `setPlans`, so that cached texts about plans can expire. */
export const plansRevision = (): number => revision

export const UPGRADE_URL = '/v2/product/tiers'

/** True if `plan` includes everything in `least`. */
export const meets = (plan: PlanId, least: PlanId): boolean => PLANS[plan].rank >= PLANS[least].rank
