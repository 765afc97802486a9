/** Filing deadline, as `MM-DD`, for the quarter that ends in the given month. */
export type Deadlines = Readonly<Record<'03' | '06' | '09' | '12', string>>

/**
 * Schedule of new data. `expectedAt` is Taipei wall-clock time, `HH:MM`.
 *
 * - `trading_day`: the data of every trading day, on that day
 * - `week`: data up to the last trading day before one weekday (1 is Monday), on that weekday
 * - `month`: data up to the last trading day of a month, on a day of the next month
 * - `quarter`: data up to the end of a quarter, on its filing deadline
 * - `on_change`: whenever the source changes, so never late
 *
 * A due day of `month` or `quarter` on which the market is closed moves to the next trading day.
 */
export type Cadence =
  | {
      readonly every: 'trading_day'
      readonly expectedAt: string
      /**
       * For datasets without rows on many days, because nothing happened. A day counts as covered
       * if a publication after its due time contains the newest rows, even if none of them are new.
       * The value is the longest expected time without rows at the source, in days. A publication
       * whose newest rows are older does not count as a check of the source.
       */
      readonly sparse?: number
    }
  | { readonly every: 'week'; readonly weekday: 1 | 2 | 3 | 4 | 5 | 6 | 7; readonly expectedAt: string }
  | { readonly every: 'month'; readonly day: number; readonly expectedAt: string }
  | { readonly every: 'quarter'; readonly deadlines: Deadlines; readonly expectedAt: string }
  | { readonly every: 'on_change' }

export const CADENCES = ['trading_day', 'week', 'month', 'quarter', 'on_change'] as const satisfies readonly Cadence['every'][]

/**
 * Statutory deadlines of financial statements: Securities and Exchange Act, article 36. The annual
 * statement covers the last quarter.
 */
const FILING_DEADLINES: Deadlines = { '03': '05-15', '06': '08-14', '09': '11-14', '12': '03-31' }

/** Companies may file until midnight of the deadline. */
export const QUARTERLY_FILINGS: Cadence = { every: 'quarter', deadlines: FILING_DEADLINES, expectedAt: '23:59' }

/** Registers that are published every month, due by the tenth of the next month. */
export const MONTHLY_REGISTER: Cadence = { every: 'month', day: 10, expectedAt: '18:00' }
