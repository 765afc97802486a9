import { PAGE_ROWS, type RowText, type RowTexts } from '../row-cache/index.ts'
import type { PageChunk } from './encoder.ts'
import type { WriteRows } from './row-pieces.ts'
import { createSink, room, type Sink } from './sink.ts'

/**
 * Writes rows as texts that are kept, and encodes the others; those asked for often enough are kept from then on.
 *
 * @param most bytes of a row without long text, at most
 * @param writerTo encodes rows of the chunk, and of its block around it, into a sink
 */
export function keptWriter(
  sink: Sink,
  { texts, from }: NonNullable<PageChunk['kept']>,
  most: number,
  writerTo: (sink: Sink) => WriteRows,
): WriteRows {
  let write: WriteRows | undefined
  return (first, last) => {
    for (let row = from + first; row < from + last; ) {
      const page = Math.floor(row / PAGE_ROWS)
      const [begin, end] = [page * PAGE_ROWS, Math.min((page + 1) * PAGE_ROWS, from + last)]
      const text = texts.textOf(page) ?? (texts.shouldCache(page) ? madeText(texts, page, from, most, writerTo) : undefined)
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
  const [begin, end] = [starts[first]!, starts[last]!]
  const at = room(sink, sink.at, end - begin)
  bytes.copy(sink.bytes, at, begin, end)
  sink.at = at + end - begin
}

/** Texts of pages up to this many bytes are kept. */
const LONGEST = 65_536

/** Encodes a page of a block, and keeps it. @returns undefined where its rows are long */
function madeText(texts: RowTexts, page: number, from: number, most: number, writerTo: (sink: Sink) => WriteRows): RowText | undefined {
  const begin = page * PAGE_ROWS
  const rows = Math.min(PAGE_ROWS, texts.rows - begin)
  const own = createSink(Math.min(LONGEST, (rows + 1) * most))
  const write = writerTo(own)
  const starts = [0]
  for (let row = 0; row < rows; row++) {
    write(begin - from + row, begin - from + row + 1)
    if (own.full.length > 0) {
      texts.exclude(page)
      return undefined
    }
    starts.push(own.at)
  }
  // A text cut out of memory that many share would keep all of that.
  const bytes = Buffer.allocUnsafeSlow(own.at)
  own.bytes.copy(bytes, 0, 0, own.at)
  const text = { bytes, starts }
  texts.store(page, text)
  return text
}
