/**
 * Releases as Delta Lake tables, also for Delta Sharing: schema, files, statistics, transaction
 * log.
 */
export { type Action, type AddFile, addFiles, type CommitInfo, type PartStats, type Protocol } from './actions.ts'
export { type Bounds, UNBOUNDED } from './bounds.ts'
export { copyLog } from './copy-log.ts'
export { boundsOfHints, type Hints } from './hints.ts'
export { checkLog, checkNewestCommits, continueLog, type LogChange, type LogState, repairLog } from './log.ts'
export { logFolder } from './log-files.ts'
export { declaredFields, type Field, type FieldType, type TableMetadata, tableId, tableMetadata, tableName } from './schema.ts'
export { boundedColumns, selectParts } from './select-parts.ts'
export { type ServedEvent, servedEvents } from './served-events.ts'
export { fileLine, SHARING_FORMATS, type SharedVersion, type SharingFormat, tableLines } from './shared-table.ts'
export {
  type CommittedVersion,
  createTableVersions,
  type LogIdentity,
  logIdentity,
  type TableVersion,
  type TableVersions,
} from './versions.ts'
