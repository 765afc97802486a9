import { createHash } from 'node:crypto'
import type { ColumnType } from './column.ts'
import type { Dataset } from './dataset.ts'

/** How each type is stored in Parquet. */
export const STORED: Readonly<Record<ColumnType, string>> = {
  text: 'VARCHAR',
  date: 'DATE',
  timestamp: 'TIMESTAMP',
  number: 'DOUBLE',
  integer: 'BIGINT',
  boolean: 'BOOLEAN',
  json: 'VARCHAR',
}

/** sha256 over names, types and nullability in order: two releases with equal hashes can be read by one query. */
export function schemaHash({ columns }: Dataset): string {
  const shape = Object.entries(columns).map(([name, { type, nullable }]) => [name, type, nullable === true])
  return createHash('sha256').update(JSON.stringify(shape)).digest('hex')
}

/** The dataset's version as envelopes send it, marked where the schema may still change. */
export const versionOf = ({ version, status }: Dataset): string => (status === 'preview' ? `${version}-preview` : version)

/** Names of the columns that publication computes. */
export const derivedColumns = ({ columns }: Dataset): readonly string[] =>
  Object.keys(columns).filter(name => columns[name]?.derived !== undefined)
