import type { Column } from '../../catalog/index.ts'
import type { Chunk } from '../engine/index.ts'

/** The rows of one answer, still as DuckDB vectors. */
export interface Page {
  readonly chunks: readonly Chunk[]
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

/** One output format. */
export interface Encoder {
  /** Value of the `Content-Type` header. */
  readonly mediaType: string
  /**
   * Encodes a whole body, in buffers that may be split anywhere.
   *
   * @param frame JSON text before and after the rows; formats that carry rows only leave it out
   */
  encode(rows: RowSet, frame: readonly [head: string, tail: string]): Promise<readonly Buffer[]>
}
