import type { Dataset } from '../../catalog/index.ts'
import type { Part, Release } from '../releases/index.ts'

/**
 * Memory of a block, the cached rows of one part, without its values. Measured as growth of the
 * process with Node 26 and the system allocator, for blocks of one key with 10 to 25 columns. The
 * estimate is 0.84 to 1.27 times the growth for 1 or 20 rows, and 0.64 to 1.1 times for 400 rows.
 * The difference is unused space of the allocator.
 */
const BLOCK_BYTES = 2_048
/** Memory of a run with its map entry and its key. */
const RUN_BYTES = 120
/** Memory of a typed array with its own buffer, without its values. */
export const ARRAY_BYTES = 350

/** Number of arrays of a dictionary. */
const DICTIONARY_ARRAYS = 4
/** A column's arrays that may be absent. */
interface Arrays {
  readonly valid: unknown
  readonly dictionary?: unknown
}

const arraysOf = ({ valid, dictionary }: Arrays): number => 1 + (valid ? 1 : 0) + (dictionary ? DICTIONARY_ARRAYS : 0)

/**
 * Memory of a block without its values and cached texts.
 *
 * @param runs number of runs
 * @param arrayBytes overhead per array of a column
 */
export function overheadOf(columns: ReadonlyMap<string, Arrays>, runs: number, arrayBytes: number): number {
  let arrays = 0
  for (const column of columns.values()) arrays += arraysOf(column)
  return BLOCK_BYTES + runs * RUN_BYTES + arrays * arrayBytes
}

/** Approximate bytes of a value. */
const WIDTH = { date: 4, integer: 4, number: 8, boolean: 1, timestamp: 8, text: 4, json: 32 } as const

/** Approximate bytes of a row. */
export const rowBytes = ({ columns }: Dataset): number =>
  Object.values(columns).reduce((sum, { type, nullable }) => sum + WIDTH[type] + (nullable ? 0.125 : 0), 0)

/** Estimated overhead of a block of a part without null cells. */
export function estimatedOverhead({ columns }: Dataset, { manifest: { statistics, buckets } }: Release, { role, rows }: Part): number {
  const runs = Math.min(rows, role === 'delta' ? statistics.keys : Math.ceil(statistics.keys / buckets))
  const arrays = Object.values(columns).reduce((sum, { type }) => sum + 1 + (type === 'text' || type === 'json' ? DICTIONARY_ARRAYS : 0), 0)
  return BLOCK_BYTES + runs * RUN_BYTES + arrays * ARRAY_BYTES
}
