/**
 * Period of one request: the newest body, or a day, month or quarter. `day` is a trading day for
 * `daily` feeds.
 */
export type FetchPeriod = 'latest' | 'day' | 'month' | 'quarter'

/**
 * One request. Placeholders in `url` and in values of `form` are replaced by the last day of the
 * period: `YYYY`, `ROC` (year of the Republic), `MM`, `DD`, `M` and `D` without leading zeros, `QQ`
 * and `Q` for the quarter. `{YYYYMMDD}` is 20230130, `{ROC/MM/DD}` is 112/01/30. `{first:YYYYMMDD}`
 * is the first day.
 */
export interface FetchRequest {
  /** https address at the source; FETCH_BASES can replace the host. */
  readonly url: string
  /** Form fields for a POST; a GET if absent. */
  readonly form?: Readonly<Record<string, string>>
}

/** One way to fetch a publication. The address determines whether its terms permit programs. */
export interface Fetch {
  readonly period: FetchPeriod
  /** All requests together are the publication; rows are ingested after all have arrived. */
  readonly requests: readonly [FetchRequest, ...FetchRequest[]]
  /** First available day, `YYYY-MM-DD`; absent if unlimited or for `latest`. */
  readonly since?: string
  /** Only with `latest`: the body has no day and is of the day of the request. */
  readonly undated?: true
}
