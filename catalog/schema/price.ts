/** Ids of the plans, lowest rank first. */
export const PLAN_IDS = ['free', 'pro', 'max'] as const
export type PlanId = (typeof PLAN_IDS)[number]

/** The lowest plan that may call a product, and the credits charged for each response. */
export interface Access {
  readonly plan: PlanId
  readonly credits: number
}

/**
 * A product with a price per call. This is a dataset, or an endpoint that combines several
 * datasets.
 */
export interface Priced {
  readonly slug: string
  /** Identifier in responses and usage reports. */
  readonly id: string
  /** Absent if the product is not sold. */
  readonly access?: Access
}
