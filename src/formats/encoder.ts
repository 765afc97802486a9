import type { Column } from '../../catalog/index.ts'
import type { Chunk } from '../engine/index.ts'
import type { RowTexts } from '../row-cache/index.ts'

/** Rows of one answer, of which texts may be kept. */
export interface PageChunk extends Chunk {
  /** Of the block that the rows lie in, from row `from` of it on. Absent where not every column is sent, in the dataset's order. */
  readonly kept?: { readonly texts: RowTexts; readonly from: number }
}

/** The rows of one answer, still as vectors. */
export interface Page {
  readonly chunks: readonly PageChunk[]
  /** Number of rows in this answer; the chunks may hold one more. */
  readonly rows: number
  /** Another page follows. */
  readonly more: boolean
  /** Index of each selected column: the columns to send first, then any that only the envelope measures. */
  readonly position: ReadonlyMap<string, number>
}

/** A page and the columns to send, in order. */
export interface RowSet {
  readonly columns: Readonly<Record<string, Column>>
  readonly names: readonly string[]
  readonly page: Page
}

/** JSON text before and after the rows. The two together are the same envelope without rows. */
export type Frame = readonly [head: string, tail: string]

/** What a caller may choose of a format. */
export interface EncodeOptions {
  /** CSV begins with a byte order mark. */
  readonly bom?: boolean
}

/** One output format. */
export interface Encoder {
  /** Value of the `Content-Type` header. */
  readonly mediaType: string
  /** Of a file with such a body, without the dot. */
  readonly extension: string
  /** The bytes are compressed already; false when absent. */
  readonly isCompressed?: true
  /**
   * Encodes a body in pieces that may be cut anywhere. A piece is made when it is asked for, each in a few milliseconds, and what came
   * before it may be gone by then; the rows have to stay until the last one. Formats that carry rows only leave the frame out.
   * One whose library is loaded when it is first asked for promises them.
   */
  encode(rows: RowSet, frame: Frame, options?: EncodeOptions): Pieces | Promise<Pieces>
}

/** A body in pieces. */
export type Pieces = Generator<Buffer, void>
