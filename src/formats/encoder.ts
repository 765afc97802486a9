import type { Column } from '../../catalog/index.ts'
import type { Chunk } from '../engine/index.ts'
import type { RowTexts } from '../row-cache/index.ts'

export interface PageChunk extends Chunk {
  /** Cached text of the rows. Row `from` is the first row of the chunk. */
  readonly textCache?: { readonly texts: RowTexts; readonly from: number }
}

export interface Page {
  readonly chunks: readonly PageChunk[]
  /** Number of rows to send. The chunks may contain one more row. */
  readonly rows: number
  readonly more: boolean
  /** Index of each column. The columns to send come first. */
  readonly position: ReadonlyMap<string, number>
}

export interface RowSet {
  readonly columns: Readonly<Record<string, Column>>
  readonly names: readonly string[]
  readonly page: Page
}

export type Frame = readonly [head: string, tail: string]

export interface EncodeOptions {
  readonly bom?: boolean
}

export interface Encoder {
  readonly mediaType: string
  readonly extension: string
  readonly isCompressed?: true
  /** Encodes pieces on request. A piece may overwrite earlier pieces. */
  encode(rows: RowSet, frame: Frame, options?: EncodeOptions): Pieces | Promise<Pieces>
}

export type Pieces = Generator<Buffer, void>
