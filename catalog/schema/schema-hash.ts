import { createHash } from 'node:crypto'
import type { ColumnType } from './column.ts'
import type { Dataset } from './dataset.ts'

/** DuckDB type each column type is stored as in Parquet. */
export const STORED: Readonly<Record<ColumnType, string>> = {
  text: 'VARCHAR',
  date: 'DATE',
  timestamp: 'TIMESTAMP',
  number: 'DOUBLE',
  integer: 'BIGINT',
  boolean: 'BOOLEAN',
  json: 'VARCHAR',
}

/** sha256, in hex, of the columns' names, types and nullability in order. One query can read two releases with equal hashes. */
export function schemaHash({ columns }: Dataset): string {
  const shape = Object.entries(columns).map(([name, { type, nullable }]) => [name, type, nullable === true])
  return createHash('sha256').update(JSON.stringify(shape)).digest('hex')
}

/** Names of the columns that publication computes. */
export const derivedColumns = ({ columns }: Dataset): readonly string[] =>
  Object.keys(columns).filter(name => columns[name]?.derived !== undefined)
