import type { Column, Dataset } from '../../catalog/index.ts'
import { createSlices, type Pace } from '../core/index.ts'
import {
  type Chunk,
  type ColumnVector,
  type Dictionary,
  dictionaryOf,
  type Items,
  isValid,
  type ResultSize,
  textBytes,
} from '../engine/index.ts'
import { ARRAY_BYTES, overheadOf } from './block-bytes.ts'
import type { BlockTexts, RowTexts } from './row-texts.ts'

export interface StoredColumn {
  readonly items: Items
  readonly valid: Uint8Array | null
  readonly dictionary: Dictionary | null
}

export type StoredColumns = ReadonlyMap<string, StoredColumn>

/**
 * Rows of one key in one Parquet file: positions `from` (inclusive) to `to` (exclusive). `columns`
 * may contain other keys too.
 */
export interface Run {
  readonly columns: StoredColumns
  readonly texts: RowTexts
  readonly from: number
  readonly to: number
  /** True if the Parquet file has no more rows of the key. */
  readonly complete: boolean
}

/** Rows of one Parquet file. Immutable. */
export interface Block {
  /** Rows by key. A key without rows is missing. */
  readonly runs: ReadonlyMap<string, Run>
  readonly texts: BlockTexts
  /** Estimated memory in bytes, without cached texts. */
  readonly bytes: number
}

export interface BlockOptions {
  /** Maximum number of rows per key. Default: unlimited. A key with more rows is incomplete. */
  readonly rowsPerKey?: number
  /** True if the rows of each key arrive in reverse order. `blockOf` then reverses the rows. */
  readonly reversed?: boolean
  readonly textsFor: (rows: number) => BlockTexts
  readonly pace: Pace
}

/**
 * Copies rows from the engine. Frees each chunk after copying.
 *
 * @param chunks chunks with all columns, sorted by key, then in the default order
 * @throws Error if `reversed` is set and the rows are not in reverse order
 */
export async function blockOf(
  dataset: Dataset,
  chunks: readonly Chunk[],
  { rows }: Pick<ResultSize, 'rows'>,
  { rowsPerKey = Number.POSITIVE_INFINITY, reversed = false, textsFor, pace }: BlockOptions,
): Promise<Block> {
  const builders = Object.entries(dataset.columns).map(([name, column]) => [name, builderOf(column, rows)] as const)
  const endOfStep = createSlices(pace)
  let offset = 0
  for (const chunk of chunks) {
    for (const [index, [, builder]] of builders.entries()) {
      builder.add(chunk.column(index), chunk.rows, offset)
      await endOfStep()
    }
    offset += chunk.rows
    chunk.free?.()
  }
  const columns = new Map<string, StoredColumn>()
  for (const [name, builder] of builders) {
    columns.set(name, builder.finish())
    await endOfStep()
  }
  const texts = textsFor(rows)
  const runs = runsOf({ columns, texts }, columns.get(dataset.key!)!, rows, rowsPerKey)
  if (reversed) await reverseRuns(columns, runs, dataset, pace)
  const values = [...columns.values()].reduce((sum, column) => sum + bytesOf(column), 0)
  return { runs, texts, bytes: values + overheadOf(columns, runs.size, ARRAY_BYTES) }
}

function bytesOf({ items, valid, dictionary }: StoredColumn): number {
  const texts = dictionary
    ? dictionary.octets.byteLength + dictionary.starts.byteLength + dictionary.lengths.byteLength + dictionary.escaped.byteLength
    : 0
  return items.byteLength + (valid?.byteLength ?? 0) + texts
}

/** @param key column of the keys. Rows with the same key must be consecutive */
function runsOf(all: Pick<Run, 'columns' | 'texts'>, key: StoredColumn, rows: number, rowsPerKey: number): ReadonlyMap<string, Run> {
  const runs = new Map<string, Run>()
  for (let from = 0; from < rows; ) {
    let next = from + 1
    while (next < rows && key.items[next] === key.items[from]) next++
    runs.set(textAt(key, from), { ...all, from, to: Math.min(next, from + rowsPerKey), complete: next - from <= rowsPerKey })
    from = next
  }
  return runs
}

async function reverseRuns(columns: StoredColumns, runs: ReadonlyMap<string, Run>, { slug, date }: Dataset, pace: Pace): Promise<void> {
  const days = columns.get(date!)!.items
  let rows = 0
  for (const { from, to } of runs.values()) {
    rows += to - from
    for (let row = from + 1; row < to; row++)
      if (days[row]! <= days[row - 1]!) throw new Error(`a part of ${slug} is not sorted by key and day`)
  }
  // If a key occurs twice, the second entry replaces the first, so the numbers of rows differ.
  if (rows !== days.length) throw new Error(`a part of ${slug} is not sorted by key and day`)
  const endOfStep = createSlices(pace)
  for (const { items, valid } of columns.values()) {
    for (const { from, to } of runs.values()) {
      items.subarray(from, to).reverse()
      if (valid) reverseBits(valid, from, to)
    }
    await endOfStep()
  }
}

function reverseBits(bits: Uint8Array, from: number, to: number): void {
  for (let low = from, high = to - 1; low < high; low++, high--) {
    if (isValid({ valid: bits, from: 0 }, low) === isValid({ valid: bits, from: 0 }, high)) continue
    bits[low >> 3]! ^= 1 << (low & 7)
    bits[high >> 3]! ^= 1 << (high & 7)
  }
}

/** The cell must not be null. */
export const textAt = ({ items, dictionary }: StoredColumn, row: number): string => textBytes(dictionary!, items[row] as number).toString()

/** @param from the row of the column that becomes row 0 */
export const vectorOf = (column: StoredColumn, from: number): ColumnVector => ({ ...column, from, text: row => textAt(column, from + row) })

interface Builder {
  add(vector: ColumnVector, rows: number, offset: number): void
  finish(): StoredColumn
}

function builderOf({ type }: Column, rows: number): Builder {
  const valid = new Uint8Array(Math.ceil(rows / 8)).fill(255)
  let hasNulls = false
  const values = VALUES[type](rows)
  return {
    add(vector, count, offset) {
      values.add(vector, count, offset)
      if (vector.valid === null) return
      for (let row = 0; row < count; row++) {
        if (isValid(vector, row)) continue
        hasNulls = true
        valid[(offset + row) >> 3]! &= ~(1 << ((offset + row) & 7))
      }
    },
    finish: () => ({ ...values.finish(), valid: hasNulls ? valid : null }),
  }
}

interface Values {
  add(vector: ColumnVector, rows: number, offset: number): void
  finish(): Pick<StoredColumn, 'items' | 'dictionary'>
}

const unconverted =
  (make: (rows: number) => Int32Array | Float64Array | Uint8Array) =>
  (rows: number): Values => {
    const items = make(rows)
    return {
      // Null cells contain arbitrary bits, which are copied too.
      add: ({ items: source, from }, count, offset) => items.set((source as Int32Array).subarray(from, from + count), offset),
      finish: () => ({ items, dictionary: null }),
    }
  }

const VALUES: Readonly<Record<Column['type'], (rows: number) => Values>> = {
  date: unconverted(rows => new Int32Array(rows)),
  number: unconverted(rows => new Float64Array(rows)),
  boolean: unconverted(rows => new Uint8Array(rows)),
  integer: rows => integers(rows, true),
  timestamp: rows => integers(rows, false),
  text: texts,
  json: texts,
}

function integers(rows: number, narrow: boolean): Values {
  const items = new Float64Array(rows)
  let min = 0
  let max = 0
  return {
    add(vector, count, offset) {
      const wide = vector.items as BigInt64Array
      const halves = new Int32Array(wide.buffer, wide.byteOffset, wide.byteLength / 4)
      for (let row = 0; row < count; row++) {
        const value = isValid(vector, row) ? halves[2 * row + 1]! * 4_294_967_296 + (halves[2 * row]! >>> 0) : 0
        items[offset + row] = value
        if (value < min) min = value
        if (value > max) max = value
      }
    },
    finish: () => ({ items: narrow ? narrowed(items, min, max) : items, dictionary: null }),
  }
}

function narrowed(items: Float64Array, min: number, max: number): Items {
  const Narrow = [Int8Array, Int16Array, Int32Array].find(
    ({ BYTES_PER_ELEMENT: bytes }) => min >= -(2 ** (8 * bytes - 1)) && max < 2 ** (8 * bytes - 1),
  )
  return Narrow ? new Narrow(items) : items
}

function texts(rows: number): Values {
  const codes = new Uint32Array(rows)
  const codeOfText = new Map<string, number>()
  let code = -1
  return {
    add(vector, count, offset) {
      const cells = vector.items as Uint8Array
      const words = new Uint32Array(cells.buffer, cells.byteOffset, cells.byteLength / 4)
      for (let row = 0; row < count; row++) {
        if (!isValid(vector, row)) continue
        // Consecutive rows often repeat a text. Cells with equal bytes have equal texts.
        if (row === 0 || code === -1 || !isSameCell(words, row) || !isValid(vector, row - 1)) {
          const text = vector.text(row)
          code = codeOfText.get(text) ?? codeOfText.size
          codeOfText.set(text, code)
        }
        codes[offset + row] = code
      }
    },
    finish() {
      const Narrow = codeOfText.size <= 256 ? Uint8Array : codeOfText.size <= 65_536 ? Uint16Array : Uint32Array
      return { items: new Narrow(codes), dictionary: dictionaryOf([...codeOfText.keys()]) }
    },
  }
}

const isSameCell = (words: Uint32Array, row: number): boolean =>
  words[4 * row] === words[4 * row - 4] &&
  words[4 * row + 1] === words[4 * row - 3] &&
  words[4 * row + 2] === words[4 * row - 2] &&
  words[4 * row + 3] === words[4 * row - 1]
