/**
 * What one request returns: the newest data, or data of one day, month or quarter. In `daily`
 * feeds, `day` is a trading day.
 */
export type FetchPeriod = 'latest' | 'day' | 'month' | 'quarter'

/**
 * One request. Placeholders in `url` and in the values of `form` are replaced by parts of the
 * period's last day: `YYYY`, `ROC` (year of the Republic), `MM` and `DD`, `M` and `D` without
 * leading zeros, `QQ` and `Q` for the quarter.
 *
 * Examples: `{YYYYMMDD}` becomes 20230130, `{ROC/MM/DD}` becomes 112/01/30. `{first:YYYYMMDD}` uses
 * the period's first day.
 */
export interface FetchRequest {
  /** https address at the source. The setting FETCH_BASES can replace the host. */
  readonly url: string
  /** Form fields of a POST request. Missing for a GET request. */
  readonly form?: Readonly<Record<string, string>>
}

/** One way to fetch a publication. Whether programs may use it depends on the source's address. */
export interface Fetch {
  readonly period: FetchPeriod
  /**
   * All requests together return the publication. Rows are ingested after the last response has
   * arrived.
   */
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
   * True if the data states no day and therefore gets the day of the request. Only with the period
   * `latest`.
   */
  readonly undated?: true
}
