/** Converts received files to rows by day, or puts them into quarantine. */

export { collectReports } from './collected-reports.ts'
export { folderColumns } from './folder-columns.ts'
export { findKept, type KeptFile, keptFiles, type Settled, settledFiles, settleKept } from './kept-files.ts'
export { calendarOf, calendarRows, publishedDays } from './known-days.ts'
export { faultOf, type Reading, readPartitionFiles } from './partition-file.ts'
export { createQuarantine, type Quarantine, type QuarantineChange, type QuarantineReport } from './quarantine.ts'
export { readingCode } from './reading-code.ts'
export { type DayRows, judgeEmpty, MOST_BYTES, type ReceivedFile, readReceivedFile, splitByDay } from './received-file.ts'
export { type Spool, withSpool } from './spool.ts'
