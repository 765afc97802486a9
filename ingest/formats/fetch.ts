/**
 * What one request covers: the newest body there is, or one day, month or quarter. `day` is one trading day where the feed is `daily`.
 */
export type FetchPeriod = 'latest' | 'day' | 'month' | 'quarter'

/**
 * One request. Braces in `url` and in the values of `form` are filled with the last day of the period, in the letters of its form:
 * `YYYY`, `ROC` (year of the Republic), `MM`, `DD`, `M` and `D` without leading zeros, `QQ` and `Q` for the quarter. `{YYYYMMDD}` is
 * 20230130, `{ROC/MM/DD}` is 112/01/30. With `first:` before them it is the first day: `{first:YYYYMMDD}`.
 */
export interface FetchRequest {
  /** Address at the source itself, https; a setting leads it elsewhere. */
  readonly url: string
  /** Fields that are sent by POST, as a web page's form sends them; a GET where absent. */
  readonly form?: Readonly<Record<string, string>>
}

/** One way in which a source gives a publication. Whether its terms let programs use it is known by the address. */
export interface Fetch {
  readonly period: FetchPeriod
  /** Together they are the publication: its rows are ingested once all of them have arrived. */
  readonly requests: readonly [FetchRequest, ...FetchRequest[]]
  /** First day that the source answers, `YYYY-MM-DD`; absent where it has everything, or where the period is `latest`. */
  readonly since?: string
  /** Only with `latest`: the body carries no day, and is of the day on which it is fetched. */
  readonly undated?: true
}
