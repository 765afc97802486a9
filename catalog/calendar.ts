/** Month and day of holidays on which both markets have closed every year since 1998, whatever the weekday. */
const FIXED_HOLIDAYS: ReadonlySet<string> = new Set(['01-01', '02-28', '05-01', '10-10'])

/** True for Saturday and Sunday. Make-up trading Saturdays existed, so data on one is welcome; its absence means nothing. */
export function isWeekend(day: string): boolean {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay()
  return weekday === 0 || weekday === 6
}

/** Days the rules alone know to be closed: weekends and holidays with a fixed date. Moving holidays and typhoons come as data. */
export const closedByRule = (day: string): boolean => isWeekend(day) || FIXED_HOLIDAYS.has(day.slice(5))
