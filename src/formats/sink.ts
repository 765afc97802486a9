/** Bytes written one after another, in pieces: what is full is put aside, never copied. Call `room` before writing. */
export interface Sink {
  readonly full: Buffer[]
  bytes: Buffer
  /** The same bytes, for whole words. */
  view: DataView
  /** Where the next row goes. */
  at: number
}

/** Small enough that freed pieces are used again: fresh memory costs more than what is written into it. */
const PIECE = 256 * 1_024

/** @param likely bytes that will be written, as a guess */
export function openSink(likely: number): Sink {
  const bytes = Buffer.allocUnsafe(Math.min(likely, PIECE))
  return { full: [], bytes, view: viewOf(bytes), at: 0 }
}

/** Makes room for `more` bytes from `at` on. @returns where they go: `at`, or the start of a new piece */
export function room(sink: Sink, at: number, more: number): number {
  if (at + more <= sink.bytes.length) return at
  sink.full.push(sink.bytes.subarray(0, at))
  sink.bytes = Buffer.allocUnsafe(Math.max(PIECE, more))
  sink.view = viewOf(sink.bytes)
  return 0
}

/** The pieces written so far. The sink must not be written again while they are in use. */
export const written = ({ full, bytes, at }: Sink): readonly Buffer[] => [...full, bytes.subarray(0, at)]

const viewOf = ({ buffer, byteOffset, byteLength }: Buffer): DataView => new DataView(buffer, byteOffset, byteLength)
