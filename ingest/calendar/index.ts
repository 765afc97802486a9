/** The built-in trading calendar and its publication. */
export { calendarDays, isTradingDay } from './closures.ts'
export { bringCalendar, CALENDAR_SHA256, calendarIsDue, publishCalendar } from './publish-calendar.ts'
