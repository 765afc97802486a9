/** SQL queries of callers: validation of the parse tree, worker processes, price. */
export type { CheckedQuery } from './check.ts'
export { FUNCTIONS, TABLE_FUNCTIONS } from './functions.ts'
export { creditsOf, planScan, type Scan, type SqlView } from './scan.ts'
export { createSqlEngine, MAX_QUERY, type SqlEngine, type SqlRows, type SqlRun } from './sql.ts'
export type { AnswerColumn } from './wire.ts'
export { createSqlWorkers, type SqlWorkers } from './workers.ts'
