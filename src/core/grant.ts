import type { PlanId } from '../../catalog/index.ts'

/**
 * Limits of an account: the limits of its plan, except where the operator set a different value.
 */
export interface Limits {
  readonly rowLimit: number
  readonly requestsPerMinute: number
  readonly requestsAtOnce: number
  readonly creditsPerMonth: number
}

/**
 * What a caller may read, and within which limits. Code that reads data receives no other
 * information about the account.
 */
export interface Grant {
  readonly accountId: string
  readonly keyId: string
  readonly plan: PlanId
  readonly limits: Limits
  /** True for visitors, who have no account. Their reads are not charged and not recorded. */
  readonly isVisitor?: true
}
