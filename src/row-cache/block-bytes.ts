import type { Dataset } from '../../catalog/index.ts'
import type { Part, Release } from '../releases/index.ts'

/**
 * Memory that a block takes beside its values, as the process grows by it with Node 26 and the system's allocator: blocks of one key, of 10 to
 * 25 columns and 1 or 20 rows, are counted as 0.84 to 1.27 times that, and of 400 rows, as 0.64 to 1.1 times: the allocator keeps gaps between them.
 */
const BLOCK_BYTES = 2_048
/** A run of a key, its place by key and the key. */
const RUN_BYTES = 120
/** An array that has memory of its own. */
export const ARRAY_BYTES = 350

/** Arrays of a dictionary. */
const DICTIONARY_ARRAYS = 4
/** A column, by the arrays it may have beside that of its values. */
interface Arrays {
  readonly valid: unknown
  readonly dictionary?: unknown
}

const arraysOf = ({ valid, dictionary }: Arrays): number => 1 + (valid ? 1 : 0) + (dictionary ? DICTIONARY_ARRAYS : 0)

/**
 * What a block takes beside its values and its texts.
 *
 * @param runs how many of them it has
 * @param arrayBytes what each array of a column takes beside its values
 */
export function overheadOf(columns: ReadonlyMap<string, Arrays>, runs: number, arrayBytes: number): number {
  let arrays = 0
  for (const column of columns.values()) arrays += arraysOf(column)
  return BLOCK_BYTES + runs * RUN_BYTES + arrays * arrayBytes
}

/** Bytes of a value, about. */
const WIDTH = { date: 4, integer: 4, number: 8, boolean: 1, timestamp: 8, text: 4, json: 32 } as const

/** What a row takes, about. */
export const rowBytes = ({ columns }: Dataset): number =>
  Object.values(columns).reduce((sum, { type, nullable }) => sum + WIDTH[type] + (nullable ? 0.125 : 0), 0)

/** What a block of a part takes beside its values, where every cell has one. */
export function likelyOverhead({ columns }: Dataset, { manifest: { statistics, buckets } }: Release, { role, rows }: Part): number {
  const runs = Math.min(rows, role === 'delta' ? statistics.keys : Math.ceil(statistics.keys / buckets))
  const arrays = Object.values(columns).reduce((sum, { type }) => sum + 1 + (type === 'text' || type === 'json' ? DICTIONARY_ARRAYS : 0), 0)
  return BLOCK_BYTES + runs * RUN_BYTES + arrays * ARRAY_BYTES
}
