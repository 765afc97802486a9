import { PAGE_ROWS, type RowText, type RowTexts } from '../row-cache/index.ts'
import type { PageChunk } from './encoder.ts'
import type { WriteRows } from './row-pieces.ts'
import { createSink, discard, reserve, type Sink } from './sink.ts'

/**
 * Copies the cached text of rows. Encodes and caches rows that have no text yet.
 *
 * @param maxRowBytes maximum size of a row without long texts
 * @param writerTo returns a writer of rows. The rows may be outside of the chunk
 */
export function cachedRowWriter(
  sink: Sink,
  { texts, from }: NonNullable<PageChunk['textCache']>,
  maxRowBytes: number,
  writerTo: (sink: Sink) => WriteRows,
): WriteRows {
  let write: WriteRows | undefined
  return (first, last) => {
    for (let row = from + first; row < from + last; ) {
      const page = Math.floor(row / PAGE_ROWS)
      const begin = page * PAGE_ROWS
      const end = Math.min(begin + PAGE_ROWS, from + last)
      const text = texts.textOf(page) ?? (texts.shouldCache(page) ? encodeText(texts, page, from, maxRowBytes, writerTo) : undefined)
      if (text) copyRows(sink, text, row - begin, end - begin)
      else {
        write ??= writerTo(sink)
        write(row - from, end - from)
      }
      row = end
    }
  }
}

function copyRows(sink: Sink, { bytes, starts }: RowText, first: number, last: number): void {
  const begin = starts[first]!
  const end = starts[last]!
  const offset = reserve(sink, sink.offset, end - begin)
  bytes.copy(sink.bytes, offset, begin, end)
  sink.offset = offset + end - begin
}

const MOST_TEXT_BYTES = 65_536

/** Undefined if the text is too long for the cache. */
function encodeText(
  texts: RowTexts,
  page: number,
  from: number,
  maxRowBytes: number,
  writerTo: (sink: Sink) => WriteRows,
): RowText | undefined {
  const begin = page * PAGE_ROWS
  const rows = Math.min(PAGE_ROWS, texts.rows - begin)
  const own = createSink(Math.min(MOST_TEXT_BYTES, (rows + 1) * maxRowBytes))
  const write = writerTo(own)
  const starts = [0]
  for (let row = 0; row < rows; row++) {
    write(begin - from + row, begin - from + row + 1)
    if (own.full.length > 0) {
      texts.exclude(page)
      return undefined
    }
    starts.push(own.offset)
  }
  // Copies the bytes, because a slice would retain the whole buffer.
  const bytes = Buffer.allocUnsafeSlow(own.offset)
  own.bytes.copy(bytes, 0, 0, own.offset)
  discard(own)
  const text = { bytes, starts }
  texts.store(page, text)
  return text
}
