import type { Chunk } from '../engine/index.ts'
import type { Page } from './encoder.ts'
import type { Sink } from './sink.ts'

/** Writes the rows from `first` (inclusive) to `last` (exclusive) of one chunk. */
export type WriteRows = (first: number, last: number) => void

/** After this number of rows, full buffers of the sink are yielded. */
const ROWS_PER_WRITE = 128

/**
 * Writes the rows of a page to the sink and yields each buffer that is full. The last buffer stays
 * in the sink.
 */
export function* rowPieces(sink: Sink, page: Page, writerOf: (chunk: Chunk) => WriteRows): Generator<Buffer, void> {
  let remaining = page.rows
  for (const chunk of page.chunks) {
    const write = writerOf(chunk)
    const count = Math.min(chunk.rows, remaining)
    for (let row = 0; row < count; row += ROWS_PER_WRITE) {
      write(row, Math.min(row + ROWS_PER_WRITE, count))
      if (sink.full.length > 0) yield* sink.full.splice(0)
    }
    remaining -= count
    chunk.free?.()
  }
}
