/** Types of entities that a search finds. Hits with equal scores are listed in this order. */
export const FOUND_TYPES = ['symbol', 'index', 'theme', 'dataset', 'field', 'broker', 'branch'] as const
export type FoundType = (typeof FOUND_TYPES)[number]

/**
 * Declares how to search a dataset's rows. Rows with equal `id` are one hit. If several datasets of
 * the same type have this `id`, the hit lists all of them.
 */
export interface Searchable<C extends string = string> {
  /**
   * Entity type of the hits. Datasets and fields are always searchable, so they need no
   * declaration.
   */
  readonly type: Exclude<FoundType, 'dataset' | 'field'>
  /** Column with the id of the entity. Ids are case-sensitive. */
  readonly id: C
  /** Columns with other codes of the entity, for example an ISIN. */
  readonly codes?: readonly C[]
  /**
   * Columns that form the name of the entity, joined with a hyphen. Absent if another dataset
   * contains the name.
   */
  readonly title?: readonly C[]
  /** Columns with more descriptions. Search finds these texts and shows them with the title. */
  readonly subtitle?: readonly C[]
  /** Chinese labels for values of the subtitle. Search also finds the original values. */
  readonly labels?: Readonly<Record<string, string>>
  /**
   * Columns with more names, for example an English name. Search finds these names but does not
   * show them. These columns are also used if another dataset contains the title.
   */
  readonly names?: readonly C[]
  /** More names that no column contains, keyed by id. */
  readonly called?: Readonly<Record<string, string>>
  readonly market?: C
  /** Column with the first day on which a delisted security is no longer traded. */
  readonly delistedOn?: C
  /** If several datasets name an entity, the dataset with the lowest rank is used. Default: 1. */
  readonly rank?: number
  /**
   * Name of the read parameter that filters by entity. Absent if no parameter does this, or if the
   * dataset is internal.
   */
  readonly param?: string
  /** True if hits link to this dataset, even if other datasets contain the same entity. */
  readonly linked?: true
}
