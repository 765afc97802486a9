/**
 * Joins another dataset, whose columns derived columns can then use. Rows match if the `on` columns
 * have equal values.
 */
export interface DeriveJoin {
  readonly dataset: string
  readonly on: readonly string[]
  readonly take: readonly string[]
}

/** Groups the rows of a dataset and aggregates each group. All expressions are DuckDB SQL. */
export interface GroupedRows {
  /** Expressions to group by, keyed by name. */
  readonly by: Readonly<Record<string, string>>
  /** Aggregates of a group, keyed by name. */
  readonly take: Readonly<Record<string, string>>
  /** Condition that selects the rows. Default: all rows. */
  readonly where?: string
}

/**
 * Unit in which a dataset declared in SQL is recomputed. The rows of a unit depend only on input
 * rows of the same unit. With `whole`, every change recomputes all rows.
 */
type ComputedBy = 'day' | 'week' | 'month' | 'key' | 'whole'

/**
 * An SQL statement that computes rows from other datasets. The rows are computed and published
 * again whenever an input is published, withdrawn or served again.
 */
export interface Computation {
  /**
   * Slugs of the input datasets. The statement reads the stored columns of `daily-prices` from a
   * table named `daily_prices`.
   */
  readonly inputs: readonly string[]
  /**
   * Inputs that may lack a release. The statement then reads no rows from them. At least one input
   * must have a release. Default: none.
   */
  readonly optional?: readonly string[]
  /**
   * DuckDB SELECT that returns all columns except `derived` and `virtual` ones. The inputs contain
   * only rows of units that changed, so a row must not depend on rows of another unit. The order of
   * rows does not matter.
   */
  readonly sql: string
  /**
   * Unit of recomputation. Days, ISO weeks and months are those of the `date` columns. `key` is
   * the column that the dataset and all inputs have as their key.
   */
  readonly by: ComputedBy
  /**
   * Only with `by: 'key'`: how many earlier input rows of its key a row depends on. With this
   * limit, an appended day recomputes only that day. Otherwise, an appended day recomputes whole
   * histories.
   */
  readonly lookback?: Lookback
}

export interface Lookback {
  /**
   * Maximum number of earlier rows, counted in the first input. From other inputs, a statement may
   * read only rows of the same days.
   */
  readonly rows: number
  /** DuckDB condition of the rows to count, if the statement skips other rows. */
  readonly where?: string
  /**
   * A cheaper statement that is used when a small number of days is appended. For each key, it must
   * return the same row as `sql` for the newest day. Rows of other days are ignored.
   */
  readonly lastDay?: string
}

/**
 * A comparison of rows with an independent source. Publication computes the result, and no operator
 * can enter it.
 */
export interface Reconciliation {
  /** Name in snake_case, unique within the dataset. */
  readonly method: string
  /** Describes in one or two sentences which values are compared with which source. */
  readonly doc: string
  readonly docZh: string
  /** Label of the independent source. */
  readonly source: string
  /**
   * `received` compares the rows of each slice on arrival. It compares published values with the
   * figures from which they were computed. `release` compares every row of the release.
   */
  readonly over: 'received' | 'release'
  /**
   * The dataset to compare with. It has at most one row for each row of this dataset. `on` contains
   * its columns, and for each an expression over `t`, the row of this dataset. Requires `over:
   * 'release'`. With `sums`, the other dataset's rows are grouped before the comparison. `on` then
   * contains the names in `by` instead of columns.
   */
  readonly against?: {
    readonly dataset: string
    readonly on: Readonly<Record<string, string>>
    readonly sums?: GroupedRows
  }
  /**
   * DuckDB expression over `t`, the row of this dataset, and `o`, the row of the other dataset.
   * True if both agree, false if they differ, null if there is nothing to compare. Without
   * `against`, the expression may only use columns of `t`. A publication then checks only changed
   * rows and reuses the results of unchanged ones.
   */
  readonly holds: string
}
