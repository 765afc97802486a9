/** Joins another dataset, so that derived columns can use its columns. */
export interface DeriveJoin {
  readonly dataset: string
  readonly on: readonly string[]
  readonly take: readonly string[]
}

/** Groups rows and aggregates each group, in DuckDB SQL. */
export interface GroupedRows {
  readonly by: Readonly<Record<string, string>>
  readonly take: Readonly<Record<string, string>>
  /** Default: all rows. */
  readonly where?: string
}

/**
 * Unit in which rows are recomputed. A row depends only on input rows of the same unit. With
 * `whole`, every change recomputes all rows.
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
   * DuckDB SELECT of all columns except `derived` and `virtual` ones. The inputs contain only rows
   * of changed units.
   */
  readonly sql: string
  /**
   * Unit in which rows are recomputed. With `key`, the dataset and all inputs must have the same
   * key. Days, ISO weeks and months are those of the `date` columns.
   */
  readonly by: ComputedBy
  /**
   * Number of earlier rows that a row depends on. Without a limit, an appended day recomputes whole
   * histories. Only with `by: 'key'`.
   */
  readonly lookback?: Lookback
}

export interface Lookback {
  /**
   * Maximum number of earlier rows, counted in the first input. From other inputs, a statement may
   * read only rows of the same days.
   */
  readonly rows: number
  /** DuckDB condition of the rows to count. */
  readonly where?: string
  /**
   * Cheaper statement for a few appended days. Must return the same row as `sql` for the newest day
   * of each key.
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
   * Dataset to compare with. `on` maps the columns of the other dataset to expressions over `t`, a
   * row of this dataset. With `sums`, the rows of the other dataset are grouped first. The other
   * dataset has at most one row for each row of this one. Requires `over: 'release'`.
   */
  readonly against?: {
    readonly dataset: string
    readonly on: Readonly<Record<string, string>>
    readonly sums?: GroupedRows
  }
  /**
   * DuckDB expression over `t`, a row of this dataset, and `o`, a row of the other dataset. Null
   * means that there is nothing to compare. Without `against`, only `t` exists, and a publication
   * checks only changed rows.
   */
  readonly holds: string
}
