/** The SQLite state file: schema, migrations, sealed secrets, audit log, backups. */
export { AUDIT_ACTIONS, type AuditAction, type AuditFilter, type AuditLog, type AuditRecord, createAuditLog } from './audit.ts'
export { backupState, inspectBackup, restoreState } from './backup.ts'
export { findBookFaults } from './books.ts'
export { browserIdOf, IS_API_KEY } from './browser-key.ts'
export { type Checkpoints, checkpoint, createCheckpoints, leaveToCheckpoints } from './checkpoints.ts'
export { claimState, runningService } from './claim.ts'
export {
  corruptionError,
  type Database,
  explainDamage,
  factsOf,
  formerStatePath,
  inspectState,
  isStateDamaged,
  isUnwritable,
  openState,
  type StateFacts,
  type UpgradeListener,
} from './db.ts'
export { backupName, backupsIn, type DrillReport, drillBackup } from './drill.ts'
export { type AnswerOwner, answerOwnerOf, createIdempotencyStore, type IdempotencyStore } from './idempotency-store.ts'
export {
  type ActiveGrant,
  activeGrant,
  createGrantFinder,
  type EffectivePlan,
  effectivePlan,
  limitsOn,
  type PlanSources,
  planColumns,
} from './plan.ts'
export { checkVault, createVault, markVault, type Vault } from './vault.ts'
