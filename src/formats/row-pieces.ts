import type { Chunk } from '../engine/index.ts'
import type { Page } from './encoder.ts'
import type { Sink } from './sink.ts'

export type WriteRows = (first: number, last: number) => void

const ROWS_PER_WRITE = 128

/** Yields full buffers. The last buffer stays in the sink. */
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
