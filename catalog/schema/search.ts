/** Entities that a search finds. Hits with equal scores are in this order. */
export const FOUND_TYPES = ['symbol', 'index', 'theme', 'dataset', 'field', 'broker', 'branch'] as const
export type FoundType = (typeof FOUND_TYPES)[number]

/**
 * Declares how to search a dataset's rows. Rows of all datasets with equal `type` and `id` are one
 * hit.
 */
export interface Searchable<C extends string = string> {
  /** Datasets and fields are always searchable. */
  readonly type: Exclude<FoundType, 'dataset' | 'field'>
  readonly id: C
  /** Columns with other codes, such as an ISIN. */
  readonly codes?: readonly C[]
  /** Columns of the name, joined with a hyphen. Absent if another dataset has the name. */
  readonly title?: readonly C[]
  /** Columns with more text. Search finds it and shows it after the title. */
  readonly subtitle?: readonly C[]
  /** Chinese labels of subtitle values. Search also finds the original values. */
  readonly labels?: Readonly<Record<string, string>>
  /** Columns with more names, which search finds but does not show. */
  readonly names?: readonly C[]
  /** More names that no column contains, keyed by id. */
  readonly called?: Readonly<Record<string, string>>
  readonly market?: C
  /** First day without trading of a delisted security. */
  readonly delistedOn?: C
  /** The dataset with the lowest rank names an entity. Default: 1. */
  readonly rank?: number
  /** Read parameter that filters by entity, if there is one. */
  readonly param?: string
  /** True if hits always link to this dataset. */
  readonly linked?: true
}
