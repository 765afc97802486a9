import type { Column } from '../../catalog/index.ts'
import type { Chunk } from '../engine/index.ts'
import type { RowTexts } from '../row-cache/index.ts'

/** Rows of an answer. The encoded text of the rows may be cached. */
export interface PageChunk extends Chunk {
  /**
   * `texts` caches the encoded rows of a block, and `from` is the position of the first row in this
   * block. Absent if columns are omitted or reordered.
   */
  readonly textCache?: { readonly texts: RowTexts; readonly from: number }
}

export interface Page {
  readonly chunks: readonly PageChunk[]
  /** Number of rows to send. The chunks may contain one more row, which is not sent. */
  readonly rows: number
  readonly more: boolean
  /**
   * Index of each selected column. The columns to send come first. After them come columns whose
   * values are needed only for the envelope (the metadata around the rows).
   */
  readonly position: ReadonlyMap<string, number>
}

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
  readonly bom?: boolean
}

export interface Encoder {
  readonly mediaType: string
  readonly extension: string
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
