import { createHash } from 'node:crypto'
import type { ColumnType } from './column.ts'
import type { Dataset } from './dataset.ts'

/** DuckDB type in which Parquet stores each column type. */
export const STORED: Readonly<Record<ColumnType, string>> = {
  text: 'VARCHAR',
  date: 'DATE',
  timestamp: 'TIMESTAMP WITH TIME ZONE',
  number: 'DOUBLE',
  integer: 'BIGINT',
  boolean: 'BOOLEAN',
  json: 'VARCHAR',
}

/** Stored type of timestamps in earlier versions: UTC without a zone. */
export const FORMER_TIMESTAMP = 'TIMESTAMP'

/** True if a Parquet file may store the column type as this DuckDB type. */
export const isStoredAs = (type: ColumnType, stored: string | undefined): boolean =>
  stored === STORED[type] || (type === 'timestamp' && stored === FORMER_TIMESTAMP)

/**
 * Returns the sha256, in hex, of the stored columns: names, types and nullability, in order. One
 * query can read releases with equal hashes.
 */
export function schemaHash(dataset: Dataset): string {
  const shape = storedColumns(dataset).map(name => {
    const { type, nullable } = dataset.columns[name]!
    return [name, type, nullable === true]
  })
  return createHash('sha256').update(JSON.stringify(shape)).digest('hex')
}

/** Columns in Parquet files, in order. */
export const storedColumns = ({ columns }: Dataset): readonly string[] =>
  Object.keys(columns).filter(name => columns[name]?.virtual === undefined)

/** Returns the columns that reads compute, each with its SQL. */
export const virtualColumns = ({ columns }: Dataset): readonly (readonly [name: string, expression: string])[] =>
  Object.entries(columns).flatMap(([name, { virtual }]) => (virtual === undefined ? [] : [[name, virtual] as const]))

export const derivedColumns = ({ columns }: Dataset): readonly string[] =>
  Object.keys(columns).filter(name => columns[name]?.derived !== undefined)
