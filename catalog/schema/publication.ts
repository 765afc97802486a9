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
   * `received` compares rows when they arrive, slice by slice: published values with the figures
   * from which they were computed. `release` compares every row of the release.
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
