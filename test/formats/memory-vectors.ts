import type { ColumnType } from '../../catalog/index.ts'
import { type Chunk, type ColumnVector, dictionaryOf, type Items, isValid } from '../../src/engine/index.ts'

type Value = number | string

/** The value of one row of an engine vector. */
function cellOf(type: ColumnType, { items, from, text }: ColumnVector, row: number): Value {
  return type === 'text' || type === 'json' ? text(row) : Number(items[from + row]!)
}

const WIDTHS = [
  [Int8Array, 2 ** 7],
  [Int16Array, 2 ** 15],
  [Int32Array, 2 ** 31],
] as const

/** The numbers in the narrowest array type that can hold them. */
function narrowest(numbers: readonly number[]): Items {
  const fits = WIDTHS.find(([, bound]) => numbers.every(number => number >= -bound && number < bound))
  return fits ? fits[0].from(numbers) : Float64Array.from(numbers)
}

const CODES = { 0: Uint8Array, 1: Uint16Array, 2: Uint32Array } as const

/**
 * The same rows in the format of columns in memory: narrow numbers, and codes instead of texts.
 * Rows can start at any row and bit offset.
 */
export function inMemory(chunks: readonly Chunk[], types: readonly ColumnType[], from: number): readonly Chunk[] {
  return chunks.map(chunk => {
    const columns = types.map((type, index) => {
      const vector = chunk.column(index)
      const rows = Array.from({ length: chunk.rows }, (_, row) => row)
      const values = rows.map(row => (isValid(vector, row) ? cellOf(type, vector, row) : null))
      return columnOf(type, values, from)
    })
    return { rows: chunk.rows, column: index => columns[index]! }
  })
}

function columnOf(type: ColumnType, values: readonly (Value | null)[], from: number): ColumnVector {
  const hasNulls = values.includes(null)
  const valid = hasNulls ? new Uint8Array((from + values.length + 7) >> 3) : null
  for (const [row, value] of values.entries()) if (valid && value !== null) valid[(from + row) >> 3]! |= 1 << ((from + row) & 7)
  const rest = { from, valid, text: (row: number) => String(values[row]) }
  if (type === 'text' || type === 'json') {
    const texts = [...new Set(values.filter(value => value !== null))].map(String)
    const codes = new Map(texts.map((text, code) => [text, code]))
    const width = texts.length <= 2 ** 8 ? 0 : texts.length <= 2 ** 16 ? 1 : 2
    const items = CODES[width].from([...Array(from).fill(0), ...values.map(value => codes.get(String(value)) ?? 0)])
    return { ...rest, items, dictionary: dictionaryOf(texts) }
  }
  // The memory below a null has an arbitrary value, so the test writes some number there.
  const numbers = [...Array(from).fill(7), ...values.map(value => (value === null ? 99 : Number(value)))]
  const items = {
    date: () => Int32Array.from(numbers),
    timestamp: () => Float64Array.from(numbers),
    number: () => Float64Array.from(numbers),
    boolean: () => Uint8Array.from(numbers),
    integer: () => narrowest(numbers),
  }[type]()
  return { ...rest, items, dictionary: null }
}
