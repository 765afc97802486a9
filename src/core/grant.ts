import type { PlanId } from '../../catalog/index.ts'

/** Limits of an account: those of its plan, or others that the operator set for it. */
export interface Limits {
  /** Maximum rows per answer. */
  readonly rowLimit: number
  readonly requestsPerMinute: number
  readonly requestsAtOnce: number
  readonly creditsPerMonth: number
}

/** Permissions of a caller for one read. The only value that reads receive from accounts. */
export interface Grant {
  readonly accountId: string
  readonly keyId: string
  readonly plan: PlanId
  readonly limits: Limits
  /** True for visitors without an account: nothing is charged or recorded. */
  readonly isVisitor?: true
}
