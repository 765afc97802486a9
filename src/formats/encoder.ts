import type { Column } from '../../catalog/index.ts'
import type { Chunk } from '../engine/index.ts'
import type { RowTexts } from '../row-cache/index.ts'

/** Rows of one answer. Their encoded text may be cached. */
export interface PageChunk extends Chunk {
  /**
   * Text cache of the block that contains the rows, and the block's row number of the first row.
   * Present only if all columns are sent in dataset order.
   */
  readonly textCache?: { readonly texts: RowTexts; readonly from: number }
}

/** The rows of one answer as vectors. */
export interface Page {
  readonly chunks: readonly PageChunk[]
  /** Number of rows of this answer. The chunks may contain one more row, which is not sent. */
  readonly rows: number
  /** True if there is a next page. */
  readonly more: boolean
  /**
   * Index of each selected column: first the columns to send, then the columns that are read only
   * for the envelope.
   */
  readonly position: ReadonlyMap<string, number>
}

/** A page and the columns to send, in order. */
export interface RowSet {
  readonly columns: Readonly<Record<string, Column>>
  readonly names: readonly string[]
  readonly page: Page
}

/** JSON text before and after the rows. Joined, they are the envelope without rows. */
export type Frame = readonly [head: string, tail: string]

export interface EncodeOptions {
  /** Starts CSV with a byte order mark. */
  readonly bom?: boolean
}

/** An output format. */
export interface Encoder {
  /** Value of the `Content-Type` header. */
  readonly mediaType: string
  /** File name extension, without the dot. */
  readonly extension: string
  /** True if the format is already compressed. */
  readonly isCompressed?: true
  /**
   * Encodes a body in pieces of any length. Each piece is encoded on demand, in a few milliseconds,
   * and may reuse the memory of earlier pieces. The rows must stay valid until the last piece.
   * Formats without an envelope ignore the frame. Asynchronous if the format's library is loaded on
   * first use.
   */
  encode(rows: RowSet, frame: Frame, options?: EncodeOptions): Pieces | Promise<Pieces>
}

/** A body in pieces. */
export type Pieces = Generator<Buffer, void>
