/** Joins another dataset for derived columns. Rows match if the `on` columns are equal. */
export interface DeriveJoin {
  readonly dataset: string
  readonly on: readonly string[]
  readonly take: readonly string[]
}

/** Groups rows and aggregates each group, in DuckDB SQL. */
export interface GroupedRows {
  /** Expressions to group by, keyed by name. */
  readonly by: Readonly<Record<string, string>>
  /** Aggregates, keyed by name. */
  readonly take: Readonly<Record<string, string>>
  /** Default: all rows. */
  readonly where?: string
}

/**
 * Unit of recomputation. Its rows depend only on input rows of the same unit. With `whole`, every
 * change recomputes all rows.
 */
type ComputedBy = 'day' | 'week' | 'month' | 'key' | 'whole'

/**
 * SQL that computes rows from other datasets. Runs again when an input is published, withdrawn or
 * served again.
 */
export interface Computation {
  /** Slugs of the inputs. The statement reads `daily-prices` from a table named `daily_prices`. */
  readonly inputs: readonly string[]
  /** Inputs that may lack a release and then have no rows. At least one input needs a release. */
  readonly optional?: readonly string[]
  /**
   * DuckDB SELECT of all columns except `derived` and `virtual` ones. The inputs only have rows of
   * changed units.
   */
  readonly sql: string
  /**
   * Days, ISO weeks and months are those of the `date` columns. `key` is the key of the dataset and
   * of all inputs.
   */
  readonly by: ComputedBy
  /**
   * Only with `by: 'key'`: limits the earlier rows that a row depends on. Without a limit, an
   * appended day recomputes whole histories.
   */
  readonly lookback?: Lookback
}

export interface Lookback {
  /**
   * Maximum earlier rows, counted in the first input. Other inputs are read for the same days only.
   */
  readonly rows: number
  /** DuckDB condition of the rows to count. */
  readonly where?: string
  /**
   * Cheaper statement for a few appended days. Must return the same newest row per key as `sql`.
   * Other rows are ignored.
   */
  readonly lastDay?: string
}

/**
 * Comparison with an independent source. Publication computes the result; no operator can enter it.
 */
export interface Reconciliation {
  /** In snake_case, unique within the dataset. */
  readonly method: string
  /** Which values are compared with which source, in one or two sentences. */
  readonly doc: string
  readonly docZh: string
  /** Label of the independent source. */
  readonly source: string
  /**
   * `received` compares the rows of each slice on arrival. `release` compares every row of the
   * release.
   */
  readonly over: 'received' | 'release'
  /**
   * Dataset to compare with, at most one row per row of this dataset. `on` has its columns, each
   * with an expression over `t`, this dataset's row. Requires `over: 'release'`.
   * With `sums`, its rows are grouped first, and `on` has the names in `by`.
   */
  readonly against?: {
    readonly dataset: string
    readonly on: Readonly<Record<string, string>>
    readonly sums?: GroupedRows
  }
  /**
   * DuckDB expression over `t`, this dataset's row, and `o`, the other row. Null if there is
   * nothing to compare.
   * Without `against`, only `t` is allowed, and a publication checks only changed rows.
   */
  readonly holds: string
}
