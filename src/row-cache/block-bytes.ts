import type { Dataset } from '../../catalog/index.ts'
import type { Part, Release } from '../releases/index.ts'

/**
 * Memory of an empty entry, in bytes. Estimates were 0.64 to 1.27 times the growth measured with
 * Node 26.
 */
const BLOCK_BYTES = 2_048
/** Memory of one key, in bytes. */
const RUN_BYTES = 120
/** Memory of a typed array without values, in bytes. */
export const ARRAY_BYTES = 350

const DICTIONARY_ARRAYS = 4
interface Arrays {
  readonly valid: unknown
  readonly dictionary?: unknown
}

const arraysOf = ({ valid, dictionary }: Arrays): number => 1 + (valid ? 1 : 0) + (dictionary ? DICTIONARY_ARRAYS : 0)

/**
 * Memory of a cached Parquet file in bytes, without the values.
 *
 * @param runs number of keys
 * @param arrayBytes memory of an array without values
 */
export function overheadOf(columns: ReadonlyMap<string, Arrays>, runs: number, arrayBytes: number): number {
  let arrays = 0
  for (const column of columns.values()) arrays += arraysOf(column)
  return BLOCK_BYTES + runs * RUN_BYTES + arrays * arrayBytes
}

const WIDTH = { date: 4, integer: 4, number: 8, boolean: 1, timestamp: 8, text: 4, json: 32 } as const

export const rowBytes = ({ columns }: Dataset): number =>
  Object.values(columns).reduce((sum, { type, nullable }) => sum + WIDTH[type] + (nullable ? 0.125 : 0), 0)

/** Estimates memory before a Parquet file is read. Assumes that no cell is null. */
export function estimatedOverhead({ columns }: Dataset, { manifest: { statistics, buckets } }: Release, { role, rows }: Part): number {
  const runs = Math.min(rows, role === 'delta' ? statistics.keys : Math.ceil(statistics.keys / buckets))
  const arrays = Object.values(columns).reduce((sum, { type }) => sum + 1 + (type === 'text' || type === 'json' ? DICTIONARY_ARRAYS : 0), 0)
  return BLOCK_BYTES + runs * RUN_BYTES + arrays * ARRAY_BYTES
}
