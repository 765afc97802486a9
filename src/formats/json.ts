import type { ColumnType } from '../../catalog/index.ts'
import { taipeiText } from '../core/index.ts'
import { type Chunk, type ColumnVector, isValid } from '../engine/index.ts'
import type { Encoder, RowSet } from './encoder.ts'
import { type Cell, writeDay, writeText } from './json-cells.ts'
import { wholeOf, writeDouble, writeInteger } from './number.ts'
import { createSink, room, type Sink, type Word, wordOf, writeWord, written } from './sink.ts'

/** JSON: the rows inside their envelope. */
export const json: Encoder = {
  mediaType: 'application/json; charset=utf-8',
  async encode(rows, [head, tail]) {
    return [Buffer.from(head), ...(await encodeJsonRows(rows)), Buffer.from(tail)]
  },
}

/** What all rows of an answer share. */
interface RowShape {
  readonly types: readonly ColumnType[]
  /** Column names, each with what precedes it: a comma and, for the first, the row's brace. */
  readonly keys: readonly Word[]
  /** Maximum number of bytes of a row without long text. */
  readonly most: number
}

const NULL = wordOf('null')
const TRUE = wordOf('true')
const FALSE = wordOf('false')
const CLOSE = 125
/** Longest cell except for long text: a number, a date or a timestamp with its quotes. */
const FIXED_WIDTH = 40
/** Typical size of a cell without its name, so that most answers are allocated once; larger ones grow. */
const LIKELY_CELL = 12
/** Rows encoded before yielding to the event loop, so that a long answer does not delay short ones. */
const ROWS_PER_YIELD = 8_192

/**
 * Encodes a page's rows as JSON objects separated by commas, without brackets. Names keep the columns' order, numbers are written as
 * `JSON.stringify` writes them, absent values as `null`. The buffers may be split anywhere.
 */
export async function encodeJsonRows({ columns, names, page }: RowSet): Promise<readonly Buffer[]> {
  const keys = names.map((name, index) => keyOf(index > 0 ? LATER : FIRST, name))
  const named = keys.reduce((sum, { length }) => sum + length, 0)
  const shape = { types: names.map(name => columns[name]!.type), keys, most: named + keys.length * FIXED_WIDTH }
  const sink = createSink(page.rows * (named + keys.length * LIKELY_CELL) + shape.most)
  let left = page.rows
  let sinceYield = 0
  for (const chunk of page.chunks) {
    const rows = Math.min(chunk.rows, left)
    writeChunk(sink, chunk, rows, shape)
    left -= rows
    sinceYield += rows
    if (sinceYield < ROWS_PER_YIELD) continue
    sinceYield = 0
    await new Promise(setImmediate)
  }
  // The first row is preceded by a comma, too.
  const [first, ...rest] = written(sink)
  return [first!.subarray(1), ...rest]
}

/** Names by what precedes them, each encoded once: the catalog has a few hundred. */
const [FIRST, LATER] = [
  { before: ',{', known: new Map<string, Word>() },
  { before: ',', known: new Map<string, Word>() },
]

function keyOf({ before, known }: typeof FIRST, name: string): Word {
  const word = known.get(name) ?? wordOf(`${before}${JSON.stringify(name)}:`)
  known.set(name, word)
  return word
}

function writeChunk(sink: Sink, chunk: Chunk, rows: number, { types, keys, most }: RowShape): void {
  const vectors = types.map((_, index) => chunk.column(index))
  const cells = vectors.map((vector, index) => WRITERS[types[index]!](vector, most))
  for (let row = 0; row < rows; row++) {
    let at = room(sink, sink.at, most)
    for (let index = 0; index < cells.length; index++) {
      at = writeWord(sink.view, at, keys[index]!)
      at = isValid(vectors[index]!, row) ? cells[index]!(sink, at, row) : writeWord(sink.view, at, NULL)
    }
    sink.bytes[at++] = CLOSE
    sink.at = at
  }
}

/** The halves of 64-bit cells, low before high, which avoids BigInt. */
const halvesOf = (items: BigInt64Array): Int32Array => new Int32Array(items.buffer, items.byteOffset, items.byteLength / 4)

/** @param after number of bytes to leave room for after a long text: the rest of its row */
const WRITERS: Readonly<Record<ColumnType, (vector: ColumnVector, after: number) => Cell>> = {
  text: (vector, after) => writeText(vector, false, after),
  json: (vector, after) => writeText(vector, true, after),
  date({ items, from }) {
    const days = items as Int32Array
    return ({ view }, at, row) => writeDay(view, at, days[from + row]!)
  },
  timestamp({ items, from }) {
    const write = ({ bytes }: Sink, at: number, micros: number): number => at + bytes.write(`"${taipeiText(micros)}"`, at, 'latin1')
    if (!(items instanceof BigInt64Array)) return (sink, at, row) => write(sink, at, items[from + row]!)
    const halves = halvesOf(items)
    return (sink, at, row) => write(sink, at, wholeOf(halves[2 * (from + row) + 1]!, halves[2 * (from + row)]!))
  },
  number({ items, from }) {
    const doubles = items as Float64Array
    return (sink, at, row) => writeDouble(sink, at, doubles[from + row]!)
  },
  integer({ items, from }) {
    if (items instanceof Float64Array)
      return ({ view }, at, row) => writeInteger(view, at, Math.floor(items[from + row]! / 2 ** 32), items[from + row]! | 0)
    if (!(items instanceof BigInt64Array))
      return ({ view }, at, row) => writeInteger(view, at, items[from + row]! >> 31, items[from + row]!)
    const halves = halvesOf(items)
    return ({ view }, at, row) => writeInteger(view, at, halves[2 * (from + row) + 1]!, halves[2 * (from + row)]!)
  },
  boolean({ items, from }) {
    const flags = items as Uint8Array
    return ({ view }, at, row) => writeWord(view, at, flags[from + row] === 1 ? TRUE : FALSE)
  },
}
