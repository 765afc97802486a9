import type { PlanId } from '../../catalog/index.ts'

/** Limits of an account: those of its plan, unless the operator set others. */
export interface Limits {
  /** Maximum rows per answer. */
  readonly rowLimit: number
  readonly requestsPerMinute: number
  readonly requestsAtOnce: number
  readonly creditsPerMonth: number
}

/**
 * Permissions and limits of a caller for one read. Reads receive no other data about the account.
 */
export interface Grant {
  readonly accountId: string
  readonly keyId: string
  readonly plan: PlanId
  readonly limits: Limits
  /** True for visitors without an account, whose reads are neither charged nor recorded. */
  readonly isVisitor?: true
}
