import type { PlanId } from '../../catalog/index.ts'

/** What a caller may do with one read: the only value that crosses from accounts to reads. */
export interface Grant {
  readonly accountId: string
  readonly keyId: string
  readonly plan: PlanId
  /** Most rows one answer may hold. */
  readonly rowLimit: number
  /** They have no account: nothing is charged, and neither ledger nor usage knows of them. Absent for the holder of a key. */
  readonly isVisitor?: true
}
