import type { PlanId } from '../../catalog/index.ts'

/** Permissions of a caller for one read. The only value that reads receive from accounts. */
export interface Grant {
  readonly accountId: string
  readonly keyId: string
  readonly plan: PlanId
  /** Maximum rows per answer. */
  readonly rowLimit: number
  /** True for visitors without an account: nothing is charged or recorded. */
  readonly isVisitor?: true
}
