import { addDays } from '../core/index.ts'

/**
 * Holidays with a fixed date, keyed by month and day. The value is the first date on which both
 * markets closed for the holiday.
 */
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

/**
 * Since this date, a holiday on a Saturday is observed on the Friday before. A holiday on a Sunday
 * is observed on the Monday after.
 */
const OBSERVED_SINCE = '2015-01-01'

const SUNDAY = 0
const MONDAY = 1
const FRIDAY = 5
const SATURDAY = 6

const weekdayOf = (day: string): number => new Date(`${day}T00:00:00Z`).getUTCDay()

/** True for Sundays, on which the market has never traded. */
export const isSunday = (day: string): boolean => weekdayOf(day) === SUNDAY

/**
 * True for Saturdays and Sundays. Some Saturdays were make-up trading days, so data of a Saturday
 * is accepted but not expected.
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
 * True if a rule closes the market on a day. The rules are weekends, holidays with a fixed date,
 * and the weekdays on which these holidays are observed. Movable holidays and typhoon days come
 * from the calendar dataset, which also overrides these rules.
 */
export const closedByRule = (day: string): boolean => isWeekend(day) || isFixedHoliday(day) || isObserved(day)
