import type { Column } from '../../catalog/index.ts'
import type { Chunk } from '../engine/index.ts'
import type { RowTexts } from '../row-cache/index.ts'

/** Rows of one answer, whose encoded text may be cached. */
export interface PageChunk extends Chunk {
  /**
   * Text cache of the rows' block, and the block's row number of the first row. Absent unless all
   * columns are sent in the dataset's order.
   */
  readonly textCache?: { readonly texts: RowTexts; readonly from: number }
}

/** The rows of one answer as vectors. */
export interface Page {
  readonly chunks: readonly PageChunk[]
  /** Rows of this answer; the chunks may have one more. */
  readonly rows: number
  /** There is a next page. */
  readonly more: boolean
  /**
   * Index of each selected column: the columns to send first, then any that only the envelope
   * measures.
   */
  readonly position: ReadonlyMap<string, number>
}

/** A page and the columns to send, in order. */
export interface RowSet {
  readonly columns: Readonly<Record<string, Column>>
  readonly names: readonly string[]
  readonly page: Page
}

/** JSON text before and after the rows. Concatenated, they are the envelope with no rows. */
export type Frame = readonly [head: string, tail: string]

export interface EncodeOptions {
  /** CSV starts with a byte order mark. */
  readonly bom?: boolean
}

/** One output format. */
export interface Encoder {
  /** Value of the `Content-Type` header. */
  readonly mediaType: string
  /** File name extension, without the dot. */
  readonly extension: string
  /** The format is already compressed. False if absent. */
  readonly isCompressed?: true
  /**
   * Encodes a body in pieces of any length. Each piece is encoded on demand, in a few milliseconds,
   * and may reuse the memory of earlier ones. The rows must stay valid until the last piece.
   * Formats without an envelope ignore the frame. Asynchronous if the format's library is loaded on
   * first use.
   */
  encode(rows: RowSet, frame: Frame, options?: EncodeOptions): Pieces | Promise<Pieces>
}

/** A body in pieces. */
export type Pieces = Generator<Buffer, void>
