/** Trading days, cadences and freshness. */
export { type Calendar, createCalendar, type IsClosed } from './calendar.ts'
export {
  FRESHNESS_STATES,
  type FreshnessState,
  freshnessState,
  freshnessView,
  lateDay,
  minuteOf,
  overdueSince,
  publicationTimes,
} from './freshness.ts'
export { closedByRule, isSunday } from './rules.ts'
export { type DueDate, scheduleOf } from './schedule.ts'
