/** Filing deadlines as `MM-DD`. The key is the month in which a quarter ends. */
export type Deadlines = Readonly<Record<'03' | '06' | '09' | '12', string>>

/**
 * Schedule of new data. `expectedAt` is a time in Taipei, as `HH:MM`.
 *
 * - `trading_day`: the data of a trading day is due on the same day
 * - `week`: due on one weekday (1 is Monday), with data up to the last trading day before it
 * - `month`: due on a day of the next month, with data up to the last trading day of the month
 * - `quarter`: due on the filing deadline, with data up to the end of the quarter
 * - `on_change`: due whenever the source changes, so the data is never late
 *
 * If the market is closed on a due day of `month` or `quarter`, the next trading day applies.
 */
export type Cadence =
  | {
      readonly every: 'trading_day'
      readonly expectedAt: string
      /**
       * For datasets that have no rows on many days, because nothing happened. A day counts as
       * covered if a publication after its due time contains the newest rows, even if none of them
       * are new. The number is the longest time without rows at the source, in days. If the newest
       * rows of a publication are older, the publication does not count as a check of the source.
       */
      readonly sparse?: number
    }
  | { readonly every: 'week'; readonly weekday: 1 | 2 | 3 | 4 | 5 | 6 | 7; readonly expectedAt: string }
  | { readonly every: 'month'; readonly day: number; readonly expectedAt: string }
  | { readonly every: 'quarter'; readonly deadlines: Deadlines; readonly expectedAt: string }
  | { readonly every: 'on_change' }

export const CADENCES = ['trading_day', 'week', 'month', 'quarter', 'on_change'] as const satisfies readonly Cadence['every'][]

/**
 * Statutory deadlines of financial statements, from article 36 of the Securities and Exchange Act.
 * The annual statement covers the last quarter.
 */
const FILING_DEADLINES: Deadlines = { '03': '05-15', '06': '08-14', '09': '11-14', '12': '03-31' }

/** Quarterly filings. Companies may file until midnight of the deadline. */
export const QUARTERLY_FILINGS: Cadence = { every: 'quarter', deadlines: FILING_DEADLINES, expectedAt: '23:59' }

/** Monthly registers, due by the tenth of the next month. */
export const MONTHLY_REGISTER: Cadence = { every: 'month', day: 10, expectedAt: '18:00' }
