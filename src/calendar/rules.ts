import { addDays } from '../core/index.ts'

/** Fixed holidays by month and day, with the first date from which both markets close on them whatever the weekday. */
const FIXED_HOLIDAYS: Readonly<Record<string, string>> = {
  '01-01': '1998-01-01',
  '02-28': '1998-02-28',
  // Children's Day, and Tomb-Sweeping Day in the years that have it a day early.
  '04-04': '2011-04-04',
  '05-01': '1998-05-01',
  '10-10': '1998-10-10',
  // Act on memorial days and holidays of 2025-05-28: Teachers' Day, Retrocession Day, Constitution Day.
  '09-28': '2025-09-28',
  '10-25': '2025-10-25',
  '12-25': '2025-12-25',
}

/** From this year on, a holiday on a Saturday is observed on the Friday before, one on a Sunday on the Monday after. */
const OBSERVED_SINCE = '2015-01-01'

const [SUNDAY, MONDAY, FRIDAY, SATURDAY] = [0, 1, 5, 6]

const weekdayOf = (day: string): number => new Date(`${day}T00:00:00Z`).getUTCDay()

/** True for a day on which no market has ever traded. */
export const isSunday = (day: string): boolean => weekdayOf(day) === SUNDAY

/** True for Saturday and Sunday. Make-up trading Saturdays have existed, so data for one is accepted and its absence means nothing. */
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
 * True for days that are closed by rule: weekends, holidays with a fixed date, and the weekdays these are observed on. Movable holidays
 * and typhoon days come from the calendar dataset, which also overrides the rules; a day that has rows was open.
 */
export const closedByRule = (day: string): boolean => isWeekend(day) || isFixedHoliday(day) || isObserved(day)
