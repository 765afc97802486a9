/** Plans by rank, lowest first. */
export const PLAN_IDS = ['free', 'pro', 'max'] as const
export type PlanId = (typeof PLAN_IDS)[number]

/** The lowest plan that may call something, and the credits each answer costs. */
export interface Access {
  readonly plan: PlanId
  readonly credits: number
}

/** Something sold by the call: a dataset, or an endpoint that answers from several. */
export interface Priced {
  readonly slug: string
  /** Identifier used in answers and usage reports. */
  readonly id: string
  /** Absent for what is not sold. */
  readonly access?: Access
}
