/** A join that supplies derived columns: rows of another dataset, matched where the columns in `on` are equal. */
export interface DeriveJoin {
  readonly dataset: string
  readonly on: readonly string[]
  readonly take: readonly string[]
}

/** A comparison of rows with an independent source. Publication measures the result; nobody enters it. */
export interface Reconciliation {
  /** One snake_case word group, unique within the dataset. */
  readonly method: string
  /** What is compared with what, in one or two sentences. */
  readonly doc: string
  /** The same in Chinese. */
  readonly docZh: string
  /** Label of the other side. */
  readonly source: string
  /**
   * `received` compares rows as they arrive, slice by slice: what the source printed with the figures it was computed from.
   * `release` compares every row of the release.
   */
  readonly over: 'received' | 'release'
  /**
   * Only with `over: 'release'`. Joins another dataset's served release, at most one row for each row, by its column → an expression over
   * the row `t`.
   */
  readonly against?: { readonly dataset: string; readonly on: Readonly<Record<string, string>> }
  /**
   * DuckDB expression over the row `t`, and `o` of the other dataset: true where both agree, false where they differ, null where there is
   * nothing to compare. Without `against` it uses columns of the row alone, so a publication measures only the rows it changes.
   */
  readonly holds: string
}
