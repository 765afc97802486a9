import type { Column, ColumnType, Row } from '../../catalog/index.ts'
import { type Chunk, type ColumnVector, dictionaryOf, type Items } from '../engine/index.ts'
import type { RowSet } from './encoder.ts'

const CHUNK_ROWS = 2_048

/** Converts JSON rows for encoders. Missing values become null. */
export function valueRows(columns: Readonly<Record<string, Column>>, rows: readonly Row[]): RowSet {
  const names = Object.keys(columns)
  const chunkAt = (from: number): Chunk => {
    const chunkRows = rows.slice(from, from + CHUNK_ROWS)
    const vectors = new Map<number, ColumnVector>()
    const column = (index: number): ColumnVector => {
      const name = names[index]!
      const vector =
        vectors.get(index) ??
        vectorOf(
          columns[name]!.type,
          chunkRows.map(row => row[name] ?? null),
        )
      vectors.set(index, vector)
      return vector
    }
    return { rows: chunkRows.length, column }
  }
  const chunks = Array.from({ length: Math.ceil(rows.length / CHUNK_ROWS) }, (_, index) => chunkAt(index * CHUNK_ROWS))
  return { columns, names, page: { chunks, rows: rows.length, more: false, position: new Map() } }
}

export function vectorOf(type: ColumnType, values: readonly unknown[]): ColumnVector {
  const valid = new Uint8Array((values.length + 7) >> 3)
  for (const [row, value] of values.entries()) if (value !== null) valid[row >> 3]! |= 1 << (row & 7)
  if (type !== 'text' && type !== 'json') return { items: ITEMS[type](values), from: 0, valid, dictionary: null, text: () => '' }
  const texts = values.map(value => (value === null ? '' : type === 'json' ? JSON.stringify(value) : String(value)))
  const codes = new Map([...new Set(texts)].map((text, code) => [text, code]))
  const items = Uint32Array.from(texts, text => codes.get(text)!)
  return { items, from: 0, valid, dictionary: dictionaryOf([...codes.keys()]), text: row => texts[row]! }
}

const DAY_MS = 86_400_000
const numbers = (values: readonly unknown[]): Float64Array => Float64Array.from(values, Number)

const ITEMS: Readonly<Record<Exclude<ColumnType, 'text' | 'json'>, (values: readonly unknown[]) => Items>> = {
  date: values => Int32Array.from(values, value => (value === null ? 0 : Date.parse(String(value)) / DAY_MS)),
  timestamp: values => Float64Array.from(values, value => (value === null ? 0 : Date.parse(String(value)) * 1_000)),
  number: numbers,
  integer: numbers,
  boolean: values => Uint8Array.from(values, value => (value === true ? 1 : 0)),
}
