import type { ColumnType } from '../../catalog/index.ts'
import { taipeiText } from '../core/index.ts'
import { type Chunk, type ColumnVector, isValid } from '../engine/index.ts'
import { cachedRowWriter } from './cached-rows.ts'
import { encodeSlot } from './encode-slot.ts'
import type { Encoder, PageChunk, RowSet } from './encoder.ts'
import { type Cell, writeDay, writeText } from './json-cells.ts'
import { combineHalves, writeDouble, writeInteger } from './number.ts'
import { rowPieces, type WriteRows } from './row-pieces.ts'
import { createSink, reserve, type Sink, type Word, wordOf, writeString, writeWord, written } from './sink.ts'

export const json: Encoder = {
  mediaType: 'application/json; charset=utf-8',
  extension: 'json',
  *encode(rows, [head, tail]) {
    const sink = createSink(3 * (head.length + tail.length) + expectedBytes(rows))
    writeString(sink, head)
    yield* rowPieces(sink, rows.page, jsonWriter(sink, rows, COMMA))
    if (rows.page.rows > 0) sink.offset--
    writeString(sink, tail)
    yield* written(sink)
  },
}

/** One JSON row per line. */
export const ndjson: Encoder = {
  mediaType: 'application/x-ndjson',
  extension: 'ndjson',
  *encode(rows) {
    const sink = createSink(expectedBytes(rows))
    yield* rowPieces(sink, rows.page, jsonWriter(sink, rows, LINE_FEED))
    yield* written(sink)
  },
}

/** Members are in column order. */
export async function encodeJsonRows(rows: RowSet): Promise<readonly Buffer[]> {
  const sink = createSink(expectedBytes(rows))
  const pieces: Buffer[] = []
  for (const piece of rowPieces(sink, rows.page, jsonWriter(sink, rows, COMMA))) {
    pieces.push(piece)
    await encodeSlot()
  }
  if (rows.page.rows > 0) sink.offset--
  return [...pieces, ...written(sink)]
}

interface RowShape {
  readonly types: readonly ColumnType[]
  /** Includes the preceding comma or brace. */
  readonly keys: readonly Word[]
  readonly maxRowBytes: number
  readonly likelyRowBytes: number
}

const NULL = wordOf('null')
const TRUE = wordOf('true')
const FALSE = wordOf('false')
const [CLOSE, COMMA, LINE_FEED] = [125, 44, 10]
/** Maximum size of a short cell, in bytes. */
const FIXED_WIDTH = 40
/** Typical size of a cell in bytes, without the name. */
const LIKELY_CELL = 12

const shapes = new WeakMap<readonly string[], RowShape>()

function shapeOf({ columns, names }: RowSet): RowShape {
  const cachedShape = shapes.get(names)
  if (cachedShape) return cachedShape
  const keys = names.map((name, index) => keyOf(index > 0 ? LATER : FIRST, name))
  const keyBytes = keys.reduce((sum, { length }) => sum + length, 0)
  const shape = {
    types: names.map(name => columns[name]!.type),
    keys,
    maxRowBytes: keyBytes + (keys.length + 1) * FIXED_WIDTH,
    likelyRowBytes: keyBytes + keys.length * LIKELY_CELL + 2,
  }
  shapes.set(names, shape)
  return shape
}

const expectedBytes = (rows: RowSet): number => rows.page.rows * shapeOf(rows).likelyRowBytes + rows.names.length * FIXED_WIDTH

/** The catalog has a few hundred names, so the caches need no limit. */
const FIRST = { before: '{', words: new Map<string, Word>() }
const LATER = { before: ',', words: new Map<string, Word>() }

function keyOf({ before, words }: typeof FIRST, name: string): Word {
  const word = words.get(name) ?? wordOf(`${before}${JSON.stringify(name)}:`)
  words.set(name, word)
  return word
}

function jsonWriter(sink: Sink, rows: RowSet, separator: number): (chunk: PageChunk) => WriteRows {
  const shape = shapeOf(rows)
  return chunk => {
    const { textCache } = chunk
    const writerTo = (target: Sink): WriteRows => chunkWriter(target, chunk, shape, separator)
    return textCache && separator === COMMA ? cachedRowWriter(sink, textCache, shape.maxRowBytes, writerTo) : writerTo(sink)
  }
}

function chunkWriter(sink: Sink, chunk: Chunk, { types, keys, maxRowBytes }: RowShape, separator: number): WriteRows {
  const vectors = types.map((_, index) => chunk.column(index))
  const cells = vectors.map((vector, index) => WRITERS[types[index]!](vector, maxRowBytes))
  return (first, last) => {
    for (let row = first; row < last; row++) {
      let offset = reserve(sink, sink.offset, maxRowBytes)
      for (let index = 0; index < cells.length; index++) {
        offset = writeWord(sink.view, offset, keys[index]!)
        offset = isValid(vectors[index]!, row) ? cells[index]!(sink, offset, row) : writeWord(sink.view, offset, NULL)
      }
      sink.bytes[offset++] = CLOSE
      sink.bytes[offset++] = separator
      sink.offset = offset
    }
  }
}

/** Avoids BigInt, which is slow. The lower half is first. */
const halvesOf = (items: BigInt64Array): Int32Array => new Int32Array(items.buffer, items.byteOffset, items.byteLength / 4)

export const NUMBERS: Readonly<Record<'number' | 'integer' | 'boolean', (vector: ColumnVector) => Cell>> = {
  number({ items, from }) {
    const doubles = items as Float64Array
    return (sink, offset, row) => writeDouble(sink, offset, doubles[from + row]!)
  },
  integer({ items, from }) {
    if (items instanceof Float64Array)
      return ({ view }, offset, row) => writeInteger(view, offset, Math.floor(items[from + row]! / 2 ** 32), items[from + row]! | 0)
    if (!(items instanceof BigInt64Array))
      return ({ view }, offset, row) => writeInteger(view, offset, items[from + row]! >> 31, items[from + row]!)
    const halves = halvesOf(items)
    return ({ view }, offset, row) => writeInteger(view, offset, halves[2 * (from + row) + 1]!, halves[2 * (from + row)]!)
  },
  boolean({ items, from }) {
    const flags = items as Uint8Array
    return ({ view }, offset, row) => writeWord(view, offset, flags[from + row] === 1 ? TRUE : FALSE)
  },
}

/** `after` is the number of bytes to reserve after a long text. */
const WRITERS: Readonly<Record<ColumnType, (vector: ColumnVector, after: number) => Cell>> = {
  text: (vector, after) => writeText(vector, false, after),
  json: (vector, after) => writeText(vector, true, after),
  date({ items, from }) {
    const days = items as Int32Array
    return ({ view }, offset, row) => writeDay(view, offset, days[from + row]!)
  },
  timestamp({ items, from }) {
    const write = ({ bytes }: Sink, offset: number, micros: number): number =>
      offset + bytes.write(`"${taipeiText(micros)}"`, offset, 'latin1')
    if (!(items instanceof BigInt64Array)) return (sink, offset, row) => write(sink, offset, items[from + row]!)
    const halves = halvesOf(items)
    return (sink, offset, row) => write(sink, offset, combineHalves(halves[2 * (from + row) + 1]!, halves[2 * (from + row)]!))
  },
  ...NUMBERS,
}
