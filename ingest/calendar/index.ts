/** The built-in trading calendar and its publication. */
export { calendarDays, isTradingDay } from './closures.ts'
export { bringCalendar, calendarIsDue, publishCalendar } from './publish-calendar.ts'
