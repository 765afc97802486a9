import { addDays } from '../core/index.ts'

/** First observance of each holiday, keyed by month and day. */
const FIXED_HOLIDAYS: Readonly<Record<string, string>> = {
  '01-01': '1998-01-01',
  '02-28': '1998-02-28',
  // Children's Day. In some years, also Tomb-Sweeping Day.
  '04-04': '2011-04-04',
  '05-01': '1998-05-01',
  '10-10': '1998-10-10',
  // Teachers' Day, Retrocession Day and Constitution Day, by the Act on memorial days and holidays
  // of 2025-05-28.
  '09-28': '2025-09-28',
  '10-25': '2025-10-25',
  '12-25': '2025-12-25',
}

/** Since this day, a Saturday holiday is observed on Friday, and a Sunday holiday on Monday. */
const OBSERVED_SINCE = '2015-01-01'

const SUNDAY = 0
const MONDAY = 1
const FRIDAY = 5
const SATURDAY = 6

const weekdayOf = (day: string): number => new Date(`${day}T00:00:00Z`).getUTCDay()

/** The market has never traded on a Sunday. */
export const isSunday = (day: string): boolean => weekdayOf(day) === SUNDAY

/** Some Saturdays were trading days. Data of a Saturday is accepted, but not expected. */
function isWeekend(day: string): boolean {
  return isSunday(day) || weekdayOf(day) === SATURDAY
}

const isFixedHoliday = (day: string): boolean => (FIXED_HOLIDAYS[day.slice(5)] ?? '9999') <= day

function isObserved(day: string): boolean {
  if (day < OBSERVED_SINCE) return false
  const weekday = weekdayOf(day)
  return (weekday === FRIDAY && isFixedHoliday(addDays(day, 1))) || (weekday === MONDAY && isFixedHoliday(addDays(day, -1)))
}

/** True for weekends and fixed holidays. The calendar dataset overrides the result. */
export const closedByRule = (day: string): boolean => isWeekend(day) || isFixedHoliday(day) || isObserved(day)
