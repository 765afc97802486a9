/** What a caller can do: an admitted caller and input in, the answer and facts about it out; no HTTP. */

export { type AccountOperations, createAccountOperations } from './account/account.ts'
export { type AnswerOnce, createAnswerOnce, type NamedCall } from './account/answer-once.ts'
export { type BillingDeps, type BillingOperations, createBillingOperations } from './account/billing.ts'
export { type BrowserSessions, createBrowserSessions } from './account/browser-session.ts'
export type { AccountCaller, AccountDeps, AuditedCall, Payer, SignedInCaller } from './account/callers.ts'
export { createCloseAccount } from './account/close-account.ts'
export { createGrantPlan, END_AHEAD, type GrantPlan } from './account/grant-plan.ts'
export { createManageKeys, MAX_ACTIVE_KEYS, MAX_NEW_KEYS_A_DAY, type ManageKeys } from './account/manage-keys.ts'
export { createManageWebhooks, MOST_FILTERED, MOST_RESENT, type WebhookDeps } from './account/manage-webhooks.ts'
export { type AnonymousCaller, createSignIn, type SignIn } from './account/sign-in.ts'
export { createUsageOperations, type UsageOperations } from './account/usage.ts'
export { createUsageLedger, type LedgerPage, type ReadUsageLedger } from './account/usage-ledger.ts'
export { choiceFaults } from './account/webhook-choice.ts'
export { createDryListParts, createListParts, MOST_KEYS, type PartsAnswer, type PartsDeps, partsInput } from './files/list-parts.ts'
export { createReadReleases, type ReleaseDeps, type ReleasesAnswer } from './files/list-releases.ts'
export { createReadFile, type FileAnswer, type FileDeps, type FileReader } from './files/read-file.ts'
export {
  type AsOf,
  createShareTables,
  SHARED_SCHEMA,
  type ShareDeps,
  type SharedName,
  type ShareTables,
  type TableQuery,
} from './files/share-tables.ts'
export { createAnnouncements } from './operator/announcements.ts'
export { createDiagnostics, type Diagnostics, type DiagnosticsDeps } from './operator/diagnostics.ts'
export {
  type Intake,
  type IntakeAccepted,
  type IntakeFeed,
  type IntakeFile,
  type IntakeSettled,
  NO_INTAKE,
} from './operator/intake.ts'
export { createOversight, type OversightDeps } from './operator/oversight.ts'
export { type AcceptAnswer, createSettleFiles, type FileView, type SettleDeps } from './operator/settle-files.ts'
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
export { createSearch, type RunSearch, type SearchAnswer, type SearchDeps, type SearchInput } from './read/search.ts'
export { createSlowReads, type NotedRead, type SlowRead, type SlowReads } from './read/slow-reads.ts'
export { leastPlanOf, soldDataset } from './read/sold-dataset.ts'
