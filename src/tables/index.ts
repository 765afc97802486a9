/** A release as an open table: its columns, its parts and their statistics in the words of Delta Lake, which Delta Sharing uses too. */
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
export { declaredFields, type Field, type FieldType, type TableMetadata, tableMetadata, tableName } from './schema.ts'
