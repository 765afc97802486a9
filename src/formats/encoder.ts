import type { Column } from '../../catalog/index.ts'
import type { Chunk } from '../engine/index.ts'
import type { RowTexts } from '../row-cache/index.ts'

export interface PageChunk extends Chunk {
  /** `from` is the first row in `texts`. Absent if columns are omitted or reordered. */
  readonly textCache?: { readonly texts: RowTexts; readonly from: number }
}

export interface Page {
  readonly chunks: readonly PageChunk[]
  /** Rows to send. The chunks may have one more row. */
  readonly rows: number
  readonly more: boolean
  /** Index of each selected column. Columns to send come first. */
  readonly position: ReadonlyMap<string, number>
}

export interface RowSet {
  readonly columns: Readonly<Record<string, Column>>
  readonly names: readonly string[]
  readonly page: Page
}

/** JSON text before and after the rows. */
export type Frame = readonly [head: string, tail: string]

export interface EncodeOptions {
  readonly bom?: boolean
}

export interface Encoder {
  readonly mediaType: string
  readonly extension: string
  readonly isCompressed?: true
  /**
   * Encodes a body in pieces, each on request. A piece may overwrite earlier pieces. Returns a
   * promise if the format's library is loaded on first use.
   */
  encode(rows: RowSet, frame: Frame, options?: EncodeOptions): Pieces | Promise<Pieces>
}

export type Pieces = Generator<Buffer, void>
