import type { PlanId } from '../../catalog/index.ts'

/** Limits of the plan, or the operator's limits for this account. */
export interface Limits {
  readonly rowLimit: number
  readonly requestsPerMinute: number
  readonly requestsAtOnce: number
  readonly creditsPerMonth: number
}

export interface Grant {
  readonly accountId: string
  readonly keyId: string
  readonly plan: PlanId
  readonly limits: Limits
  /** Visitors have no account. Their reads are free and not recorded. */
  readonly isVisitor?: true
}
