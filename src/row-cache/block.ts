import type { Column, Dataset } from '../../catalog/index.ts'
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

/** Values of one column, in the narrowest form that holds them all: see `ColumnVector`. */
export interface StoredColumn {
  readonly items: Items
  readonly valid: Uint8Array | null
  readonly dictionary: Dictionary | null
}

/** Columns by name, all of the same rows. */
export type StoredColumns = ReadonlyMap<string, StoredColumn>

/** Rows of one key in one part, in the dataset's default order: from index `from` of the columns up to, not including, `to`. */
export interface Run {
  readonly columns: StoredColumns
  /** Of all rows of the columns. */
  readonly texts: RowTexts
  readonly from: number
  readonly to: number
  /** The part has no row of the key that comes after these. */
  readonly complete: boolean
}

/** Rows of one part in memory, immutable. */
export interface Block {
  /** By key. A key without a run has no row in the part, where the block was made for all keys. */
  readonly runs: ReadonlyMap<string, Run>
  readonly texts: BlockTexts
  /** What it takes of memory without its texts: values, counted, and what is needed beside them, about. */
  readonly bytes: number
}

/** Rows taken over before others of the process have a turn: a millisecond's worth or two. */
const ROWS_PER_TURN = 2_048
/** Values of columns finished, or turned round, the same. */
const VALUES_PER_TURN = 100_000

/** How the rows of a block come. */
export interface BlockOptions {
  /** Rows of a key that are kept; where there are more, its run is not complete. All of them when absent. */
  readonly most?: number
  /** The rows of each key come in the default order turned round. */
  readonly backwards?: boolean
  /** Where texts of so many rows are kept. */
  readonly textsFor: (rows: number) => BlockTexts
}

/**
 * Copies rows out of the engine into a block.
 *
 * @param chunks every column of the dataset in its order; rows sorted by key, then in the default order. Each is done with once it was copied
 * @throws Error where rows that are to come backwards come otherwise
 */
export async function blockOf(
  dataset: Dataset,
  chunks: readonly Chunk[],
  { rows }: Pick<ResultSize, 'rows'>,
  { most = Number.POSITIVE_INFINITY, backwards = false, textsFor }: BlockOptions,
): Promise<Block> {
  const builders = Object.entries(dataset.columns).map(([name, column]) => [name, builderOf(column, rows)] as const)
  const [taken, finished] = [turnsAfter(ROWS_PER_TURN), turnsAfter(VALUES_PER_TURN)]
  let at = 0
  for (const chunk of chunks) {
    for (const [index, [, builder]] of builders.entries()) builder.add(chunk.column(index), chunk.rows, at)
    at += chunk.rows
    chunk.done?.()
    await taken(chunk.rows)
  }
  const columns = new Map<string, StoredColumn>()
  for (const [name, builder] of builders) {
    columns.set(name, builder.finish())
    await finished(rows)
  }
  const texts = textsFor(rows)
  const runs = runsOf({ columns, texts }, columns.get(dataset.key!)!, rows, most)
  if (backwards) await turnRound(columns, runs, dataset)
  const values = [...columns.values()].reduce((sum, column) => sum + bytesOf(column), 0)
  return { runs, texts, bytes: values + overheadOf(columns, runs.size, ARRAY_BYTES) }
}

/** Bytes of a column's values. */
function bytesOf({ items, valid, dictionary }: StoredColumn): number {
  const texts = dictionary
    ? dictionary.octets.byteLength + dictionary.starts.byteLength + dictionary.lengths.byteLength + dictionary.escaped.byteLength
    : 0
  return items.byteLength + (valid?.byteLength ?? 0) + texts
}

/** @param key rows of equal keys are neighbours */
function runsOf(all: Pick<Run, 'columns' | 'texts'>, key: StoredColumn, rows: number, most: number): ReadonlyMap<string, Run> {
  const runs = new Map<string, Run>()
  for (let from = 0; from < rows; ) {
    let next = from + 1
    while (next < rows && key.items[next] === key.items[from]) next++
    runs.set(textAt(key, from), { ...all, from, to: Math.min(next, from + most), complete: next - from <= most })
    from = next
  }
  return runs
}

/** Turns the rows of each key round. */
async function turnRound(columns: StoredColumns, runs: ReadonlyMap<string, Run>, { slug, date }: Dataset): Promise<void> {
  const days = columns.get(date!)!.items
  let rows = 0
  for (const { from, to } of runs.values()) {
    rows += to - from
    for (let row = from + 1; row < to; row++)
      if (days[row]! <= days[row - 1]!) throw new Error(`a part of ${slug} is not sorted by key and day`)
  }
  // A key that comes twice has one run here, of its last rows.
  if (rows !== days.length) throw new Error(`a part of ${slug} is not sorted by key and day`)
  const turned = turnsAfter(VALUES_PER_TURN)
  for (const { items, valid } of columns.values()) {
    for (const { from, to } of runs.values()) {
      items.subarray(from, to).reverse()
      if (valid) turnBitsRound(valid, from, to)
    }
    await turned(rows)
  }
}

/** Counts what was done: after every so many, others of the process have a turn. */
function turnsAfter(most: number): (done: number) => Promise<void> | undefined {
  let since = 0
  return done => {
    since += done
    if (since < most) return undefined
    since = 0
    return new Promise(resolve => setImmediate(resolve))
  }
}

function turnBitsRound(bits: Uint8Array, from: number, to: number): void {
  for (let [low, high] = [from, to - 1]; low < high; low++, high--) {
    const [one, other] = [isValid({ valid: bits, from: 0 }, low), isValid({ valid: bits, from: 0 }, high)]
    if (one === other) continue
    bits[low >> 3]! ^= 1 << (low & 7)
    bits[high >> 3]! ^= 1 << (high & 7)
  }
}

/** The text of a row that has one. */
export const textAt = ({ items, dictionary }: StoredColumn, row: number): string => textBytes(dictionary!, items[row] as number).toString()

/** A column of a block as a batch's, from one of its rows on. */
export const vectorOf = (column: StoredColumn, from: number): ColumnVector => ({ ...column, from, text: row => textAt(column, from + row) })

/** Takes over one column, batch after batch. */
interface Builder {
  add(vector: ColumnVector, rows: number, at: number): void
  finish(): StoredColumn
}

function builderOf({ type }: Column, rows: number): Builder {
  const valid = new Uint8Array(Math.ceil(rows / 8)).fill(255)
  let hasNulls = false
  const values = VALUES[type](rows)
  return {
    add(vector, count, at) {
      values.add(vector, count, at)
      if (vector.valid === null) return
      for (let row = 0; row < count; row++) {
        if (isValid(vector, row)) continue
        hasNulls = true
        valid[(at + row) >> 3]! &= ~(1 << ((at + row) & 7))
      }
    },
    finish: () => ({ ...values.finish(), valid: hasNulls ? valid : null }),
  }
}

interface Values {
  add(vector: ColumnVector, rows: number, at: number): void
  finish(): Pick<StoredColumn, 'items' | 'dictionary'>
}

/** Values of a type that are kept as they come. */
const asTheyCome =
  (make: (rows: number) => Int32Array | Float64Array | Uint8Array) =>
  (rows: number): Values => {
    const items = make(rows)
    return {
      // A cell without a value may hold anything.
      add: ({ items: source, from }, count, at) => items.set((source as Int32Array).subarray(from, from + count), at),
      finish: () => ({ items, dictionary: null }),
    }
  }

const VALUES: Readonly<Record<Column['type'], (rows: number) => Values>> = {
  date: asTheyCome(rows => new Int32Array(rows)),
  number: asTheyCome(rows => new Float64Array(rows)),
  boolean: asTheyCome(rows => new Uint8Array(rows)),
  integer: rows => wholeNumbers(rows, true),
  timestamp: rows => wholeNumbers(rows, false),
  text: texts,
  json: texts,
}

function wholeNumbers(rows: number, narrow: boolean): Values {
  const items = new Float64Array(rows)
  let [least, most] = [0, 0]
  return {
    add(vector, count, at) {
      const wide = vector.items as BigInt64Array
      const halves = new Int32Array(wide.buffer, wide.byteOffset, wide.byteLength / 4)
      for (let row = 0; row < count; row++) {
        const value = isValid(vector, row) ? halves[2 * row + 1]! * 4_294_967_296 + (halves[2 * row]! >>> 0) : 0
        items[at + row] = value
        if (value < least) least = value
        if (value > most) most = value
      }
    },
    finish: () => ({ items: narrow ? narrowed(items, least, most) : items, dictionary: null }),
  }
}

function narrowed(items: Float64Array, least: number, most: number): Items {
  const Narrow = [Int8Array, Int16Array, Int32Array].find(
    ({ BYTES_PER_ELEMENT: bytes }) => least >= -(2 ** (8 * bytes - 1)) && most < 2 ** (8 * bytes - 1),
  )
  return Narrow ? new Narrow(items) : items
}

function texts(rows: number): Values {
  const codes = new Uint32Array(rows)
  const known = new Map<string, number>()
  let [last, code] = ['', -1]
  return {
    add(vector, count, at) {
      const cells = vector.items as Uint8Array
      const words = new Uint32Array(cells.buffer, cells.byteOffset, cells.byteLength / 4)
      for (let row = 0; row < count; row++) {
        if (!isValid(vector, row)) continue
        // Neighbouring rows often repeat a value, and equal 16-byte cells of a batch are equal texts.
        if (row === 0 || code === -1 || !isSameCell(words, row) || !isValid(vector, row - 1)) {
          last = vector.text(row)
          code = known.get(last) ?? known.size
          known.set(last, code)
        }
        codes[at + row] = code
      }
    },
    finish() {
      const Narrow = known.size <= 256 ? Uint8Array : known.size <= 65_536 ? Uint16Array : Uint32Array
      return { items: new Narrow(codes), dictionary: dictionaryOf([...known.keys()]) }
    },
  }
}

const isSameCell = (words: Uint32Array, row: number): boolean =>
  words[4 * row] === words[4 * row - 4] &&
  words[4 * row + 1] === words[4 * row - 3] &&
  words[4 * row + 2] === words[4 * row - 2] &&
  words[4 * row + 3] === words[4 * row - 1]
