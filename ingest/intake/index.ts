/** A received file to rows, captures and quarantine. */

export { type Capture, recordCaptures } from './captures.ts'
export { calendarOf, calendarRows } from './closed-days.ts'
export { publishedDays } from './held-days.ts'
export { formatOf, readPartitionFiles, sourceOf } from './partition-file.ts'
export { type DayRows, splitByDay } from './pieces.ts'
export { quarantine } from './quarantine.ts'
export { judgeEmpty, type ReceivedFile, readReceivedFile } from './received-file.ts'
