/**
 * Period of one request: the newest body, or a day, month or quarter. For `daily` feeds, `day` is a
 * trading day.
 */
export type FetchPeriod = 'latest' | 'day' | 'month' | 'quarter'

/**
 * One request. Placeholders in `url` and in values of `form` are replaced by the last day of the
 * period: `YYYY`, `ROC` (year of the Republic), `MM`, `DD`; `M` and `D` have no leading zeros; `QQ`
 * and `Q` are the quarter. `{YYYYMMDD}` is 20230130, `{ROC/MM/DD}` is 112/01/30. `{first:YYYYMMDD}`
 * is the first day.
 */
export interface FetchRequest {
  /** https address at the source; FETCH_BASES can replace the host. */
  readonly url: string
  /** Form fields for a POST. Absent for a GET. */
  readonly form?: Readonly<Record<string, string>>
}

/**
 * One way to fetch a publication. The address of the source determines whether programs may
 * download it.
 */
export interface Fetch {
  readonly period: FetchPeriod
  /**
   * All requests together return the publication. Rows are ingested after all responses have
   * arrived.
   */
  readonly requests: readonly [FetchRequest, ...FetchRequest[]]
  /**
   * How long the source offers a publication: `all` without limit, `newest` until the next one, or
   * a number of days. Default: `newest` for `latest`, otherwise `all`.
   */
  readonly keeps?: 'all' | 'newest' | number
  /** First available day, `YYYY-MM-DD`. Absent if unlimited, or for `latest`. */
  readonly since?: string
  /**
   * True if the body states no day, so that it gets the day of the request. Allowed only with
   * `latest`.
   */
  readonly undated?: true
}
