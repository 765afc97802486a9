import type { PlanId } from '../../catalog/index.ts'

/** Limits of an account: those of its plan, unless the operator set others. */
export interface Limits {
  /** Maximum rows per answer. */
  readonly rowLimit: number
  readonly requestsPerMinute: number
  readonly requestsAtOnce: number
  readonly creditsPerMonth: number
}

/** What a caller may do in one read. Reads receive nothing else from accounts. */
export interface Grant {
  readonly accountId: string
  readonly keyId: string
  readonly plan: PlanId
  readonly limits: Limits
  /** True for visitors without an account, whose reads are neither charged nor recorded. */
  readonly isVisitor?: true
}
