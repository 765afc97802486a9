import type { FoundType, PlanId } from '../../catalog/index.ts'

/** The name of an entity in both languages. Null if it has no name in the language. */
export interface Titles {
  readonly en: string | null
  readonly zh: string | null
}

/** An entity in the search index. */
export interface SearchEntity {
  readonly type: FoundType
  readonly id: string
  readonly title: string
  readonly subtitle: string | null
  readonly titles: Titles
  readonly market: string | null
  /** First day on which the security does not trade, `YYYY-MM-DD`. Null if it is not delisted. */
  readonly delistedOn: string | null
  /** All codes of the entity, including its id. */
  readonly codes: readonly string[]
  readonly names: readonly string[]
  /** Further searchable text. */
  readonly description: string
  /** Ids of the served datasets that have rows of the entity, in the order of the catalog. */
  readonly datasets: readonly string[]
  /**
   * URLs of reads that return rows of the entity, each with the lowest plan, preferred ones first.
   * Empty if no dataset can be read by the entity.
   */
  readonly reads: readonly { readonly plan: PlanId; readonly url: string }[]
  /** Public path, for callers whose plan includes none of `reads`. */
  readonly url: string
  /**
   * Field name in /v2/query. Null for a column that cannot be queried, and for entities that are
   * not columns.
   */
  readonly queryField: string | null
}
