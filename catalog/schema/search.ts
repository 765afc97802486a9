/** Entity types that a search finds. Hits with equal scores are listed in this order. */
export const FOUND_TYPES = ['symbol', 'index', 'theme', 'dataset', 'field', 'broker', 'branch'] as const
export type FoundType = (typeof FOUND_TYPES)[number]

/**
 * Makes a dataset's rows searchable. Rows with equal `id` are one hit, even if they are in several
 * datasets that declare the same type. The hit then lists all these datasets.
 */
export interface Searchable<C extends string = string> {
  /** Datasets and their fields are searchable without a declaration. */
  readonly type: Exclude<FoundType, 'dataset' | 'field'>
  /** Column that identifies the entity. Case-sensitive. */
  readonly id: C
  /** Columns that contain other codes of the entity, for example an ISIN. */
  readonly codes?: readonly C[]
  /**
   * Columns that form the name of the entity, joined with a hyphen. Absent if another dataset names
   * the entity.
   */
  readonly title?: readonly C[]
  /** Columns with further descriptions. They are shown with the title and searched. */
  readonly subtitle?: readonly C[]
  /** Chinese labels of values in the subtitle. The original values are searched too. */
  readonly labels?: Readonly<Record<string, string>>
  /**
   * Columns with further names that are searched but not shown, for example an English name. They
   * are searched even if another dataset supplies the title.
   */
  readonly names?: readonly C[]
  /** Further names by id, if no column contains them. */
  readonly called?: Readonly<Record<string, string>>
  readonly market?: C
  /** Column with the first day on which a delisted security does not trade. */
  readonly delistedOn?: C
  /** If several datasets name an entity, the one with the lowest rank is used. Default: 1. */
  readonly rank?: number
  /**
   * Read parameter that selects the entity. Absent if reads cannot select it, or if the dataset is
   * not served.
   */
  readonly param?: string
  /**
   * True if a hit links to a read of this dataset and not to reads of other datasets with the same
   * entity.
   */
  readonly linked?: true
}
