import type { Chunk } from '../engine/index.ts'

/** The rows of one answer, still as vectors: `columns` first, then any the envelope measures. */
export interface Page {
  readonly chunks: readonly Chunk[]
  /** Rows of this answer; the chunks may hold one more. */
  readonly rows: number
  /** Another page follows. */
  readonly more: boolean
  /** Position of each selected column. */
  readonly position: ReadonlyMap<string, number>
}
