import type { PlanId } from './schema/index.ts'

/** Price and limits of a plan. */
export interface Plan {
  readonly id: PlanId
  readonly name: string
  readonly rank: number
  /** Per month, without tax. `amount` is an integer in minor units. */
  readonly price: { readonly amount: number; readonly currency: 'TWD' }
  readonly creditsPerMonth: number
  /** Maximum number of rows in one answer. */
  readonly rowLimit: number
  readonly requestsPerMinute: number
  readonly requestsAtOnce: number
  /** Maximum number of webhook endpoints. */
  readonly webhookEndpoints: number
  /** Features of the plan, as snake_case words. */
  readonly features: readonly string[]
}

/** All plans, in ascending order of rank. */
export type Plans = Readonly<Record<PlanId, Plan>>

/** Plans of a service without a plans file. */
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

/**
 * Prices and limits of the plans in effect in this process. Read them for each use, because
 * `setPlans` can change them.
 */
export const PLANS: Plans = current

/** Replaces the plans in effect in this process. */
export function setPlans(plans: Plans): void {
  Object.assign(current, plans)
  revision++
}

/**
 * Number that changes with each `setPlans`. If it differs, cached texts that contain plans are
 * outdated.
 */
export const plansRevision = (): number => revision

/** Page about the plans. Refusals that concern a plan or credits link to it. */
export const UPGRADE_URL = '/v2/product/tiers'

/** True if `plan` includes everything that `least` includes. */
export const meets = (plan: PlanId, least: PlanId): boolean => PLANS[plan].rank >= PLANS[least].rank
