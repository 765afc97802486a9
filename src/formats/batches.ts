import type { ColumnType } from '../../catalog/index.ts'
import type { ColumnVector, Items } from '../engine/index.ts'
import type { RowSet } from './encoder.ts'
import { textsOf } from './texts.ts'

/** Some rows of an answer, as columns. The arrays are written again for the next batch. */
export interface Batch {
  readonly rows: number
  readonly columns: readonly BatchColumn[]
}

/** Rows of one column, one after another, whatever chunks they came from. Null rows hold zeros, or no text. */
export interface BatchColumn {
  readonly type: ColumnType
  /** How many rows are null. */
  readonly nulls: number
  /** One bit per row, lowest first, 1 where the row has a value; says nothing where no row is null. */
  readonly valid: Uint8Array
  /** By type: days since 1970 (date), µs since 1970 UTC (timestamp), whole numbers, doubles, 0 or 1 (boolean), UTF-8 (text and json). */
  readonly items: BatchItems
  /** Where each text ends in `items`, beginning with 0 before the first; empty for other types. */
  readonly ends: Int32Array
}

export type BatchItems = Int32Array | BigInt64Array | Float64Array | Uint8Array

/** Gathers a page into batches of so many rows, the last one of what is left; none for no rows. */
export function* batches({ columns, names, page }: RowSet, size: number): Generator<Batch, void> {
  const most = Math.min(size, page.rows)
  const gathered = names.map(name => gather(columns[name]!.type, most))
  let left = page.rows
  let filled = 0
  for (const chunk of page.chunks) {
    const count = Math.min(chunk.rows, left)
    for (let row = 0; row < count; ) {
      const more = Math.min(count - row, most - filled)
      for (const [index, { take }] of gathered.entries()) take(chunk.column(index), row, filled, more)
      row += more
      left -= more
      filled += more
      if (filled < most && left > 0) continue
      yield { rows: filled, columns: gathered.map(({ finish }) => finish(filled)) }
      filled = 0
    }
    chunk.done?.()
  }
}

interface Gathered {
  /** Copies `count` rows of a vector from `row` on to the places from `to` on. */
  readonly take: (vector: ColumnVector, row: number, to: number, count: number) => void
  readonly finish: (rows: number) => BatchColumn
}

const gather = (type: ColumnType, most: number): Gathered =>
  type === 'text' || type === 'json' ? gatherTexts(type, most) : gatherFixed(type, most)

type Fixed = Exclude<ColumnType, 'text' | 'json'>

const ARRAYS: Readonly<Record<Fixed, (rows: number) => BatchItems>> = {
  date: rows => new Int32Array(rows),
  timestamp: rows => new BigInt64Array(rows),
  integer: rows => new BigInt64Array(rows),
  number: rows => new Float64Array(rows),
  boolean: rows => new Uint8Array(rows),
}
const NO_ENDS = new Int32Array()

function gatherFixed(type: Fixed, most: number): Gathered {
  const items = ARRAYS[type](most)
  const octets = new Uint8Array(items.buffer)
  const width = items.BYTES_PER_ELEMENT
  const validity = gatherValidity(most)
  return {
    take(vector, row, to, count) {
      copyItems(items, to, vector.items, vector.from + row, count)
      if (validity.take(vector, row, to, count) === 0) return
      // What lies under a null is whatever was in that memory before.
      for (let at = to; at < to + count; at++) if (!validity.has(at)) octets.fill(0, at * width, (at + 1) * width)
    },
    finish: rows => ({ type, ...validity.finish(rows), items: items.subarray(0, rows), ends: NO_ENDS }),
  }
}

function copyItems(target: BatchItems, to: number, items: Items, from: number, count: number): void {
  if (!(target instanceof BigInt64Array)) return target.set(items.subarray(from, from + count) as typeof target & BigInt64Array, to)
  if (items instanceof BigInt64Array) return target.set(items.subarray(from, from + count), to)
  // The halves of 64-bit numbers, low before high, which avoids BigInt.
  const halves = new Int32Array(target.buffer)
  for (let row = 0; row < count; row++) {
    const value = items[from + row]!
    halves[2 * (to + row)] = value
    halves[2 * (to + row) + 1] = Math.floor(value / 4_294_967_296)
  }
}

/** Typical size of a text, so that most batches are allocated once; larger ones grow. */
const LIKELY_TEXT = 12

function gatherTexts(type: ColumnType, most: number): Gathered {
  const ends = new Int32Array(most + 1)
  const validity = gatherValidity(most)
  let bytes = new Uint8Array(most * LIKELY_TEXT)
  return {
    take(vector, row, to, count) {
      const hasNulls = validity.take(vector, row, to, count) > 0
      const texts = textsOf(vector)
      let end = ends[to]!
      for (let at = to; at < to + count; at++) {
        if (!hasNulls || validity.has(at)) {
          texts.move(row + at - to)
          const { length } = texts
          if (end + length > bytes.length) bytes = grown(bytes, end + length)
          copyText(bytes, end, texts.bytes, texts.start, length)
          end += length
        }
        ends[at + 1] = end
      }
    },
    finish: rows => ({ type, ...validity.finish(rows), items: bytes.subarray(0, ends[rows]), ends: ends.subarray(0, rows + 1) }),
  }
}

function grown(bytes: Uint8Array<ArrayBuffer>, least: number): Uint8Array<ArrayBuffer> {
  const more = new Uint8Array(Math.max(2 * bytes.length, least))
  more.set(bytes)
  return more
}

/** Texts up to this many bytes are copied faster one by one. */
const SHORT = 16

function copyText(target: Uint8Array, to: number, bytes: Uint8Array, start: number, length: number): void {
  if (length > SHORT) return target.set(bytes.subarray(start, start + length), to)
  for (let index = 0; index < length; index++) target[to + index] = bytes[start + index]!
}

/** The validity of rows that come with or without one, at any bit. */
function gatherValidity(most: number) {
  const valid = new Uint8Array((most + 7) >> 3)
  let nulls = 0
  let written = false
  return {
    /** @returns how many of these rows are null */
    take({ valid: bits, from }: ColumnVector, row: number, to: number, count: number): number {
      if (bits === null && !written) return 0
      if (!written) valid.fill(255)
      written = true
      const before = nulls
      for (let at = to, bit = from + row; at < to + count; ) {
        const whole = to + count - at >= 8 && (at & 7) === 0 && (bit & 7) === 0
        if (whole && (bits === null || bits[bit >> 3] === 255)) {
          valid[at >> 3] = 255
          at += 8
          bit += 8
          continue
        }
        const has = bits === null ? 1 : (bits[bit >> 3]! >> (bit & 7)) & 1
        nulls += 1 - has
        valid[at >> 3] = has ? valid[at >> 3]! | (1 << (at & 7)) : valid[at >> 3]! & ~(1 << (at & 7))
        at++
        bit++
      }
      return nulls - before
    },
    has: (at: number): boolean => ((valid[at >> 3]! >> (at & 7)) & 1) === 1,
    finish(rows: number): Pick<BatchColumn, 'nulls' | 'valid'> {
      const found = nulls
      nulls = 0
      written = false
      return { nulls: found, valid: valid.subarray(0, (rows + 7) >> 3) }
    },
  }
}
