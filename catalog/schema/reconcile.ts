/** A comparison of rows with something they were not made from. Publication measures it; nobody types its result. */
export interface Reconciliation {
  /** One snake_case word group, unique in the dataset. */
  readonly method: string
  /** What is compared with what, in one or two sentences. */
  readonly doc: string
  /** Label of the other side. */
  readonly source: string
  /**
   * received compares rows as they arrive, what the source printed beside what it was made from, slice by slice; release compares
   * every row of the release.
   */
  readonly over: 'received' | 'release'
  /** Only over the release: rows of another dataset's served release, one at most for each row, by its column → an expression over the row `t`. */
  readonly against?: { readonly dataset: string; readonly on: Readonly<Record<string, string>> }
  /**
   * DuckDB expression over the row `t`, and `o` of the other dataset: true where both agree, false where not, null where there is nothing
   * to compare. Without `against` it names columns of the row alone, so that a publication measures only the rows it moves.
   */
  readonly holds: string
}
