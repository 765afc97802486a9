import {
  AsyncByteQueue,
  Bool,
  type Data,
  type DataType,
  DateDay,
  Field,
  Float64,
  Int64,
  makeData,
  RecordBatch,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  TimestampMicrosecond,
  Utf8,
} from 'apache-arrow'
import type { Column, ColumnType } from '../../catalog/index.ts'
import { type Batch, type BatchColumn, batches } from './batches.ts'
import { describedColumn, ENVELOPE_KEY } from './described.ts'
import type { Frame, Pieces, RowSet } from './encoder.ts'
import { createSink, writeBytes, written } from './sink.ts'

/** Rows of a record batch. Gathering and writing one takes 1 to 2 ms. */
const BATCH_ROWS = 4_096

/** Typical bytes of a schema with its metadata and the header of a batch. */
const HEAD_BYTES = 8_192
/** Typical bytes of a cell. Larger results use more chunks. */
const LIKELY_CELL = 12

/**
 * Encodes an Arrow IPC stream. The schema metadata contains the envelope. The field metadata
 * describes the columns.
 */
export function* encodeArrow(rows: RowSet, [head, tail]: Frame): Pieces {
  const schema = schemaOf(rows, `${head}${tail}`)
  const sink = createSink(HEAD_BYTES + rows.page.rows * rows.names.length * LIKELY_CELL)
  // Copies the bytes now, because the next batch reuses the arrays.
  const queue = Object.assign(new AsyncByteQueue(), { write: (bytes: Uint8Array) => writeBytes(sink, bytes) })
  // With autoDestroy the writer would write the schema a second time when it closes.
  const writer = new RecordBatchStreamWriter({ autoDestroy: false })
  writer.reset(queue, schema)
  for (const batch of batches(rows, BATCH_ROWS)) {
    writer.write(recordBatch(schema, batch))
    yield* sink.full.splice(0)
  }
  writer.close()
  yield* written(sink)
}

/** Timestamps are instants with the time zone of Taipei. JSON values are sent as text. */
const TYPES: Readonly<Record<ColumnType, DataType>> = {
  text: new Utf8(),
  json: new Utf8(),
  date: new DateDay(),
  timestamp: new TimestampMicrosecond('Asia/Taipei'),
  number: new Float64(),
  integer: new Int64(),
  boolean: new Bool(),
}

const schemaOf = ({ columns, names }: RowSet, envelope: string): Schema =>
  new Schema(
    names.map(name => fieldOf(name, columns[name]!)),
    new Map([[ENVELOPE_KEY, envelope]]),
  )

/** Cached fields by column. */
const fields = new WeakMap<Column, Field>()

function fieldOf(name: string, column: Column): Field {
  const cachedField = fields.get(column)
  if (cachedField?.name === name) return cachedField
  const field = new Field(name, TYPES[column.type], true, new Map(Object.entries(describedColumn(column))))
  fields.set(column, field)
  return field
}

function recordBatch(schema: Schema, { rows, columns }: Batch): RecordBatch {
  const children = columns.map(column => dataOf(column, rows))
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

/** Packs booleans into bits, lowest bit first. */
function packed(flags: Uint8Array): Uint8Array {
  const bits = new Uint8Array((flags.length + 7) >> 3)
  for (let row = 0; row < flags.length; row++) bits[row >> 3]! |= flags[row]! << (row & 7)
  return bits
}
