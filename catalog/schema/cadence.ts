/** Last day, as month and day, on which companies may file the statements of a quarter that ended in the month named. */
export type Deadlines = Readonly<Record<'03' | '06' | '09' | '12', string>>

/**
 * When new data is due, in Taipei wall-clock time. `expectedAt` is `HH:MM`.
 *
 * trading_day every trading day's data on that day · week on one weekday (1 is Monday), up to the last trading day before it · month up to
 * the last trading day of a month, on a day of the next one · quarter up to the end of a quarter, on its deadline · on_change whenever the source
 * changes, so never late. A month's or quarter's day on which the market is closed moves to the next trading day.
 */
export type Cadence =
  | {
      readonly every: 'trading_day'
      readonly expectedAt: string
      /** Many days have no rows because nothing happened: what shows that a day was looked at is a publication after its time that brought the newest rows, were they new or not. */
      readonly sparse?: true
    }
  | { readonly every: 'week'; readonly weekday: 1 | 2 | 3 | 4 | 5 | 6 | 7; readonly expectedAt: string }
  | { readonly every: 'month'; readonly day: number; readonly expectedAt: string }
  | { readonly every: 'quarter'; readonly deadlines: Deadlines; readonly expectedAt: string }
  | { readonly every: 'on_change' }

/** Statutory deadlines of financial statements: Securities and Exchange Act, article 36. The year's statement stands for the last quarter. */
const FILING_DEADLINES: Deadlines = { '03': '05-15', '06': '08-14', '09': '11-14', '12': '03-31' }

/** Filed until midnight of the deadline. */
export const QUARTERLY_FILINGS: Cadence = { every: 'quarter', deadlines: FILING_DEADLINES, expectedAt: '23:59' }

/** Registers that are printed anew every month: by the tenth of the next one. */
export const MONTHLY_REGISTER: Cadence = { every: 'month', day: 10, expectedAt: '18:00' }
