import { zstdCompressSync } from 'node:zlib'
import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer'
import type { ColumnType } from '../../catalog/index.ts'
import { type BatchColumn, batches } from './batches.ts'
import { describedColumn, ENVELOPE_KEY } from './described.ts'
import type { Frame, Pieces, RowSet } from './encoder.ts'

/** Cells of a row group, which is written column by column: about a millisecond each. */
const CELLS = 65_536
const [FEWEST_ROWS, MOST_ROWS] = [1_024, 8_192]

/** Parquet, compressed with zstd, with statistics. The file's metadata hold the envelope, and what each column means. */
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
  const taken = (): Buffer => {
    const piece = Buffer.from(bytes.getBytes())
    bytes.index = 0
    return piece
  }
  const size = Math.min(MOST_ROWS, Math.max(FEWEST_ROWS, Math.floor(CELLS / names.length)))
  for (const batch of page.rows === 0 ? [] : batches(rows, size)) {
    const chunks: ColumnChunk[] = []
    for (const [index, column] of batch.columns.entries()) {
      chunks.push(columnWriters[index]!(column, batch.rows))
      yield taken()
    }
    addRowGroup(file, batch.rows, chunks)
  }
  file.finish()
  yield taken()
}

type ColumnChunk = ParquetWriter['row_groups'][number]['columns'][number]

/**
 * Writes the chunks of one column. The library writes a row group in one go, which holds everybody for too long: a file of that column alone
 * lends its chunks to the file of all of them, into whose bytes they are written.
 */
function columnWriter(rows: RowSet, name: string, file: ParquetWriter): (column: BatchColumn, count: number) => ColumnChunk {
  const alone = new ParquetWriter({
    writer: new ByteWriter(),
    schema: schemaOf(rows, [name]),
    codec: 'ZSTD',
    compressors: { ZSTD: plain => zstdCompressSync(plain) },
  })
  alone.writer = file.writer
  return (column, count) => {
    alone.write({ columnData: [{ name, data: valuesOf(column, count) }], rowGroupSize: count })
    file.pendingIndexes.push(...alone.pendingIndexes.splice(0))
    return alone.row_groups.pop()!.columns[0]!
  }
}

/** Completes a row group of chunks that were written, in the order of the columns. */
function addRowGroup(file: ParquetWriter, rows: number, columns: ColumnChunk[]): void {
  const sum = (name: 'total_uncompressed_size' | 'total_compressed_size'): bigint =>
    columns.reduce((all, { meta_data }) => all + meta_data![name], 0n)
  const sizes = { total_byte_size: sum('total_uncompressed_size'), total_compressed_size: sum('total_compressed_size') }
  file.row_groups.push({ columns, num_rows: BigInt(rows), ...sizes })
  file.num_rows += BigInt(rows)
}

/** Timestamps are instants; a column of JSON values holds their text. */
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

/** Typed arrays as they are where nothing is null; else a list of values. */
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
