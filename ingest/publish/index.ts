/** Rows to a release: check, compare, write, rename, serve; and the captures that record what became of each file. */

export { ACCEPTABLE, type BatchFault, EMPTY_CALENDAR, isSession, type TradingCalendar } from './batch.ts'
export type { Capture } from './captures.ts'
export { loggedJoin, logJoin } from './join-log.ts'
export { FORETOLD } from './open-days.ts'
export { createServedReleases, type Parent, readParts, type ServedReleases } from './parent.ts'
export { type DatasetOutcome, type Outcome, publish } from './publish.ts'
export { createTable, createView, type Relation } from './relations.ts'
export { lineOf, type ServedAgain, serveAgain } from './serve-again.ts'
export { createStaging, stagedColumns, stageRows } from './stage-rows.ts'
export { rebuildTable } from './table-log.ts'
export { isRounded, TOO_LONG } from './type-columns.ts'
export { openWorkspace, type Workspace } from './workspace.ts'
