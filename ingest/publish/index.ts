/**
 * Converts rows to a release: check, compare, write, rename, serve. Records the outcome of each
 * file.
 */

export { type Forecast, forecast, noRows } from './check/assess.ts'
export {
  ACCEPTABLE,
  acceptableRules,
  type Batch,
  type BatchFault,
  type DayRange,
  EMPTY_CALENDAR,
  isSession,
  type TradingCalendar,
} from './check/batch.ts'
export { calendarDays } from './check/calendar-days.ts'
export { appendLines, type Capture } from './check/captures.ts'
export { type Finding, faultFinding, findingLines } from './check/findings.ts'
export { FORECAST_SUFFIX } from './check/open-days.ts'
export { addRows, columnsOf, createTable, createView, differ, equal, list, type Relation, storedOrder } from './check/relations.ts'
export { createStaging, spooledRows, stagedColumns, stageRows } from './check/stage-rows.ts'
export { columnFaults, columnsGiven, type GivenColumns, isRounded, TOO_LONG, whichColumns } from './check/type-columns.ts'
export { type DatasetOutcome, type Outcome, publish } from './publish.ts'
export { publishInOrder } from './publishing-order.ts'
export { nameServed, sweepParts } from './write/commit.ts'
export { type Compaction, compactRelease, isCompaction } from './write/compact.ts'
export { forgetJoins, loggedJoin, logJoin } from './write/join-log.ts'
export { mapBuckets } from './write/layout.ts'
export { linkMonths } from './write/linked-months.ts'
export { withLock } from './write/lock.ts'
export { keptRelease, manifestOf, SERVED } from './write/named-release.ts'
export { adapted, createServedReleases, type Parent, partsFor, partsWithin, readParts, type ServedReleases } from './write/parent.ts'
export { type ServedAgain, serveAgain } from './write/serve-again.ts'
export { rebuildTable } from './write/table-log.ts'
export { type EndedPublication, openWorkspace, type Workspace } from './write/workspace.ts'
