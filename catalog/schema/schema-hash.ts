import { createHash } from 'node:crypto'
import type { ColumnType } from './column.ts'
import type { Dataset } from './dataset.ts'

/** The DuckDB type in which Parquet stores each column type. */
export const STORED: Readonly<Record<ColumnType, string>> = {
  text: 'VARCHAR',
  date: 'DATE',
  timestamp: 'TIMESTAMP WITH TIME ZONE',
  number: 'DOUBLE',
  integer: 'BIGINT',
  boolean: 'BOOLEAN',
  json: 'VARCHAR',
}

/** Stored type of timestamps in parts (Parquet files) of earlier versions: UTC without a zone. */
export const FORMER_TIMESTAMP = 'TIMESTAMP'

/**
 * Returns true if a part (a Parquet file of a release) may store the column type as this DuckDB
 * type.
 */
export const isStoredAs = (type: ColumnType, stored: string | undefined): boolean =>
  stored === STORED[type] || (type === 'timestamp' && stored === FORMER_TIMESTAMP)

/**
 * Returns the sha256, in hex, of the stored columns: names, types and nullability, in order. If the
 * hashes of two releases are equal, one query can read both.
 */
export function schemaHash(dataset: Dataset): string {
  const shape = storedColumns(dataset).map(name => {
    const { type, nullable } = dataset.columns[name]!
    return [name, type, nullable === true]
  })
  return createHash('sha256').update(JSON.stringify(shape)).digest('hex')
}

/** Returns the names of the columns that Parquet files contain, in order. */
export const storedColumns = ({ columns }: Dataset): readonly string[] =>
  Object.keys(columns).filter(name => columns[name]?.virtual === undefined)

/** Returns the columns that reads compute, each with its SQL expression. */
export const virtualColumns = ({ columns }: Dataset): readonly (readonly [name: string, expression: string])[] =>
  Object.entries(columns).flatMap(([name, { virtual }]) => (virtual === undefined ? [] : [[name, virtual] as const]))

/** Returns the names of the columns that publication computes. */
export const derivedColumns = ({ columns }: Dataset): readonly string[] =>
  Object.keys(columns).filter(name => columns[name]?.derived !== undefined)
