import type { Column, ColumnType } from '../../../catalog/column.ts'
import { type Chunk, type ColumnVector, isValid } from '../chunk.ts'
import type { Page } from '../page.ts'
import { dayText, taipeiText } from './day.ts'
import { wholeOf, writeDouble, writeInteger } from './number.ts'
import { openSink, room, type Sink, written } from './sink.ts'
import { writeText } from './text.ts'

/** Writes one cell that is not null. */
type Cell = (sink: Sink, row: number) => void

const NULL = Buffer.from('null')
const TRUE = Buffer.from('true')
const FALSE = Buffer.from('false')
const [OPEN, CLOSE, COMMA, QUOTE] = [123, 125, 44, 34]
/** Longest number or date with its quotes. */
const FIXED_WIDTH = 40
/** What a cell mostly takes beside its name, so that the answer is allocated once; where it takes more, the answer grows. */
const LIKELY_CELL = 12
/** Rows between two looks at the event loop, so one long answer does not hold up short ones. */
const ROWS_PER_TURN = 8_192

/**
 * The page's rows as JSON objects separated by commas, without the brackets: names in the columns' order, numbers as
 * `JSON.stringify` writes them, absent values `null`.
 */
export async function encodeJsonRows(columns: Readonly<Record<string, Column>>, names: readonly string[], page: Page): Promise<Buffer> {
  const keys = names.map((name, index) => Buffer.from(`${index > 0 ? ',' : ''}${JSON.stringify(name)}:`))
  const width = keys.reduce((sum, { length }) => sum + length + LIKELY_CELL, 3)
  const sink = openSink(page.rows * width + 1_024)
  const types = names.map(name => columns[name]!.type)
  let left = page.rows
  let sinceTurn = 0
  for (const chunk of page.chunks) {
    const rows = Math.min(chunk.rows, left)
    writeChunk(sink, chunk, rows, keys, types)
    left -= rows
    sinceTurn += rows
    if (sinceTurn < ROWS_PER_TURN) continue
    sinceTurn = 0
    await new Promise(setImmediate)
  }
  return written(sink)
}

function writeChunk(sink: Sink, chunk: Chunk, rows: number, keys: readonly Buffer[], types: readonly ColumnType[]): void {
  const vectors = types.map((_, index) => chunk.column(index))
  const cells = vectors.map((vector, index) => WRITERS[types[index]!](vector))
  const width = keys.length
  for (let row = 0; row < rows; row++) {
    room(sink, 2)
    if (sink.at > 0) sink.bytes[sink.at++] = COMMA
    sink.bytes[sink.at++] = OPEN
    for (let index = 0; index < width; index++) {
      const key = keys[index]!
      room(sink, key.length + FIXED_WIDTH)
      sink.bytes.set(key, sink.at)
      sink.at += key.length
      if (isValid(vectors[index]!.valid, row)) cells[index]!(sink, row)
      else writeWord(sink, NULL)
    }
    room(sink, 2)
    sink.bytes[sink.at++] = CLOSE
  }
}

function writeWord(sink: Sink, word: Buffer): void {
  sink.bytes.set(word, sink.at)
  sink.at += word.length
}

function writeQuoted(sink: Sink, ascii: string): void {
  sink.bytes[sink.at++] = QUOTE
  for (let index = 0; index < ascii.length; index++) sink.bytes[sink.at++] = ascii.charCodeAt(index)
  sink.bytes[sink.at++] = QUOTE
}

/** The two halves of 64-bit cells, so that no BigInt is made. */
function halves({ items }: ColumnVector): readonly [Int32Array, Uint32Array] {
  return [
    new Int32Array(items.buffer, items.byteOffset, items.byteLength / 4),
    new Uint32Array(items.buffer, items.byteOffset, items.byteLength / 4),
  ]
}

const WRITERS: Readonly<Record<ColumnType, (vector: ColumnVector) => Cell>> = {
  text: vector => writeText(vector, false),
  json: vector => writeText(vector, true),
  date: ({ items }) => {
    const days = items as Int32Array
    return (sink, row) => writeQuoted(sink, dayText(days[row]!))
  },
  timestamp: vector => {
    const [high, low] = halves(vector)
    return (sink, row) => writeQuoted(sink, taipeiText(wholeOf(high[2 * row + 1]!, low[2 * row]!)))
  },
  number: ({ items }) => {
    const doubles = items as Float64Array
    return (sink, row) => writeDouble(sink, doubles[row]!)
  },
  integer: vector => {
    const [high, low] = halves(vector)
    return (sink, row) => writeInteger(sink, wholeOf(high[2 * row + 1]!, low[2 * row]!))
  },
  boolean: ({ items }) => {
    const flags = items as Uint8Array
    return (sink, row) => writeWord(sink, flags[row] === 1 ? TRUE : FALSE)
  },
}
