import { type ColumnVector, dictionaryOf, type Items, isValid } from '../engine/index.ts'
import type { PageChunk } from '../formats/index.ts'
import { type RowTexts, type StoredColumn, type StoredColumns, textAt, vectorOf } from '../row-cache/index.ts'

/** Consecutive rows of one key. A step of -1 reverses the order. */
interface ContiguousRows {
  readonly columns: StoredColumns
  readonly texts: RowTexts
  readonly from: number
  readonly step: 1 | -1
  readonly length: number
}

/** Row i is row `rows[i]` of `sources[sourceOf[i]]`. */
interface ScatteredRows {
  readonly sources: readonly StoredColumns[]
  readonly sourceOf: Uint16Array
  readonly rows: Int32Array
  readonly length: number
}

export interface MatchingRows {
  readonly spans: readonly (ContiguousRows | ScatteredRows)[]
  /** True if at least one row matches, even if the offset skips all of them. */
  readonly matched: boolean
}

/** Copying this many rows takes 1 to 2 ms. */
const BATCH_ROWS = 2_048

/**
 * Splits rows into batches. Encode each batch before reading the next, because the batches share
 * arrays.
 * @param names columns of the batches
 * @param asText true for short pages that have all columns. Their encoded text is cached
 */
export function batchesOf(
  span: ContiguousRows | ScatteredRows,
  from: number,
  length: number,
  names: readonly string[],
  asText: boolean,
): readonly PageChunk[] {
  if ('columns' in span && span.step === 1) {
    const { columns, texts } = span
    const first = span.from + from
    const column = (index: number): ColumnVector => vectorOf(columns.get(names[index]!)!, first)
    return [asText ? { rows: length, column, textCache: { texts, from: first } } : { rows: length, column }]
  }
  const scattered = 'columns' in span ? reversedRows(span, from, length) : span
  const offset = 'columns' in span ? 0 : from
  const arrays = arraysFor(Math.min(BATCH_ROWS, length))
  const vectors = new Map<number, ColumnVector>()
  let current = 0
  return Array.from({ length: Math.ceil(length / BATCH_ROWS) }, (_, batch) => {
    const begin = offset + batch * BATCH_ROWS
    const end = Math.min(begin + BATCH_ROWS, offset + length)
    const column = (index: number): ColumnVector => {
      if (current !== batch) vectors.clear()
      current = batch
      const vector = vectors.get(index) ?? gatherColumn(scattered, names[index]!, begin, end, arrays)
      vectors.set(index, vector)
      return vector
    }
    return { rows: end - begin, column }
  })
}

/** One array per column, all of one length. */
interface Arrays {
  items<T extends Items>(name: string, like: T): T
  bits(name: string): Uint8Array
}

function arraysFor(rows: number): Arrays {
  const items = new Map<string, Items>()
  const bits = new Map<string, Uint8Array>()
  return {
    items<T extends Items>(name: string, like: T): T {
      const array = items.get(name) ?? new (like.constructor as Float64ArrayConstructor)(rows)
      items.set(name, array)
      return array as T
    },
    bits(name) {
      const array = bits.get(name) ?? new Uint8Array((rows + 7) >> 3)
      bits.set(name, array)
      return array.fill(0)
    },
  }
}

const reversedRows = ({ columns, from: last }: ContiguousRows, from: number, length: number): ScatteredRows => ({
  sources: [columns],
  sourceOf: new Uint16Array(length),
  rows: Int32Array.from({ length }, (_, index) => last - from - index),
  length,
})

/** Copies rows from `begin` up to, but not including, `end`. */
function gatherColumn({ sources, sourceOf, rows }: ScatteredRows, name: string, begin: number, end: number, arrays: Arrays): ColumnVector {
  const columns = sources.map(source => source.get(name)!)
  const text = columns.find(({ dictionary }) => dictionary !== null)
  const values = text
    ? gatherTexts(columns, sourceOf, rows, begin, end, arrays.items(name, CODES))
    : { items: gatherItems(columns, sourceOf, rows, begin, end, arrays.items(name, widestOf(columns))), dictionary: null }
  const valid = columns.every(({ valid }) => valid === null) ? null : gatherBits(columns, sourceOf, rows, begin, end, arrays.bits(name))
  return vectorOf({ ...values, valid }, 0)
}

const CODES = new Uint32Array()

const widestOf = (columns: readonly StoredColumn[]): Items =>
  columns.reduce((widest, { items }) => (widthOf(items) > widthOf(widest) ? items : widest), columns[0]!.items)

function gatherItems(
  columns: readonly StoredColumn[],
  sourceOf: Uint16Array,
  rows: Int32Array,
  begin: number,
  end: number,
  items: Items,
): Items {
  for (let index = begin; index < end; index++) items[index - begin] = columns[sourceOf[index]!]!.items[rows[index]!] as number
  return items
}

const widthOf = (items: Items): number => items.BYTES_PER_ELEMENT

function gatherBits(
  columns: readonly StoredColumn[],
  sourceOf: Uint16Array,
  rows: Int32Array,
  begin: number,
  end: number,
  bits: Uint8Array,
): Uint8Array {
  for (let index = begin; index < end; index++) {
    const { valid } = columns[sourceOf[index]!]!
    if (isValid({ valid, from: 0 }, rows[index]!)) bits[(index - begin) >> 3]! |= 1 << ((index - begin) & 7)
  }
  return bits
}

/** Builds one dictionary for all rows. A single source keeps its dictionary. */
function gatherTexts(
  columns: readonly StoredColumn[],
  sourceOf: Uint16Array,
  rows: Int32Array,
  begin: number,
  end: number,
  codes: Uint32Array,
): Pick<StoredColumn, 'items' | 'dictionary'> {
  if (columns.length === 1) {
    for (let index = begin; index < end; index++) codes[index - begin] = columns[0]!.items[rows[index]!] as number
    return { items: codes, dictionary: columns[0]!.dictionary }
  }
  const codeOfText = new Map<string, number>()
  const recoded = columns.map(() => new Map<number, number>())
  for (let index = begin; index < end; index++) {
    const source = columns[sourceOf[index]!]!
    const newCodes = recoded[sourceOf[index]!]!
    codes[index - begin] = 0
    if (!isValid({ valid: source.valid, from: 0 }, rows[index]!)) continue
    const sourceCode = source.items[rows[index]!] as number
    let code = newCodes.get(sourceCode)
    if (code === undefined) {
      const text = textAt(source, rows[index]!)
      code = codeOfText.get(text) ?? codeOfText.size
      codeOfText.set(text, code)
      newCodes.set(sourceCode, code)
    }
    codes[index - begin] = code
  }
  return { items: codes, dictionary: dictionaryOf([...codeOfText.keys()]) }
}
