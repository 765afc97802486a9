import { zstdCompressSync } from 'node:zlib'
import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer'
import type { ColumnType } from '../../catalog/index.ts'
import { type BatchColumn, batches } from './batches.ts'
import { describedColumn, ENVELOPE_KEY } from './described.ts'
import type { Frame, Pieces, RowSet } from './encoder.ts'

/** Cells of a row group, which is written in one go: about ten milliseconds. */
const CELLS = 65_536
const [FEWEST_ROWS, MOST_ROWS] = [1_024, 8_192]

/** Parquet, compressed with zstd, with statistics. The file's metadata hold the envelope, and what each column means. */
export function* encodeParquet(rows: RowSet, [head, tail]: Frame): Pieces {
  const { names, columns, page } = rows
  const described = Object.fromEntries(names.map(name => [name, describedColumn(columns[name]!)]))
  const bytes = new ByteWriter()
  const writer = new ParquetWriter({
    writer: bytes,
    schema: schemaOf(rows),
    codec: 'ZSTD',
    compressors: { ZSTD: plain => zstdCompressSync(plain) },
    createdBy: 'twmd',
    kvMetadata: [
      { key: ENVELOPE_KEY, value: `${head}${tail}` },
      { key: `${ENVELOPE_KEY}.columns`, value: JSON.stringify(described) },
    ],
  })
  const taken = (): Buffer => {
    const piece = Buffer.from(bytes.getBytes())
    bytes.index = 0
    return piece
  }
  const size = Math.min(MOST_ROWS, Math.max(FEWEST_ROWS, Math.floor(CELLS / names.length)))
  for (const batch of page.rows === 0 ? [] : batches(rows, size)) {
    writer.write({
      columnData: batch.columns.map((column, index) => ({ name: names[index]!, data: valuesOf(column, batch.rows) })),
      rowGroupSize: batch.rows,
    })
    yield taken()
  }
  writer.finish()
  yield taken()
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

const schemaOf = ({ columns, names }: RowSet): SchemaElement[] => [
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
