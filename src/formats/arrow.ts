import {
  AsyncByteQueue,
  Bool,
  type Data,
  type DataType,
  DateDay,
  Field,
  Float64,
  Int64,
  List,
  makeData,
  RecordBatch,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  TimestampMicrosecond,
  Utf8,
} from 'apache-arrow'
import { type Column, type ColumnType, type JsonShape, type NestedShape, sentShape } from '../../catalog/index.ts'
import { type Batch, type BatchColumn, batches, columnOf } from './batches.ts'
import { describedColumn, ENVELOPE_KEY } from './described.ts'
import type { Frame, Pieces, RowSet } from './encoder.ts'
import { nestedMark, nestedValues } from './nested-values.ts'
import { createSink, writeBytes, written } from './sink.ts'

/** Writing a full batch takes 1 to 2 ms. */
const BATCH_ROWS = 4_096
/** Lower than for other columns, because JSON must be parsed before encoding. */
const NESTED_BATCH_ROWS = 1_024

/** Typical number of bytes before the first row. */
const HEAD_BYTES = 8_192
const LIKELY_CELL = 12

/** Encodes an Arrow IPC stream. The schema metadata contains the JSON answer without rows. */
export function* encodeArrow(rows: RowSet, [head, tail]: Frame): Pieces {
  const schema = schemaOf(rows, `${head}${tail}`)
  const sink = createSink(HEAD_BYTES + rows.page.rows * rows.names.length * LIKELY_CELL)
  /** Copies the bytes immediately, because the next batch overwrites the arrays. */
  const queue = Object.assign(new AsyncByteQueue(), { write: (bytes: Uint8Array) => writeBytes(sink, bytes) })
  // With autoDestroy, the schema would be written twice.
  const writer = new RecordBatchStreamWriter({ autoDestroy: false })
  writer.reset(queue, schema)
  const shapes = rows.names.map(name => sentShape(rows.columns[name]!))
  for (const batch of batches(rows, shapes.some(Boolean) ? NESTED_BATCH_ROWS : BATCH_ROWS)) {
    writer.write(recordBatch(schema, batch, shapes))
    yield* sink.full.splice(0)
  }
  writer.close()
  yield* written(sink)
}

/** Timestamps have the time zone of Taipei. JSON columns without a fixed shape are text. */
const TYPES: Readonly<Record<ColumnType, DataType>> = {
  text: new Utf8(),
  json: new Utf8(),
  date: new DateDay(),
  timestamp: new TimestampMicrosecond('Asia/Taipei'),
  number: new Float64(),
  integer: new Int64(),
  boolean: new Bool(),
}

function typeOf(shape: JsonShape): DataType {
  if (typeof shape === 'string') return TYPES[shape]
  if ('list' in shape) return new List(new Field('item', typeOf(shape.list), true))
  return new Struct(Object.entries(shape.members).map(([name, member]) => new Field(name, typeOf(member), true)))
}

const schemaOf = (rows: RowSet, envelope: string): Schema =>
  new Schema(
    rows.names.map(name => fieldOf(name, rows.columns[name]!)),
    new Map([[ENVELOPE_KEY, envelope], ...nestedMark(rows)]),
  )

const fields = new WeakMap<Column, Field>()

function fieldOf(name: string, column: Column): Field {
  const cachedField = fields.get(column)
  if (cachedField?.name === name) return cachedField
  const shape = sentShape(column)
  const type = shape === undefined ? TYPES[column.type] : typeOf(shape)
  const field = new Field(name, type, true, new Map(Object.entries(describedColumn(column))))
  fields.set(column, field)
  return field
}

function recordBatch(schema: Schema, { rows, columns }: Batch, shapes: readonly (NestedShape | undefined)[]): RecordBatch {
  const children = columns.map((column, index) => {
    const shape = shapes[index]
    return shape === undefined ? dataOf(column, rows) : nestedData(schema.fields[index]!.type, shape, nestedValues(column, rows, shape))
  })
  return new RecordBatch(schema, makeData({ type: new Struct(schema.fields), length: rows, nullCount: 0, children }))
}

function dataOf({ type, nulls, valid, items, ends }: BatchColumn, length: number): Data {
  const nullBitmap = nulls > 0 ? valid : null
  const shared = { length, nullCount: nulls, nullBitmap }
  const arrowType = TYPES[type]
  if (arrowType instanceof Utf8) return makeData({ type: arrowType, ...shared, valueOffsets: ends, data: items as Uint8Array })
  if (arrowType instanceof Bool) return makeData({ type: arrowType, ...shared, data: packed(items as Uint8Array) })
  return makeData({ type: arrowType as Int64, ...shared, data: items as BigInt64Array })
}

function nestedData(type: DataType, shape: JsonShape, values: readonly unknown[]): Data {
  const { length } = values
  if (typeof shape === 'string') return dataOf(columnOf(shape, values), length)
  const present = values.map(value => (value === null ? 0 : 1))
  const shared = { length, nullCount: present.filter(flag => flag === 0).length, nullBitmap: packed(Uint8Array.from(present)) }
  if (!('list' in shape)) {
    const children = Object.entries(shape.members).map(([name, member], index) => {
      const memberValues = values.map(value => (value as Readonly<Record<string, unknown>> | null)?.[name] ?? null)
      return nestedData((type as Struct).children[index]!.type, member, memberValues)
    })
    return makeData({ type: type as Struct, ...shared, children })
  }
  const lists = values.map(value => (value ?? []) as readonly unknown[])
  const valueOffsets = new Int32Array(length + 1)
  for (const [row, list] of lists.entries()) valueOffsets[row + 1] = valueOffsets[row]! + list.length
  const child = nestedData((type as List).valueType, shape.list, lists.flat())
  return makeData({ type: type as List, ...shared, valueOffsets, child })
}

/** Stores the first boolean in the lowest bit. */
function packed(flags: Uint8Array): Uint8Array {
  const bits = new Uint8Array((flags.length + 7) >> 3)
  for (let row = 0; row < flags.length; row++) bits[row >> 3]! |= flags[row]! << (row & 7)
  return bits
}
