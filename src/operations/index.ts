/** Operations of callers, independent of HTTP. */

export { type AccountOperations, createAccountOperations } from './account/account.ts'
export { createAdjustCredits, givenCreditsView } from './account/adjust-credits.ts'
export { type BillingDeps, type BillingOperations, createBillingOperations } from './account/billing.ts'
export { type BrowserSessions, createBrowserSessions } from './account/browser-session.ts'
export type { AccountCaller, AccountDeps, AuditedCall, Payer, SignedInCaller } from './account/callers.ts'
export { createCloseAccount } from './account/close-account.ts'
export { createGrantPlan, END_IN_FUTURE, type GrantPlan } from './account/grant-plan.ts'
export { createIdempotentCall, type IdempotentCall, type IdempotentRequest } from './account/idempotent-call.ts'
export { createManageKeys, MAX_ACTIVE_KEYS, MAX_NEW_KEYS_PER_DAY, type ManageKeys } from './account/manage-keys.ts'
export { createManageWebhooks, MAX_FILTERS, MAX_RESENT, type WebhookDeps } from './account/manage-webhooks.ts'
export { type AnonymousCaller, createSignIn, type SignIn } from './account/sign-in.ts'
export { createUsageOperations, type UsageOperations } from './account/usage.ts'
export { createUsageLedger, type LedgerPage, type ReadUsageLedger } from './account/usage-ledger.ts'
export { settingsFaults } from './account/webhook-settings.ts'
export { createDryListParts, createListParts, MAX_KEYS, type PartsAnswer, type PartsDeps, partsInput } from './files/list-parts.ts'
export { createReadReleases, type ReleaseDeps, type ReleasesAnswer, type TableAnswer } from './files/list-releases.ts'
export { createReadFile, type FileAnswer, type FileDeps, type FileReader } from './files/read-file.ts'
export {
  createShareTables,
  SHARED_SCHEMA,
  type ShareDeps,
  type SharedName,
  type ShareTables,
  type TableQuery,
  type VersionSelector,
} from './files/share-tables.ts'
export { createAnnouncements } from './operator/announcements.ts'
export { auditEntryView, auditRows, createReadAuditLog } from './operator/audit-log.ts'
export { type DaysAtRiskDeps, daysAtRisk } from './operator/days-at-risk.ts'
export { createDiagnostics, type Diagnostics, type DiagnosticsDeps } from './operator/diagnostics.ts'
export {
  type Intake,
  type IntakeAccepted,
  type IntakeFeed,
  type IntakeFile,
  type IntakeSettled,
  NO_INTAKE,
} from './operator/intake.ts'
export {
  type AccountSearch,
  createManageAccounts,
  type LimitsInput,
  MAX_NOTE_LENGTH,
  MAX_OVERLAP_HOURS,
  MAX_REASON_LENGTH,
  type ManageAccounts,
  type ManageAccountsDeps,
  MOST_LIMITS,
  type OperatorCall,
} from './operator/manage-accounts.ts'
export { createOversight, type OversightDeps } from './operator/oversight.ts'
export { type AcceptAnswer, createSettleFiles, type FileView, type SettleDeps } from './operator/settle-quarantine.ts'
export type { DryRun } from './read/dry-run.ts'
export type { Call, Charge, Meta, MeterDeps } from './read/metering.ts'
export { createProfileDataset, type DatasetProfile, type ProfileAnswer, type ProfileDataset } from './read/profile-dataset.ts'
export {
  createDryQueryFields,
  createQueryFields,
  type QueryAnswer,
  type QueryDeps,
  type QueryFields,
  type QueryMeta,
} from './read/query-fields.ts'
export {
  type CountRows,
  createCountRows,
  createDryReadDataset,
  createReadDataset,
  type DryReadDataset,
  type ReadAnswer,
  type ReadDataset,
  type ReadDeps,
  type ReadInput,
  type ReadMeta,
} from './read/read-dataset.ts'
export { type ReleaseFacts, releaseFacts } from './read/release-facts.ts'
export { requireDataset, requiredPlanOf } from './read/require-dataset.ts'
export {
  createDryRunSql,
  createRunSql,
  type DryRunSql,
  type RunSql,
  type SqlAnswer,
  type SqlDeps,
  type SqlInput,
  type SqlMeta,
} from './read/run-sql.ts'
export {
  createListOptions,
  createSearch,
  OPTION_TYPES,
  type OptionType,
  type RunSearch,
  type SearchAnswer,
  type SearchDeps,
  type SearchInput,
} from './read/search.ts'
export { createSlowReads, type MeasuredRead, type SlowRead, type SlowReads } from './read/slow-reads.ts'
