/** Feeds fetched when their datasets are due. */
export { needsOf, runSchedule, type ScheduleDeps } from './schedule.ts'
export { type FeedState, readScheduleState, type ScheduleState } from './state.ts'
export { cadenceText } from './times.ts'
