import { addDays } from '../core/index.ts'

/**
 * Fixed holidays by month and day. The value is the first date on which both markets closed for
 * this holiday, on any weekday.
 */
const FIXED_HOLIDAYS: Readonly<Record<string, string>> = {
  '01-01': '1998-01-01',
  '02-28': '1998-02-28',
  // Children's Day, and Tomb-Sweeping Day in years in which it is a day early.
  '04-04': '2011-04-04',
  '05-01': '1998-05-01',
  '10-10': '1998-10-10',
  // Since the Act on memorial days and holidays of 2025-05-28: Teachers' Day, Retrocession Day,
  // Constitution Day.
  '09-28': '2025-09-28',
  '10-25': '2025-10-25',
  '12-25': '2025-12-25',
}

/**
 * Since this date, a holiday on a Saturday is observed on the Friday before, and one on a Sunday on
 * the Monday after.
 */
const OBSERVED_SINCE = '2015-01-01'

const SUNDAY = 0
const MONDAY = 1
const FRIDAY = 5
const SATURDAY = 6

const weekdayOf = (day: string): number => new Date(`${day}T00:00:00Z`).getUTCDay()

/** No market has ever traded on a Sunday. */
export const isSunday = (day: string): boolean => weekdayOf(day) === SUNDAY

/**
 * There have been make-up trading days on Saturdays, so data of a Saturday is accepted but not
 * expected.
 */
function isWeekend(day: string): boolean {
  return isSunday(day) || weekdayOf(day) === SATURDAY
}

const isFixedHoliday = (day: string): boolean => (FIXED_HOLIDAYS[day.slice(5)] ?? '9999') <= day

function isObserved(day: string): boolean {
  if (day < OBSERVED_SINCE) return false
  const weekday = weekdayOf(day)
  return (weekday === FRIDAY && isFixedHoliday(addDays(day, 1))) || (weekday === MONDAY && isFixedHoliday(addDays(day, -1)))
}

/**
 * True if a day is closed by rule: weekends, holidays with a fixed date, and the weekdays on which
 * these are observed. Movable holidays and typhoon days come from the calendar dataset, which also
 * overrides these rules. A day with rows was open.
 */
export const closedByRule = (day: string): boolean => isWeekend(day) || isFixedHoliday(day) || isObserved(day)
