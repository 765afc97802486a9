/** The period of one request. In `daily` feeds, `day` is a trading day. */
export type FetchPeriod = 'latest' | 'day' | 'month' | 'quarter'

/**
 * A request with placeholders for a day: `{YYYYMMDD}` becomes 20230130, `{ROC/MM/DD}` becomes
 * 112/01/30. `M` and `D` have no leading zeros, and `QQ` or `Q` is the quarter. `{first:YYYYMMDD}`
 * uses the first day of the period, all others the last day.
 */
export interface FetchRequest {
  /** https address. The setting FETCH_BASES can replace the host. */
  readonly url: string
  /** Form fields of a POST request. Missing for GET. */
  readonly form?: Readonly<Record<string, string>>
}

/** A source of a publication. The terms of use of its site decide whether programs may use it. */
export interface Fetch {
  readonly period: FetchPeriod
  /** Requests that together return the publication. Rows are ingested after the last response. */
  readonly requests: readonly [FetchRequest, ...FetchRequest[]]
  /**
   * How long the source offers its data: `all` without limit, `newest` until the next publication,
   * or a number of days. Default: `newest` for the period `latest`, otherwise `all`.
   */
  readonly keeps?: 'all' | 'newest' | number
  /**
   * First available day, `YYYY-MM-DD`. Missing if there is no first day, or for the period
   * `latest`.
   */
  readonly since?: string
  /**
   * True if the data has no date. The day of the request is used. Only with the period `latest`.
   */
  readonly undated?: true
}
