import { closedByRule } from '../../src/calendar/index.ts'

/** What data says of trading days, beyond what the rules know. A day cannot be in both. */
export interface TradingCalendar {
  /** Named closed by the calendar dataset, or answered with nothing by an exchange. */
  readonly closed: ReadonlySet<string>
  /** Named open by the calendar dataset: make-up Saturdays, and days wrongly taken for closed. */
  readonly open: ReadonlySet<string>
}

export const EMPTY_CALENDAR: TradingCalendar = { closed: new Set(), open: new Set() }

/** True for a day on which the market should have traded. */
export const isSession = (day: string, { closed, open }: TradingCalendar): boolean =>
  open.has(day) || !(closedByRule(day) || closed.has(day))
