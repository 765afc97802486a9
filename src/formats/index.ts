/** Encoders from rows to bytes, one per output format. */
import type { Format } from '../../catalog/index.ts'
import { csv } from './csv.ts'
import type { Encoder } from './encoder.ts'
import { json, ndjson } from './json.ts'

export { type Body, type BodyStream, openBody } from './body.ts'
export { encodeSlot } from './encode-slot.ts'
export type { EncodeOptions, Encoder, Frame, Page, PageChunk, Pieces, RowSet } from './encoder.ts'
export { encodeJsonRows } from './json.ts'
export { bytesFor } from './sink.ts'
export { valueRows } from './value-rows.ts'

export const ENCODERS: Readonly<Record<Format, Encoder>> = {
  json,
  csv,
  ndjson,
  arrow: {
    mediaType: 'application/vnd.apache.arrow.stream',
    extension: 'arrows',
    encode: async (rows, frame) => (await import('./arrow.ts')).encodeArrow(rows, frame),
  },
  parquet: {
    mediaType: 'application/vnd.apache.parquet',
    extension: 'parquet',
    isCompressed: true,
    encode: async (rows, frame) => (await import('./parquet.ts')).encodeParquet(rows, frame),
  },
}
