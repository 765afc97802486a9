/** Lowest rank first. */
export const PLAN_IDS = ['free', 'pro', 'max'] as const
export type PlanId = (typeof PLAN_IDS)[number]

/** Lowest plan that may call a product, and the credits per response. */
export interface Access {
  readonly plan: PlanId
  readonly credits: number
}

/** A product with a price per call: a dataset, or an endpoint over several datasets. */
export interface Priced {
  readonly slug: string
  readonly id: string
  /** Absent if the product is not sold. */
  readonly access?: Access
}
