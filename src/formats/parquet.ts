import { zstdCompressSync } from 'node:zlib'
import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer'
import type { ColumnType } from '../../catalog/index.ts'
import { type BatchColumn, batches } from './batches.ts'
import { describedColumn, ENVELOPE_KEY } from './described.ts'
import type { Frame, Pieces, RowSet } from './encoder.ts'

/** Cells of a row group. It is written column by column, about 1 ms each. */
const CELLS = 65_536
const LEAST_ROWS = 1_024
const MOST_ROWS = 8_192

/**
 * Encodes Parquet with zstd compression and statistics. The file metadata contains the envelope and
 * describes the columns.
 */
export function* encodeParquet(rows: RowSet, [head, tail]: Frame): Pieces {
  const { names, columns, page } = rows
  const described = Object.fromEntries(names.map(name => [name, describedColumn(columns[name]!)]))
  const bytes = new ByteWriter()
  const file = new ParquetWriter({
    writer: bytes,
    schema: schemaOf(rows, names),
    createdBy: 'twmd',
    kvMetadata: [
      { key: ENVELOPE_KEY, value: `${head}${tail}` },
      { key: `${ENVELOPE_KEY}.columns`, value: JSON.stringify(described) },
    ],
  })
  const columnWriters = names.map(name => columnWriter(rows, name, file))
  const takePiece = (): Buffer => {
    const piece = Buffer.from(bytes.getBytes())
    bytes.index = 0
    return piece
  }
  const size = Math.min(MOST_ROWS, Math.max(LEAST_ROWS, Math.floor(CELLS / names.length)))
  for (const batch of page.rows === 0 ? [] : batches(rows, size)) {
    const chunks: ColumnChunk[] = []
    for (const [index, column] of batch.columns.entries()) {
      chunks.push(columnWriters[index]!(column, batch.rows))
      yield takePiece()
    }
    addRowGroup(file, batch.rows, chunks)
  }
  file.finish()
  yield takePiece()
}

type ColumnChunk = ParquetWriter['row_groups'][number]['columns'][number]

/**
 * Writes the chunks of one column. The library would write all columns of a row group synchronously
 * and block the event loop for too long. So each column has its own writer for the bytes of the
 * same file, and its chunk metadata is moved to the file.
 */
function columnWriter(rows: RowSet, name: string, file: ParquetWriter): (column: BatchColumn, count: number) => ColumnChunk {
  const columnFile = new ParquetWriter({
    writer: new ByteWriter(),
    schema: schemaOf(rows, [name]),
    codec: 'ZSTD',
    compressors: { ZSTD: plain => zstdCompressSync(plain) },
  })
  columnFile.writer = file.writer
  return (column, count) => {
    columnFile.write({ columnData: [{ name, data: valuesOf(column, count) }], rowGroupSize: count })
    file.pendingIndexes.push(...columnFile.pendingIndexes.splice(0))
    return columnFile.row_groups.pop()!.columns[0]!
  }
}

/** Adds the metadata of a row group. @param columns written chunks in column order */
function addRowGroup(file: ParquetWriter, rows: number, columns: ColumnChunk[]): void {
  const sum = (name: 'total_uncompressed_size' | 'total_compressed_size'): bigint =>
    columns.reduce((all, { meta_data }) => all + meta_data![name], 0n)
  const sizes = { total_byte_size: sum('total_uncompressed_size'), total_compressed_size: sum('total_compressed_size') }
  file.row_groups.push({ columns, num_rows: BigInt(rows), ...sizes })
  file.num_rows += BigInt(rows)
}

/** Timestamps are UTC instants. JSON values are sent as text. */
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

const schemaOf = ({ columns }: RowSet, names: readonly string[]): SchemaElement[] => [
  { name: 'rows', num_children: names.length },
  ...names.map(name => ({ name, repetition_type: 'OPTIONAL' as const, ...ELEMENTS[columns[name]!.type] })),
]

type Values = Int32Array | BigInt64Array | Float64Array | (string | number | bigint | boolean | null)[]

/**
 * Values for the library. Fixed-width columns without nulls are the typed array itself, other
 * columns a list.
 */
function valuesOf({ type, nulls, valid, items, ends }: BatchColumn, rows: number): Values {
  const isNull = (row: number): boolean => nulls > 0 && ((valid[row >> 3]! >> (row & 7)) & 1) === 0
  if (ends.length > 0) {
    const text = Buffer.from(items.buffer as ArrayBuffer, items.byteOffset, items.byteLength)
    return Array.from({ length: rows }, (_, row) => (isNull(row) ? null : text.toString('utf8', ends[row], ends[row + 1])))
  }
  if (type === 'boolean') return Array.from({ length: rows }, (_, row) => (isNull(row) ? null : items[row] === 1))
  if (nulls === 0) return items as Int32Array
  return Array.from({ length: rows }, (_, row) => (isNull(row) ? null : items[row]!))
}
