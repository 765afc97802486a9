/** A release as an open table: its columns, its parts and their statistics in the words of Delta Lake, which Delta Sharing uses too, and the log that engines read. */
export {
  type Action,
  type AddFile,
  addFiles,
  type CommitInfo,
  type PartStats,
  PROTOCOL,
  type Protocol,
  partPath,
  partStats,
} from './actions.ts'
export { type Bounds, UNBOUNDED } from './bounds.ts'
export { boundsOfHints, type Hints } from './hints.ts'
export { checkLog, continueLog, glanceAtLog, type LogChange, type LogState, mendLog } from './log.ts'
export { logFolder } from './log-files.ts'
export { declaredFields, type Field, type FieldType, type TableMetadata, tableId, tableMetadata, tableName } from './schema.ts'
export { fileLine, SHARING_FORMATS, type SharedVersion, type SharingFormat, tableLines } from './shared-table.ts'
export { createTableVersions, type TableVersion, type TableVersions } from './versions.ts'
export { boundedColumns, wantedParts } from './wanted-parts.ts'
