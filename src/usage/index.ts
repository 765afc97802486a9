/** The usage ledger and credits. */
export type { LedgerAlert } from './backlog.ts'
export type { Committed } from './batch.ts'
export { type Balance, createCredits, type Hold } from './credits.ts'
export { createUsageEntries, type EntriesWanted } from './entries.ts'
export { type Ledger, openLedger } from './ledger.ts'
export { createUsageStore, type UsageReport, type UsageWindow, usageWindow, WINDOW_FORM, WINDOWS } from './report.ts'
