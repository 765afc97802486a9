/** Kinds of things a search finds. Hits of equal score are shown in this order. */
export const FOUND_TYPES = ['symbol', 'index', 'theme', 'dataset', 'field', 'broker', 'branch'] as const
export type FoundType = (typeof FOUND_TYPES)[number]

/**
 * What of a dataset's rows a search finds: rows with equal `id` are one thing. Several datasets may declare the same type; their rows
 * are one thing wherever the ids are equal, and are found in each dataset that has some.
 */
export interface Searchable<C extends string = string> {
  /** Datasets and their fields are found without a declaration. */
  readonly type: Exclude<FoundType, 'dataset' | 'field'>
  /** Column that identifies the thing; upper and lower case differ. */
  readonly id: C
  /** Columns with other codes of it, for example an ISIN. */
  readonly codes?: readonly C[]
  /** Columns that name it, joined with a hyphen. Absent: the dataset has rows of it, and another one its name. */
  readonly title?: readonly C[]
  /** Columns that say more of it; shown beside the title, and searched. */
  readonly subtitle?: readonly C[]
  readonly market?: C
  /** Of several datasets that have a title for a thing, that of the lowest rank names it; 1 when absent. */
  readonly rank?: number
  /** Parameter of the dataset's read that asks for the thing. Absent where the dataset is not read by it, or not served. */
  readonly param?: string
  /** A hit links to this dataset's read rather than to another's. */
  readonly linked?: true
}
