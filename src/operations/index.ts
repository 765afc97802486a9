/** What a caller can do: an admitted caller and input in, the answer and facts about it out; no HTTP. */

export { type AccountOperations, createAccountOperations } from './account.ts'
export { createAnnouncements } from './announcements.ts'
export { type AnswerOnce, createAnswerOnce, type NamedCall } from './answer-once.ts'
export { type BillingDeps, type BillingOperations, createBillingOperations } from './billing.ts'
export { type BrowserSessions, createBrowserSessions } from './browser-session.ts'
export type { AccountCaller, AccountDeps, AuditedCall, SignedInCaller } from './callers.ts'
export { createCloseAccount } from './close-account.ts'
export { createDiagnostics, type Diagnostics, type DiagnosticsDeps } from './diagnostics.ts'
export type { DryRun } from './dry-run.ts'
export { createGrantPlan, END_AHEAD, type GrantPlan } from './grant-plan.ts'
export {
  type Intake,
  type IntakeAccepted,
  type IntakeFeed,
  type IntakeFile,
  type IntakeSettled,
  NO_INTAKE,
} from './intake.ts'
export { createDryListParts, createListParts, MOST_KEYS, type PartsAnswer, type PartsDeps, partsInput } from './list-parts.ts'
export { createReadReleases, type ReleaseDeps, type ReleasesAnswer } from './list-releases.ts'
export { createManageKeys, MAX_ACTIVE_KEYS, MAX_NEW_KEYS_A_DAY, type ManageKeys } from './manage-keys.ts'
export { createManageWebhooks, MOST_FILTERED, MOST_RESENT, type WebhookDeps } from './manage-webhooks.ts'
export type { Call, Charge, Meta, MeterDeps } from './metering.ts'
export { createOversight, type OversightDeps } from './oversight.ts'
export { createProfileDataset, type DatasetProfile, type ProfileAnswer, type ProfileDataset } from './profile-dataset.ts'
export {
  createDryQueryFields,
  createQueryFields,
  type QueryAnswer,
  type QueryDeps,
  type QueryFields,
  type QueryMeta,
} from './query-fields.ts'
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
} from './read-dataset.ts'
export { createReadFile, type FileAnswer, type FileDeps, type FileReader } from './read-file.ts'
export { type ReleaseFacts, releaseFacts } from './release-facts.ts'
export { createSearch, type RunSearch, type SearchAnswer, type SearchDeps, type SearchInput } from './search.ts'
export { type AcceptAnswer, createSettleFiles, type FileView, type SettleDeps } from './settle-files.ts'
export {
  type AsOf,
  createShareTables,
  SHARED_SCHEMA,
  type ShareDeps,
  type SharedName,
  type ShareTables,
  type TableQuery,
} from './share-tables.ts'
export { type AnonymousCaller, createSignIn, type SignIn } from './sign-in.ts'
export { createSlowReads, type NotedRead, type SlowRead, type SlowReads } from './slow-reads.ts'
export { leastPlanOf, soldDataset } from './sold-dataset.ts'
export { createUsageOperations, type UsageOperations } from './usage.ts'
export { createUsageLedger, type LedgerPage, type ReadUsageLedger } from './usage-ledger.ts'
export { choiceFaults } from './webhook-choice.ts'
