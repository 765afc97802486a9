import type { Column } from '../../catalog/index.ts'
import type { Chunk } from '../engine/index.ts'
import type { RowTexts } from '../row-cache/index.ts'

/** Rows of an answer. The encoded text of the rows may be cached. */
export interface PageChunk extends Chunk {
  /**
   * Cache of the encoded rows of a block, and the position of the first row in this block. Absent
   * unless all columns are sent, in the order of the dataset.
   */
  readonly textCache?: { readonly texts: RowTexts; readonly from: number }
}

/** Rows of one answer, stored by column. */
export interface Page {
  readonly chunks: readonly PageChunk[]
  /** Number of rows to send. The chunks may contain one more row, which is not sent. */
  readonly rows: number
  /** True if the rows continue on a next page. */
  readonly more: boolean
  /**
   * Index of each selected column. Columns to send come first. Other columns follow, whose values
   * are needed only for the envelope (the metadata around the rows).
   */
  readonly position: ReadonlyMap<string, number>
}

/** A page with the columns to send, in order. */
export interface RowSet {
  readonly columns: Readonly<Record<string, Column>>
  readonly names: readonly string[]
  readonly page: Page
}

/**
 * JSON text before and after the rows. Both texts together are the envelope (the answer without its
 * rows).
 */
export type Frame = readonly [head: string, tail: string]

export interface EncodeOptions {
  /** True to start a CSV file with a byte order mark. */
  readonly bom?: boolean
}

export interface Encoder {
  /** Value of the `Content-Type` header. */
  readonly mediaType: string
  /** File name extension without the dot. */
  readonly extension: string
  /** True if the format itself compresses the data. */
  readonly isCompressed?: true
  /**
   * Encodes a body in pieces of any length. A piece is encoded when it is requested. This takes a
   * few milliseconds. A piece may overwrite the memory of earlier pieces. The rows must stay valid
   * until the last piece. Formats without an envelope ignore `frame`. The result is a promise if
   * the library of the format is loaded on first use.
   */
  encode(rows: RowSet, frame: Frame, options?: EncodeOptions): Pieces | Promise<Pieces>
}

export type Pieces = Generator<Buffer, void>
