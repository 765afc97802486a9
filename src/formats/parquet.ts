import { zstdCompressSync } from 'node:zlib'
import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer'
import { type Column, type ColumnType, type JsonShape, type NestedShape, sentShape } from '../../catalog/index.ts'
import { type BatchColumn, batches } from './batches.ts'
import { describedColumn, ENVELOPE_KEY } from './described.ts'
import type { Frame, Pieces, RowSet } from './encoder.ts'
import { nestedMark, nestedValues } from './nested-values.ts'

/** Number of cells per row group. Writing one column takes about 1 ms. */
const CELLS = 65_536
const LEAST_ROWS = 1_024
const MOST_ROWS = 8_192

/** Encodes Parquet with zstd. The file metadata contains the JSON answer without rows. */
export function* encodeParquet(rows: RowSet, [head, tail]: Frame): Pieces {
  const { names, columns, page } = rows
  const fields = names.map(name => fieldOf(name, columns[name]!))
  const described = Object.fromEntries(names.map(name => [name, describedColumn(columns[name]!)]))
  const bytes = new ByteWriter()
  const file = new ParquetWriter({
    writer: bytes,
    schema: schemaOf(fields),
    createdBy: 'twmd',
    kvMetadata: [
      { key: ENVELOPE_KEY, value: `${head}${tail}` },
      { key: `${ENVELOPE_KEY}.columns`, value: JSON.stringify(described) },
      ...nestedMark(rows).map(([key, value]) => ({ key, value })),
    ],
  })
  const writers = fields.map(field => fieldParts(field).map(part => columnWriter(part, file)))
  const chunkCount = writers.flat().length
  const takePiece = (): Buffer => {
    const piece = Buffer.from(bytes.getBytes())
    bytes.index = 0
    return piece
  }
  const size = Math.min(MOST_ROWS, Math.max(LEAST_ROWS, Math.floor(CELLS / chunkCount)))
  for (const batch of page.rows === 0 ? [] : batches(rows, size)) {
    const chunks: ColumnChunk[] = []
    for (const [index, column] of batch.columns.entries()) {
      const values = valuesOf(column, batch.rows, fields[index]!.shape)
      for (const write of writers[index]!) {
        chunks.push(...write(values, batch.rows))
        yield takePiece()
      }
    }
    addRowGroup(file, batch.rows, chunks)
  }
  file.finish()
  yield takePiece()
}

type ColumnChunk = ParquetWriter['row_groups'][number]['columns'][number]

interface ColumnField {
  readonly name: string
  readonly type: ColumnType
  readonly shape: NestedShape | undefined
}

const fieldOf = (name: string, column: Column): ColumnField => ({ name, type: column.type, shape: sentShape(column) })

function fieldParts(field: ColumnField): readonly ColumnField[] {
  const { shape } = field
  if (shape === undefined || 'list' in shape) return [field]
  return Object.entries(shape.members).map(([member, inner]) => ({ ...field, shape: { members: { [member]: inner } } }))
}

/** Writes one column at a time. Writing all columns together would block the event loop. */
function columnWriter(field: ColumnField, file: ParquetWriter): (values: Values, count: number) => ColumnChunk[] {
  const columnFile = new ParquetWriter({
    writer: new ByteWriter(),
    schema: schemaOf([field]),
    codec: 'ZSTD',
    compressors: { ZSTD: plain => zstdCompressSync(plain) },
  })
  columnFile.writer = file.writer
  return (data, count) => {
    columnFile.write({ columnData: [{ name: field.name, data }], rowGroupSize: count })
    file.pendingIndexes.push(...columnFile.pendingIndexes.splice(0))
    return columnFile.row_groups.pop()!.columns
  }
}

function addRowGroup(file: ParquetWriter, rows: number, columns: ColumnChunk[]): void {
  const sum = (name: 'total_uncompressed_size' | 'total_compressed_size'): bigint =>
    columns.reduce((all, { meta_data }) => all + meta_data![name], 0n)
  const sizes = { total_byte_size: sum('total_uncompressed_size'), total_compressed_size: sum('total_compressed_size') }
  file.row_groups.push({ columns, num_rows: BigInt(rows), ...sizes })
  file.num_rows += BigInt(rows)
}

/** Timestamps are UTC. JSON columns without a fixed shape are text. */
const ELEMENTS: Readonly<Record<ColumnType, Pick<SchemaElement, 'type' | 'converted_type' | 'logical_type'>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  json: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  date: { type: 'INT32', converted_type: 'DATE' },
  timestamp: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  },
  number: { type: 'DOUBLE' },
  integer: { type: 'INT64' },
  boolean: { type: 'BOOLEAN' },
}

const schemaOf = (fields: readonly ColumnField[]): SchemaElement[] => [
  { name: 'rows', num_children: fields.length },
  ...fields.flatMap(({ name, type, shape }) => (shape === undefined ? [scalar(name, type)] : elementsOf(name, shape))),
]

const scalar = (name: string, type: ColumnType): SchemaElement => ({ name, repetition_type: 'OPTIONAL', ...ELEMENTS[type] })

/** Elements precede their children, as Parquet requires. */
function elementsOf(name: string, shape: JsonShape): SchemaElement[] {
  if (typeof shape === 'string') return [scalar(name, shape)]
  if ('list' in shape) {
    const list: SchemaElement = {
      name,
      repetition_type: 'OPTIONAL',
      converted_type: 'LIST',
      logical_type: { type: 'LIST' },
      num_children: 1,
    }
    return [list, { name: 'list', repetition_type: 'REPEATED', num_children: 1 }, ...elementsOf('element', shape.list)]
  }
  const members = Object.entries(shape.members)
  const group: SchemaElement = { name, repetition_type: 'OPTIONAL', num_children: members.length }
  return [group, ...members.flatMap(([member, inner]) => elementsOf(member, inner))]
}

type Values = Int32Array | BigInt64Array | Float64Array | unknown[]

function valuesOf(column: BatchColumn, rows: number, shape: NestedShape | undefined): Values {
  if (shape !== undefined) return [...nestedValues(column, rows, shape)]
  const { type, nulls, valid, items, ends } = column
  const isNull = (row: number): boolean => nulls > 0 && ((valid[row >> 3]! >> (row & 7)) & 1) === 0
  if (ends.length > 0) {
    const text = Buffer.from(items.buffer as ArrayBuffer, items.byteOffset, items.byteLength)
    return Array.from({ length: rows }, (_, row) => (isNull(row) ? null : text.toString('utf8', ends[row], ends[row + 1])))
  }
  if (type === 'boolean') return Array.from({ length: rows }, (_, row) => (isNull(row) ? null : items[row] === 1))
  if (nulls === 0) return items as Int32Array
  return Array.from({ length: rows }, (_, row) => (isNull(row) ? null : items[row]!))
}
