/** The trading calendar that comes with the project, and its publication. */
export { calendarDays, isTradingDay } from './closures.ts'
export { bringCalendar, calendarIsDue, publishCalendar } from './publish-calendar.ts'
