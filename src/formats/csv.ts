import type { ColumnType } from '../../catalog/index.ts'
import { taipeiText } from '../core/index.ts'
import { type Chunk, type ColumnVector, isValid } from '../engine/index.ts'
import type { Encoder, RowSet } from './encoder.ts'
import { NUMBERS } from './json.ts'
import { type Cell, writeDate } from './json-cells.ts'
import { rowPieces, type WriteRows } from './row-pieces.ts'
import { createSink, room, type Sink, writeString, written } from './sink.ts'
import { textsOf } from './texts.ts'

const [QUOTE, COMMA, RETURN, LINE_FEED] = [34, 44, 13, 10]
/** Tells Excel that a file is UTF-8. */
const BYTE_ORDER_MARK = '\ufeff'

/**
 * CSV after RFC 4180, with the names of the columns in the first line. A null is empty, an empty text is `""`; in a file of one column a
 * null is `""` as well, because readers skip empty lines. Texts stay as they are, also those that a spreadsheet takes for a formula.
 */
export const csv: Encoder = {
  mediaType: 'text/csv; charset=utf-8; header=present',
  extension: 'csv',
  *encode(rows, _, { bom } = {}) {
    const sink = createSink(rows.page.rows * rows.names.length * LIKELY_CELL + rows.names.length * FIXED_WIDTH)
    writeString(sink, `${bom ? BYTE_ORDER_MARK : ''}${rows.names.join(',')}\r\n`)
    yield* rowPieces(sink, rows.page, chunk => chunkWriter(sink, chunk, rows))
    yield* written(sink)
  },
}

/** Typical size of a cell with its comma, and the longest one except for long text. */
const [LIKELY_CELL, FIXED_WIDTH] = [10, 40]

function chunkWriter(sink: Sink, chunk: Chunk, { columns, names }: RowSet): WriteRows {
  const most = (names.length + 1) * FIXED_WIDTH
  const vectors = names.map((_, index) => chunk.column(index))
  const cells = vectors.map((vector, index) => WRITERS[columns[names[index]!]!.type](vector, most))
  const alone = names.length === 1
  return (first, last) => {
    for (let row = first; row < last; row++) {
      let at = room(sink, sink.at, most)
      for (let index = 0; index < cells.length; index++) {
        if (isValid(vectors[index]!, row)) at = cells[index]!(sink, at, row)
        else if (alone) at = writeNothing(sink, at)
        sink.bytes[at++] = COMMA
      }
      sink.bytes[at - 1] = RETURN
      sink.bytes[at++] = LINE_FEED
      sink.at = at
    }
  }
}

function writeNothing({ bytes }: Sink, at: number): number {
  bytes[at] = QUOTE
  bytes[at + 1] = QUOTE
  return at + 2
}

/** @param after number of bytes to leave room for after a text: the rest of its row */
function writeText(vector: ColumnVector, after: number): Cell {
  const texts = textsOf(vector)
  return (sink, before, row) => {
    texts.move(row)
    const { bytes: from, start, length } = texts
    if (length === 0) return writeNothing(sink, before)
    const at = room(sink, before, 2 * length + 2 + after)
    const { bytes } = sink
    if (!needsQuotes(from, start, length)) {
      for (let index = 0; index < length; index++) bytes[at + index] = from[start + index]!
      return at + length
    }
    let to = at
    bytes[to++] = QUOTE
    for (let index = start; index < start + length; index++) {
      const byte = from[index]!
      if (byte === QUOTE) bytes[to++] = QUOTE
      bytes[to++] = byte
    }
    bytes[to++] = QUOTE
    return to
  }
}

function needsQuotes(bytes: Uint8Array, start: number, length: number): boolean {
  for (let index = start; index < start + length; index++) {
    const byte = bytes[index]!
    if (byte === QUOTE || byte === COMMA || byte === RETURN || byte === LINE_FEED) return true
  }
  return false
}

const WRITERS: Readonly<Record<ColumnType, (vector: ColumnVector, after: number) => Cell>> = {
  ...NUMBERS,
  text: writeText,
  json: writeText,
  date({ items, from }) {
    const days = items as Int32Array
    return ({ view }, at, row) => writeDate(view, at, days[from + row]!)
  },
  timestamp({ items, from }) {
    const micros = items instanceof BigInt64Array ? (row: number) => Number(items[row]!) : (row: number) => items[row] as number
    return ({ bytes }, at, row) => at + bytes.write(taipeiText(micros(from + row)), at, 'latin1')
  },
}
