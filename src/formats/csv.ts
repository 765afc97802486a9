import type { ColumnType } from '../../catalog/index.ts'
import { taipeiText } from '../core/index.ts'
import { type Chunk, type ColumnVector, isValid } from '../engine/index.ts'
import type { Encoder, RowSet } from './encoder.ts'
import { NUMBERS } from './json.ts'
import { type Cell, writeDate } from './json-cells.ts'
import { rowPieces, type WriteRows } from './row-pieces.ts'
import { createSink, reserve, type Sink, writeString, written } from './sink.ts'
import { textsOf } from './texts.ts'

const [QUOTE, COMMA, RETURN, LINE_FEED] = [34, 44, 13, 10]
/** Byte order mark, by which Excel recognizes UTF-8. */
const BYTE_ORDER_MARK = '\ufeff'

/** CSV according to RFC 4180, with a header line. Null is an empty cell. An empty text is `""`. */
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

const LIKELY_CELL = 10
const FIXED_WIDTH = 40

function chunkWriter(sink: Sink, chunk: Chunk, { columns, names }: RowSet): WriteRows {
  const maxRowBytes = (names.length + 1) * FIXED_WIDTH
  const vectors = names.map((_, index) => chunk.column(index))
  const cells = vectors.map((vector, index) => WRITERS[columns[names[index]!]!.type](vector, maxRowBytes))
  const isSingleColumn = names.length === 1
  return (first, last) => {
    for (let row = first; row < last; row++) {
      let offset = reserve(sink, sink.offset, maxRowBytes)
      for (let index = 0; index < cells.length; index++) {
        if (isValid(vectors[index]!, row)) offset = cells[index]!(sink, offset, row)
        else if (isSingleColumn) offset = writeEmptyText(sink, offset)
        sink.bytes[offset++] = COMMA
      }
      sink.bytes[offset - 1] = RETURN
      sink.bytes[offset++] = LINE_FEED
      sink.offset = offset
    }
  }
}

function writeEmptyText({ bytes }: Sink, offset: number): number {
  bytes[offset] = QUOTE
  bytes[offset + 1] = QUOTE
  return offset + 2
}

function writeText(vector: ColumnVector, after: number): Cell {
  const texts = textsOf(vector)
  return (sink, offset, row) => {
    texts.move(row)
    const { bytes: source, start, length } = texts
    if (length === 0) return writeEmptyText(sink, offset)
    let next = reserve(sink, offset, 2 * length + 2 + after)
    const { bytes } = sink
    if (!needsQuotes(source, start, length)) {
      for (let index = 0; index < length; index++) bytes[next + index] = source[start + index]!
      return next + length
    }
    bytes[next++] = QUOTE
    for (let index = start; index < start + length; index++) {
      const byte = source[index]!
      if (byte === QUOTE) bytes[next++] = QUOTE
      bytes[next++] = byte
    }
    bytes[next++] = QUOTE
    return next
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
    return ({ view }, offset, row) => writeDate(view, offset, days[from + row]!)
  },
  timestamp({ items, from }) {
    const micros = items instanceof BigInt64Array ? (row: number) => Number(items[row]!) : (row: number) => items[row] as number
    return ({ bytes }, offset, row) => offset + bytes.write(taipeiText(micros(from + row)), offset, 'latin1')
  },
}
