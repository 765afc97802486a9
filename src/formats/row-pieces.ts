import type { Chunk } from '../engine/index.ts'
import type { Page } from './encoder.ts'
import type { Sink } from './sink.ts'

/** Writes rows of one chunk, from the first up to, not including, the last. */
export type WriteRows = (first: number, last: number) => void

/** Rows written before full chunks of the sink are handed out. */
const ROWS_A_TURN = 128

/** Writes a page's rows into the sink and hands out what is full. The rest stays in the sink. */
export function* rowPieces(sink: Sink, page: Page, writerOf: (chunk: Chunk) => WriteRows): Generator<Buffer, void> {
  let left = page.rows
  for (const chunk of page.chunks) {
    const write = writerOf(chunk)
    const count = Math.min(chunk.rows, left)
    for (let row = 0; row < count; row += ROWS_A_TURN) {
      write(row, Math.min(row + ROWS_A_TURN, count))
      if (sink.full.length > 0) yield* sink.full.splice(0)
    }
    left -= count
    chunk.done?.()
  }
}
