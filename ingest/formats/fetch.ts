/** Data that a request returns. In `daily` feeds, `day` is a trading day. */
export type FetchPeriod = 'latest' | 'day' | 'month' | 'quarter'

/**
 * Placeholders are replaced by parts of the period's last day: `{YYYYMMDD}` becomes 20230130,
 * `{ROC/MM/DD}` becomes 112/01/30. `M` and `D` have no leading zeros; `QQ` and `Q` are the quarter.
 * `{first:YYYYMMDD}` uses the period's first day.
 */
export interface FetchRequest {
  /** https address. The setting FETCH_BASES can replace the host. */
  readonly url: string
  /** Form fields of a POST request. Missing for GET. */
  readonly form?: Readonly<Record<string, string>>
}

/** One way to fetch a publication. The source's terms decide whether programs may use it. */
export interface Fetch {
  readonly period: FetchPeriod
  /** Rows are ingested after the last response. */
  readonly requests: readonly [FetchRequest, ...FetchRequest[]]
  /**
   * How long the source offers its data: without limit, until the next publication, or a number of
   * days. Default: `newest` for the period `latest`, otherwise `all`.
   */
  readonly keeps?: 'all' | 'newest' | number
  /** First available day, `YYYY-MM-DD`. */
  readonly since?: string
  /** True if the data has no date and gets the day of the request. */
  readonly undated?: true
}
