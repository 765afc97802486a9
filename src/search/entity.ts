import type { FoundType, PlanId } from '../../catalog/index.ts'

/** One thing a search can find. */
export interface Entity {
  readonly type: FoundType
  readonly id: string
  readonly title: string
  readonly subtitle: string | null
  readonly market: string | null
  /** Every code it is known under, its id among them. */
  readonly codes: readonly string[]
  readonly names: readonly string[]
  /** Words that say more of it. */
  readonly description: string
  /** Ids of the served datasets that have rows of it, in the catalog's order. */
  readonly datasets: readonly string[]
  /** Reads of it with the least plan of each, the one to call first before the others; none where no dataset is read by it. */
  readonly reads: readonly { readonly plan: PlanId; readonly url: string }[]
  /** A path of ours to call next where no read of it may be called. */
  readonly url: string
  /** The name /v2/query has for a column; null for one that cannot be queried, and for what is no column. */
  readonly queryField: string | null
}
