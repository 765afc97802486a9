/** The trading calendar that comes with the project, and its publication. */
export { BY_RULE_FROM, type CalendarDay, calendarDays, FIRST_YEAR, isTradingDay, LAST_YEAR } from './closures.ts'
export { bringCalendar, calendarIsDue, publishCalendar } from './publish-calendar.ts'
