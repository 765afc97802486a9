import { type ColumnVector, dictionaryOf, type Items, isValid } from '../engine/index.ts'
import type { PageChunk } from '../formats/index.ts'
import { type RowTexts, type StoredColumn, type StoredColumns, textAt, vectorOf } from '../row-cache/index.ts'

/** Neighbouring rows of one run, in their order or, with a step of -1, against it. */
interface Stretch {
  readonly columns: StoredColumns
  readonly texts: RowTexts
  /** Index of the first row. */
  readonly from: number
  readonly step: 1 | -1
  readonly length: number
}

/** Rows from several runs: row `rows[i]` of source `of[i]`. */
interface Mixture {
  readonly sources: readonly StoredColumns[]
  readonly of: Uint16Array
  readonly rows: Int32Array
  readonly length: number
}

/** Rows that match, in order. */
export interface Rows {
  readonly spans: readonly (Stretch | Mixture)[]
  /** There are any. */
  readonly matched: boolean
}

/** Rows gathered at a time: a millisecond's worth or two. */
const ROWS = 2_048

/**
 * Some rows of a span as batches. Neighbouring rows are not copied; others are, column by column, when an encoder asks for them, into arrays
 * that are written again for the next batch: a batch's columns hold until those of another one are asked for.
 *
 * @param names columns of the batches
 * @param asText every column is sent, and few rows: their text may be kept
 */
export function rowsOf(
  span: Stretch | Mixture,
  from: number,
  length: number,
  names: readonly string[],
  asText: boolean,
): readonly PageChunk[] {
  if ('columns' in span && span.step === 1) {
    const { columns, texts } = span
    const first = span.from + from
    const column = (index: number): ColumnVector => vectorOf(columns.get(names[index]!)!, first)
    return [asText ? { rows: length, column, kept: { texts, from: first } } : { rows: length, column }]
  }
  const mixture = 'columns' in span ? backwards(span, from, length) : span
  const offset = 'columns' in span ? 0 : from
  const arrays = arraysFor(Math.min(ROWS, length))
  const known = new Map<number, ColumnVector>()
  let asked = 0
  return Array.from({ length: Math.ceil(length / ROWS) }, (_, piece) => {
    const begin = offset + piece * ROWS
    const end = Math.min(begin + ROWS, offset + length)
    const column = (index: number): ColumnVector => {
      if (asked !== piece) known.clear()
      asked = piece
      const vector = known.get(index) ?? gathered(mixture, names[index]!, begin, end, arrays)
      known.set(index, vector)
      return vector
    }
    return { rows: end - begin, column }
  })
}

/** Arrays of some length, each made once for a column and written again. */
interface Arrays {
  items<T extends Items>(name: string, like: T): T
  bits(name: string): Uint8Array
}

function arraysFor(rows: number): Arrays {
  const [items, bits] = [new Map<string, Items>(), new Map<string, Uint8Array>()]
  return {
    items<T extends Items>(name: string, like: T): T {
      const known = items.get(name) ?? new (like.constructor as Float64ArrayConstructor)(rows)
      items.set(name, known)
      return known as T
    },
    bits(name) {
      const known = bits.get(name) ?? new Uint8Array((rows + 7) >> 3)
      bits.set(name, known)
      return known.fill(0)
    },
  }
}

const backwards = ({ columns, from: last }: Stretch, from: number, length: number): Mixture => ({
  sources: [columns],
  of: new Uint16Array(length),
  rows: Int32Array.from({ length }, (_, index) => last - from - index),
  length,
})

/** Copies the values of one column. */
function gathered({ sources, of, rows }: Mixture, name: string, begin: number, end: number, arrays: Arrays): ColumnVector {
  const columns = sources.map(source => source.get(name)!)
  const text = columns.find(({ dictionary }) => dictionary !== null)
  const values = text
    ? gatheredTexts(columns, of, rows, begin, end, arrays.items(name, CODES))
    : { items: gatheredItems(columns, of, rows, begin, end, arrays.items(name, widestOf(columns))), dictionary: null }
  const valid = columns.every(({ valid }) => valid === null) ? null : gatheredBits(columns, of, rows, begin, end, arrays.bits(name))
  return vectorOf({ ...values, valid }, 0)
}

const CODES = new Uint32Array()

/** The widest of the forms the sources keep their values in. */
const widestOf = (columns: readonly StoredColumn[]): Items =>
  columns.reduce((most, { items }) => (rankOf(items) > rankOf(most) ? items : most), columns[0]!.items)

function gatheredItems(
  columns: readonly StoredColumn[],
  of: Uint16Array,
  rows: Int32Array,
  begin: number,
  end: number,
  items: Items,
): Items {
  for (let at = begin; at < end; at++) items[at - begin] = columns[of[at]!]!.items[rows[at]!] as number
  return items
}

const rankOf = (items: Items): number => items.BYTES_PER_ELEMENT

function gatheredBits(
  columns: readonly StoredColumn[],
  of: Uint16Array,
  rows: Int32Array,
  begin: number,
  end: number,
  bits: Uint8Array,
): Uint8Array {
  for (let at = begin; at < end; at++) {
    const { valid } = columns[of[at]!]!
    if (isValid({ valid, from: 0 }, rows[at]!)) bits[(at - begin) >> 3]! |= 1 << ((at - begin) & 7)
  }
  return bits
}

/** Codes of one dictionary, which holds the texts that are used; one source keeps its own. */
function gatheredTexts(
  columns: readonly StoredColumn[],
  of: Uint16Array,
  rows: Int32Array,
  begin: number,
  end: number,
  codes: Uint32Array,
): Pick<StoredColumn, 'items' | 'dictionary'> {
  if (columns.length === 1) {
    for (let at = begin; at < end; at++) codes[at - begin] = columns[0]!.items[rows[at]!] as number
    return { items: codes, dictionary: columns[0]!.dictionary }
  }
  const known = new Map<string, number>()
  const bySource = columns.map(() => new Map<number, number>())
  for (let at = begin; at < end; at++) {
    const source = columns[of[at]!]!
    const mapped = bySource[of[at]!]!
    codes[at - begin] = 0
    if (!isValid({ valid: source.valid, from: 0 }, rows[at]!)) continue
    const former = source.items[rows[at]!] as number
    let code = mapped.get(former)
    if (code === undefined) {
      const text = textAt(source, rows[at]!)
      code = known.get(text) ?? known.size
      known.set(text, code)
      mapped.set(former, code)
    }
    codes[at - begin] = code
  }
  return { items: codes, dictionary: dictionaryOf([...known.keys()]) }
}
