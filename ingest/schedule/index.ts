/** Fetches feeds when their datasets are due. */
export { type FeedRun, feedRuns } from './feed-runs.ts'
export { needsOf, runSchedule, type ScheduleDeps } from './schedule.ts'
export { readScheduleState, type ScheduleState } from './state.ts'
