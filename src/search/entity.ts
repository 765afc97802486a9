import type { FoundType, PlanId } from '../../catalog/index.ts'

/** Name of an entity in English and Chinese. Null if there is no name in that language. */
export interface Titles {
  readonly en: string | null
  readonly zh: string | null
}

/** An entity that users can search for, for example a security, a dataset or a column. */
export interface SearchEntity {
  readonly type: FoundType
  readonly id: string
  readonly title: string
  readonly subtitle: string | null
  readonly titles: Titles
  readonly market: string | null
  /**
   * First day without trading after the delisting, `YYYY-MM-DD`. Null if the security is not
   * delisted.
   */
  readonly delistedOn: string | null
  /** All codes of the entity. The id is one of them. */
  readonly codes: readonly string[]
  readonly names: readonly string[]
  readonly description: string
  readonly datasets: readonly string[]
  /**
   * URLs of reads that return rows of the entity, each with the lowest plan that may use it.
   * Preferred URLs are first. Empty if no dataset can be read by this entity.
   */
  readonly reads: readonly { readonly plan: PlanId; readonly url: string }[]
  /**
   * Public path of the entity. Search returns this path if the caller's plan allows no path in
   * `reads`.
   */
  readonly url: string
  /**
   * Name of the field in /v2/query. Null if the column cannot be queried, or if the entity is not a
   * column.
   */
  readonly queryField: string | null
}
