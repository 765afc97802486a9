import type { ColumnType } from '../../catalog/index.ts'
import { taipeiText } from '../core/index.ts'
import { type Chunk, type ColumnVector, isValid } from '../engine/index.ts'
import type { Encoder, PageChunk, RowSet } from './encoder.ts'
import { type Cell, writeDay, writeText } from './json-cells.ts'
import { keptWriter } from './kept-rows.ts'
import { wholeOf, writeDouble, writeInteger } from './number.ts'
import { rowPieces, type WriteRows } from './row-pieces.ts'
import { createSink, room, type Sink, type Word, wordOf, writeString, writeWord, written } from './sink.ts'
import { turn } from './turn.ts'

/** JSON: the rows inside their envelope. */
export const json: Encoder = {
  mediaType: 'application/json; charset=utf-8',
  extension: 'json',
  *encode(rows, [head, tail]) {
    const sink = createSink(3 * (head.length + tail.length) + likelyBytes(rows))
    writeString(sink, head)
    yield* rowPieces(sink, rows.page, jsonWriter(sink, rows, COMMA))
    if (rows.page.rows > 0) sink.at--
    writeString(sink, tail)
    yield* written(sink)
  },
}

/** NDJSON: each row as in JSON, on a line of its own. */
export const ndjson: Encoder = {
  mediaType: 'application/x-ndjson',
  extension: 'ndjson',
  *encode(rows) {
    const sink = createSink(likelyBytes(rows))
    yield* rowPieces(sink, rows.page, jsonWriter(sink, rows, LINE_FEED))
    yield* written(sink)
  },
}

/**
 * Encodes a page's rows as JSON objects separated by commas, without brackets. Names keep the columns' order, numbers are written as
 * `JSON.stringify` writes them, absent values as `null`. The buffers may be split anywhere.
 */
export async function encodeJsonRows(rows: RowSet): Promise<readonly Buffer[]> {
  const sink = createSink(likelyBytes(rows))
  const pieces: Buffer[] = []
  for (const piece of rowPieces(sink, rows.page, jsonWriter(sink, rows, COMMA))) {
    pieces.push(piece)
    await turn()
  }
  if (rows.page.rows > 0) sink.at--
  return [...pieces, ...written(sink)]
}

/** What all rows of an answer share. */
interface RowShape {
  readonly types: readonly ColumnType[]
  /** Column names, each with what precedes it: a comma or, for the first, the row's brace. */
  readonly keys: readonly Word[]
  /** Maximum number of bytes of a row without long text. */
  readonly most: number
}

const NULL = wordOf('null')
const TRUE = wordOf('true')
const FALSE = wordOf('false')
const [CLOSE, COMMA, LINE_FEED] = [125, 44, 10]
/** Longest cell except for long text: a number, a date or a timestamp with its quotes. */
const FIXED_WIDTH = 40
/** Typical size of a cell without its name, so that most answers are allocated once; larger ones grow. */
const LIKELY_CELL = 12
function shapeOf({ columns, names }: RowSet): RowShape {
  const keys = names.map((name, index) => keyOf(index > 0 ? LATER : FIRST, name))
  const named = keys.reduce((sum, { length }) => sum + length, 0)
  return { types: names.map(name => columns[name]!.type), keys, most: named + (keys.length + 1) * FIXED_WIDTH }
}

/** Enough for most pages, and at least one row. */
const likelyBytes = ({ names, page: { rows } }: RowSet): number => {
  const row = names.reduce((sum, { length }) => sum + length + 4 + LIKELY_CELL, 2)
  return rows * row + names.length * FIXED_WIDTH
}

/** Names by what precedes them, each encoded once: the catalog has a few hundred. */
const [FIRST, LATER] = [
  { before: '{', known: new Map<string, Word>() },
  { before: ',', known: new Map<string, Word>() },
]

function keyOf({ before, known }: typeof FIRST, name: string): Word {
  const word = known.get(name) ?? wordOf(`${before}${JSON.stringify(name)}:`)
  known.set(name, word)
  return word
}

/** @param separator the byte after each row */
function jsonWriter(sink: Sink, rows: RowSet, separator: number): (chunk: PageChunk) => WriteRows {
  const shape = shapeOf(rows)
  return chunk => {
    const { kept } = chunk
    const writerTo = (to: Sink): WriteRows => chunkWriter(to, chunk, shape, separator)
    return kept && separator === COMMA ? keptWriter(sink, kept, shape.most, writerTo) : writerTo(sink)
  }
}

function chunkWriter(sink: Sink, chunk: Chunk, { types, keys, most }: RowShape, separator: number): WriteRows {
  const vectors = types.map((_, index) => chunk.column(index))
  const cells = vectors.map((vector, index) => WRITERS[types[index]!](vector, most))
  return (first, last) => {
    for (let row = first; row < last; row++) {
      let at = room(sink, sink.at, most)
      for (let index = 0; index < cells.length; index++) {
        at = writeWord(sink.view, at, keys[index]!)
        at = isValid(vectors[index]!, row) ? cells[index]!(sink, at, row) : writeWord(sink.view, at, NULL)
      }
      sink.bytes[at++] = CLOSE
      sink.bytes[at++] = separator
      sink.at = at
    }
  }
}

/** The halves of 64-bit cells, low before high, which avoids BigInt. */
const halvesOf = (items: BigInt64Array): Int32Array => new Int32Array(items.buffer, items.byteOffset, items.byteLength / 4)

/** Numbers and truth values, which are written alike in every text format. */
export const NUMBERS: Readonly<Record<'number' | 'integer' | 'boolean', (vector: ColumnVector) => Cell>> = {
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
  ...NUMBERS,
}
