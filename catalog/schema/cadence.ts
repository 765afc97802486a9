/** Filing deadlines as `MM-DD`, keyed by the month in which a quarter ends. */
export type Deadlines = Readonly<Record<'03' | '06' | '09' | '12', string>>

/**
 * Schedule of new data. `expectedAt` is `HH:MM` in Taipei.
 * - `trading_day`: due on the same day
 * - `week`: due on one weekday (1 is Monday), with data up to the last trading day before that
 *   weekday
 * - `month`: due on a day of the next month, with data up to the last trading day of the month
 * - `quarter`: due on the filing deadline, with data up to the end of the quarter
 * - `on_change`: due when the source changes, so never late
 * Due days of `month` and `quarter` without trading move to the next trading day.
 */
export type Cadence =
  | {
      readonly every: 'trading_day'
      readonly expectedAt: string
      /**
       * Longest time without new rows at the source, in days. Only for datasets that have no rows
       * on many days. A publication of the newest rows then counts as a check of the source, even
       * if no row is new. A publication of older rows does not count.
       */
      readonly sparse?: number
    }
  | { readonly every: 'week'; readonly weekday: 1 | 2 | 3 | 4 | 5 | 6 | 7; readonly expectedAt: string }
  | { readonly every: 'month'; readonly day: number; readonly expectedAt: string }
  | { readonly every: 'quarter'; readonly deadlines: Deadlines; readonly expectedAt: string }
  | { readonly every: 'on_change' }

export const CADENCES = ['trading_day', 'week', 'month', 'quarter', 'on_change'] as const satisfies readonly Cadence['every'][]

/**
 * Filing deadlines of article 36 of the Securities and Exchange Act. The annual statement covers
 * the last quarter.
 */
const FILING_DEADLINES: Deadlines = { '03': '05-15', '06': '08-14', '09': '11-14', '12': '03-31' }

/** Companies may file until midnight of the deadline. */
export const QUARTERLY_FILINGS: Cadence = { every: 'quarter', deadlines: FILING_DEADLINES, expectedAt: '23:59' }

/** Monthly registers, due by the tenth of the next month. */
export const MONTHLY_REGISTER: Cadence = { every: 'month', day: 10, expectedAt: '18:00' }
