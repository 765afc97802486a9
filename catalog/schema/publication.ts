/**
 * A join that supplies values for derived columns: rows of another dataset with equal values in the
 * `on` columns.
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
 * Unit in which a dataset declared in SQL is recomputed. The rows of a unit depend only on the
 * input rows of the same unit. `whole`: every change recomputes all rows.
 */
type ComputedBy = 'day' | 'week' | 'month' | 'key' | 'whole'

/**
 * Rows computed by one SQL statement over other datasets. They are computed and published again
 * after an input is published, served again or withdrawn.
 */
export interface Computation {
  /**
   * Slugs of the inputs. The statement reads `daily-prices` under the name `daily_prices`, with its
   * stored columns.
   */
  readonly inputs: readonly string[]
  /**
   * Inputs that may lack a release. The statement then reads no rows from them. Default: none. At
   * least one input must have a release.
   */
  readonly optional?: readonly string[]
  /**
   * DuckDB SELECT that returns all columns of the dataset that are not `derived` or `virtual`. Its
   * inputs contain only rows of the units that changed, so no row may depend on rows of another
   * unit. The order of rows does not matter.
   */
  readonly sql: string
  /**
   * Unit of recomputation. Days, ISO weeks and months are those of the `date` columns; `key` is the
   * column that the dataset and all inputs have as their key.
   */
  readonly by: ComputedBy
  /**
   * Only with `by: 'key'`: the maximum number of earlier input rows of its key on which a row
   * depends. An appended day then recomputes only that day. Without it, an appended day recomputes
   * whole histories.
   */
  readonly lookback?: Lookback
}

export interface Lookback {
  /**
   * Number of rows of the first input. From other inputs, a statement may read the rows of the same
   * days.
   */
  readonly rows: number
  /** DuckDB condition of the rows that count, if the statement skips other rows. */
  readonly where?: string
  /**
   * A cheaper statement for a small number of appended days. For each key, it must return the row
   * of the newest day, equal to the row of `sql`. Rows of other days are ignored.
   */
  readonly lastDay?: string
}

/**
 * A comparison of rows with an independent source. Publication always computes the result; it
 * cannot be entered manually.
 */
export interface Reconciliation {
  /** Snake_case words, unique within the dataset. */
  readonly method: string
  /** Describes which values are compared, and with what source, in one or two sentences. */
  readonly doc: string
  /** `doc` in Chinese. */
  readonly docZh: string
  /** Label of the source with which rows are compared. */
  readonly source: string
  /**
   * `received` compares published values with the figures from which they were computed. It covers
   * the rows of each slice, when they arrive. `release` compares every row of the release.
   */
  readonly over: 'received' | 'release'
  /**
   * The other dataset, with at most one row for each row of this dataset. `on` maps a column of the
   * other dataset to an expression over the row `t`. Requires `over: 'release'`. With `sums`, the
   * other dataset's rows are grouped first, and `on` names the expressions of `by`.
   */
  readonly against?: {
    readonly dataset: string
    readonly on: Readonly<Record<string, string>>
    readonly sums?: GroupedRows
  }
  /**
   * DuckDB expression over the row `t`, and `o` of the other dataset. True if both agree, false if
   * they differ, null if there is nothing to compare. Without `against`, the expression may only
   * use columns of the row. The results of unchanged rows are then reused, and a publication checks
   * only the other rows.
   */
  readonly holds: string
}
