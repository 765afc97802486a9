/**
 * A join that supplies derived columns: rows of another dataset with equal values in the `on`
 * columns.
 */
export interface DeriveJoin {
  readonly dataset: string
  readonly on: readonly string[]
  readonly take: readonly string[]
}

/** Groups of the rows of a dataset, with their sums. All expressions are DuckDB SQL. */
export interface GroupedRows {
  /** Name → expression by which the rows are grouped. */
  readonly by: Readonly<Record<string, string>>
  /** Name → aggregate over a group. */
  readonly take: Readonly<Record<string, string>>
  /** Condition of the rows. Default: all rows. */
  readonly where?: string
}

/**
 * Units of recomputation of a dataset declared in SQL. The rows of a unit depend only on the input
 * rows of the same unit. `whole`: every change recomputes all rows.
 */
type ComputedBy = 'day' | 'week' | 'month' | 'key' | 'whole'

/**
 * Rows computed by one SQL statement over other datasets. After an input is published, served again
 * or withdrawn, the rows are computed and published again.
 */
export interface Computation {
  /** Slugs. The statement reads `daily-prices` as `daily_prices`, with its stored columns. */
  readonly inputs: readonly string[]
  /**
   * DuckDB SELECT that returns all columns of the dataset that are not `derived` or `virtual`. It
   * reads only rows of the units that changed, so it must not read across units. The order of its
   * rows does not matter.
   */
  readonly sql: string
  /**
   * Unit of recomputation. Days, ISO weeks and months are those of the `date` columns; `key` is the
   * column that the dataset and all inputs have as their key.
   */
  readonly by: ComputedBy
  /**
   * Only with `by: 'key'`, if a row depends on at most this number of earlier input rows of its
   * key. An appended day then recomputes only that day. By default, it recomputes whole histories.
   */
  readonly lookback?: Lookback
}

export interface Lookback {
  /** Rows of the first input. Of other inputs, a statement may read rows of the days of these. */
  readonly rows: number
  /** DuckDB condition of the rows that count, if the statement skips others. */
  readonly where?: string
  /**
   * A cheaper statement for a small number of appended days. It must return the row of the newest
   * day of each key, equal to the row of `sql`. Rows of other days are ignored.
   */
  readonly lastDay?: string
}

/**
 * A comparison of rows with an independent source. Publication computes the result; it is never
 * entered by hand.
 */
export interface Reconciliation {
  /** Snake_case words, unique within the dataset. */
  readonly method: string
  /** The compared values and the source of comparison, in one or two sentences. */
  readonly doc: string
  /** `doc` in Chinese. */
  readonly docZh: string
  /** Label of the other side. */
  readonly source: string
  /**
   * `received` compares published values with the figures from which they were computed, for the
   * rows of each slice when they arrive. `release` compares every row of the release.
   */
  readonly over: 'received' | 'release'
  /**
   * Joins the served release of another dataset, with at most one of its rows for each row: column
   * of the other dataset → an expression over the row `t`. Requires `over: 'release'`. With `sums`,
   * the other dataset's rows are grouped first, and `on` names the expressions of `by`.
   */
  readonly against?: {
    readonly dataset: string
    readonly on: Readonly<Record<string, string>>
    readonly sums?: GroupedRows
  }
  /**
   * DuckDB expression over the row `t`, and `o` of the other dataset: true if both agree, false if
   * they differ, null if there is nothing to compare. Without `against`, it may use only columns
   * of the row. Unchanged rows then keep their result, and a publication checks only the others.
   */
  readonly holds: string
}
