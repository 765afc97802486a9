/** The usage ledger, credits and counts of requests. */
export type { LedgerAlert } from './backlog.ts'
export type { CommitListener } from './batch.ts'
export {
  type CreditEntries,
  type CreditEntry,
  type CreditEntryKind,
  type CreditSums,
  createCreditEntries,
  type EntryFilter,
} from './credit-entries.ts'
export { type Balance, type CreditReservation, createCredits } from './credits.ts'
export { createUsageEntries, type UsageEntry } from './entries.ts'
export { type Ledger, openLedger } from './ledger.ts'
export {
  createUsageStore,
  type UsageReport,
  type UsageWindow,
  usageWindow,
  WINDOW_NAMES,
  WINDOW_PATTERN,
} from './report.ts'
export { openTraffic } from './traffic.ts'
