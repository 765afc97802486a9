import type { FoundType } from '../../../catalog/search.ts'

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
  /** A path of ours to call next. */
  readonly url: string
}
