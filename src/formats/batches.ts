import type { ColumnType, JsonScalar } from '../../catalog/index.ts'
import type { ColumnVector, Items } from '../engine/index.ts'
import type { RowSet } from './encoder.ts'
import { textsOf } from './texts.ts'
import { vectorOf } from './value-rows.ts'

export interface Batch {
  readonly rows: number
  readonly columns: readonly BatchColumn[]
}

/** The value of a null row is zero or an empty text. */
export interface BatchColumn {
  readonly type: ColumnType
  readonly nulls: number
  /** One bit per row, lowest bit first. 0 means null. Undefined if `nulls` is 0. */
  readonly valid: Uint8Array
  /** Dates are days since 1970. Timestamps are µs since 1970 in UTC. Texts are UTF-8. */
  readonly items: BatchItems
  /** Ends of the texts in `items`, preceded by 0. Empty for other types. */
  readonly ends: Int32Array
}

export type BatchItems = Int32Array | BigInt64Array | Float64Array | Uint8Array

export function* batches({ columns, names, page }: RowSet, size: number): Generator<Batch, void> {
  const batchRows = Math.min(size, page.rows)
  const builders = names.map(name => builderOf(columns[name]!.type, batchRows))
  let remaining = page.rows
  let filled = 0
  for (const chunk of page.chunks) {
    const count = Math.min(chunk.rows, remaining)
    for (let row = 0; row < count; ) {
      const more = Math.min(count - row, batchRows - filled)
      for (const [index, { add }] of builders.entries()) add(chunk.column(index), row, filled, more)
      row += more
      remaining -= more
      filled += more
      if (filled < batchRows && remaining > 0) continue
      yield { rows: filled, columns: builders.map(({ finish }) => finish(filled)) }
      filled = 0
    }
    chunk.free?.()
  }
}

export function columnOf(type: JsonScalar, values: readonly unknown[]): BatchColumn {
  const { add, finish } = builderOf(type, values.length)
  add(vectorOf(type, values), 0, 0, values.length)
  return finish(values.length)
}

interface Builder {
  readonly add: (vector: ColumnVector, row: number, to: number, count: number) => void
  readonly finish: (rows: number) => BatchColumn
}

const builderOf = (type: ColumnType, batchRows: number): Builder =>
  type === 'text' || type === 'json' ? textBuilder(type, batchRows) : fixedBuilder(type, batchRows)

type Fixed = Exclude<ColumnType, 'text' | 'json'>

const ARRAYS: Readonly<Record<Fixed, (rows: number) => BatchItems>> = {
  date: rows => new Int32Array(rows),
  timestamp: rows => new BigInt64Array(rows),
  integer: rows => new BigInt64Array(rows),
  number: rows => new Float64Array(rows),
  boolean: rows => new Uint8Array(rows),
}
const NO_ENDS = new Int32Array()

function fixedBuilder(type: Fixed, batchRows: number): Builder {
  const items = ARRAYS[type](batchRows)
  const octets = new Uint8Array(items.buffer)
  const width = items.BYTES_PER_ELEMENT
  const validity = validityBuilder(batchRows)
  return {
    add(vector, row, to, count) {
      copyItems(items, to, vector.items, vector.from + row, count)
      if (validity.add(vector, row, to, count) === 0) return
      // Clears the cells of null rows, which contain arbitrary bits.
      for (let index = to; index < to + count; index++) if (!validity.has(index)) octets.fill(0, index * width, (index + 1) * width)
    },
    finish: rows => ({ type, ...validity.finish(rows), items: items.subarray(0, rows), ends: NO_ENDS }),
  }
}

function copyItems(target: BatchItems, to: number, items: Items, from: number, count: number): void {
  if (!(target instanceof BigInt64Array)) return target.set(items.subarray(from, from + count) as typeof target & BigInt64Array, to)
  if (items instanceof BigInt64Array) return target.set(items.subarray(from, from + count), to)
  // Writes 32-bit halves, because BigInt is slow.
  const halves = new Int32Array(target.buffer)
  for (let row = 0; row < count; row++) {
    const value = items[from + row]!
    halves[2 * (to + row)] = value
    halves[2 * (to + row) + 1] = Math.floor(value / 4_294_967_296)
  }
}

/** Typical length of a text in bytes. */
const LIKELY_TEXT = 12

function textBuilder(type: ColumnType, batchRows: number): Builder {
  const ends = new Int32Array(batchRows + 1)
  const validity = validityBuilder(batchRows)
  let bytes = new Uint8Array(batchRows * LIKELY_TEXT)
  return {
    add(vector, row, to, count) {
      const hasNulls = validity.add(vector, row, to, count) > 0
      const texts = textsOf(vector)
      let end = ends[to]!
      for (let index = to; index < to + count; index++) {
        if (!hasNulls || validity.has(index)) {
          texts.move(row + index - to)
          const { length } = texts
          if (end + length > bytes.length) bytes = grown(bytes, end + length)
          copyText(bytes, end, texts.bytes, texts.start, length)
          end += length
        }
        ends[index + 1] = end
      }
    },
    finish: rows => ({ type, ...validity.finish(rows), items: bytes.subarray(0, ends[rows]), ends: ends.subarray(0, rows + 1) }),
  }
}

function grown(bytes: Uint8Array<ArrayBuffer>, minLength: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(Math.max(2 * bytes.length, minLength))
  larger.set(bytes)
  return larger
}

/** A loop is faster than `set` for at most this many bytes. */
const SHORT = 16

function copyText(target: Uint8Array, to: number, bytes: Uint8Array, start: number, length: number): void {
  if (length > SHORT) return target.set(bytes.subarray(start, start + length), to)
  for (let index = 0; index < length; index++) target[to + index] = bytes[start + index]!
}

/** The bits of a vector may start in the middle of a byte. */
function validityBuilder(batchRows: number) {
  const valid = new Uint8Array((batchRows + 7) >> 3)
  let nulls = 0
  let written = false
  return {
    add({ valid: bits, from }: ColumnVector, row: number, to: number, count: number): number {
      if (bits === null && !written) return 0
      if (!written) valid.fill(255)
      written = true
      const before = nulls
      for (let index = to, bit = from + row; index < to + count; ) {
        const isWholeByte = to + count - index >= 8 && (index & 7) === 0 && (bit & 7) === 0
        if (isWholeByte && (bits === null || bits[bit >> 3] === 255)) {
          valid[index >> 3] = 255
          index += 8
          bit += 8
          continue
        }
        const has = bits === null ? 1 : (bits[bit >> 3]! >> (bit & 7)) & 1
        nulls += 1 - has
        valid[index >> 3] = has ? valid[index >> 3]! | (1 << (index & 7)) : valid[index >> 3]! & ~(1 << (index & 7))
        index++
        bit++
      }
      return nulls - before
    },
    has: (row: number): boolean => ((valid[row >> 3]! >> (row & 7)) & 1) === 1,
    finish(rows: number): Pick<BatchColumn, 'nulls' | 'valid'> {
      const total = nulls
      nulls = 0
      written = false
      return { nulls: total, valid: valid.subarray(0, (rows + 7) >> 3) }
    },
  }
}
