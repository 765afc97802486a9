/** Kinds of things a search finds. Hits with equal scores are listed in this order. */
export const FOUND_TYPES = ['symbol', 'index', 'theme', 'dataset', 'field', 'broker', 'branch'] as const
export type FoundType = (typeof FOUND_TYPES)[number]

/**
 * Search hits among a dataset's rows. Rows with equal `id` are one hit, also across datasets that
 * declare the same type; the hit then lists every dataset that has such rows.
 */
export interface Searchable<C extends string = string> {
  /** Datasets and their fields are searchable without a declaration. */
  readonly type: Exclude<FoundType, 'dataset' | 'field'>
  /** Column that identifies the thing; case-sensitive. */
  readonly id: C
  /** Columns that hold its other codes, for example an ISIN. */
  readonly codes?: readonly C[]
  /** Columns that name it, joined with a hyphen. Absent where another dataset names it. */
  readonly title?: readonly C[]
  /** Columns with further descriptions, shown with the title and searched. */
  readonly subtitle?: readonly C[]
  /** Chinese labels of values in the subtitle. The original values are searched too. */
  readonly labels?: Readonly<Record<string, string>>
  /**
   * Columns with further searchable names that are not shown, for example an English one, whichever
   * dataset supplies the title.
   */
  readonly names?: readonly C[]
  /** Further names by id, where no column holds them. */
  readonly called?: Readonly<Record<string, string>>
  readonly market?: C
  /** Where several datasets name a thing, the one with the lowest rank wins; 1 when absent. */
  readonly rank?: number
  /** Read parameter that selects the thing. Absent where the dataset has none, or is not served. */
  readonly param?: string
  /** A hit links to this dataset's read in preference to others. */
  readonly linked?: true
}
