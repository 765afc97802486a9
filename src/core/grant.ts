import type { PlanId } from '../../catalog/index.ts'

/** Limits of an account: the plan's limits, or the operator's values for this account. */
export interface Limits {
  readonly rowLimit: number
  readonly requestsPerMinute: number
  readonly requestsAtOnce: number
  readonly creditsPerMonth: number
}

/** What a caller may read, and within which limits. */
export interface Grant {
  readonly accountId: string
  readonly keyId: string
  readonly plan: PlanId
  readonly limits: Limits
  /** Visitors have no account. Their reads are free and not recorded. */
  readonly isVisitor?: true
}
