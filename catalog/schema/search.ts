/** Types of entities that a search finds. Hits with equal scores are in this order. */
export const FOUND_TYPES = ['symbol', 'index', 'theme', 'dataset', 'field', 'broker', 'branch'] as const
export type FoundType = (typeof FOUND_TYPES)[number]

/**
 * Declares how to search a dataset's rows. Rows with the same `type` and `id` are one hit. If
 * several datasets of this type have the id, the hit lists all of them.
 */
export interface Searchable<C extends string = string> {
  /** Datasets and fields are always searchable. */
  readonly type: Exclude<FoundType, 'dataset' | 'field'>
  /** Column with the id of the entity. Ids are case-sensitive. */
  readonly id: C
  /** Columns with other codes, such as an ISIN. */
  readonly codes?: readonly C[]
  /** Columns that form the name of the entity, joined with a hyphen. */
  readonly title?: readonly C[]
  /** Columns with more text, shown after the title. The search also finds this text. */
  readonly subtitle?: readonly C[]
  /** Chinese labels of subtitle values. Search also finds the original values. */
  readonly labels?: Readonly<Record<string, string>>
  /** Columns with more names. The search finds these names but does not show them. */
  readonly names?: readonly C[]
  /** More names, keyed by id. */
  readonly called?: Readonly<Record<string, string>>
  readonly market?: C
  /** Column with the first day on which a delisted security is not traded. */
  readonly delistedOn?: C
  /** If several datasets name an entity, the lowest rank wins. Default: 1. */
  readonly rank?: number
  /** Read parameter that filters by entity. */
  readonly param?: string
  /** True if hits link to this dataset, even if other datasets have the entity. */
  readonly linked?: true
}
