/** An append-only byte buffer in chunks: a full chunk is set aside and never copied. Call `room` before writing. */
export interface Sink {
  readonly full: Buffer[]
  bytes: Buffer
  /** A view of `bytes`, for writing whole words. */
  view: DataView
  /** Offset of the next row. */
  at: number
}

/** What is made between two turns of others: a millisecond's worth of JSON. */
const CHUNK_BYTES = 256 * 1_024

/**
 * Chunks that left, to be written again. Fresh memory costs more than the bytes written into it, and calls the garbage collector, which holds
 * everybody for longer than a piece.
 */
const spare: Buffer[] = []
const MOST_SPARE = 64
const lent = new WeakSet<ArrayBufferLike>()

function chunkFor(least: number): Buffer {
  if (least > CHUNK_BYTES) return Buffer.allocUnsafeSlow(least)
  const chunk = spare.pop() ?? Buffer.allocUnsafeSlow(CHUNK_BYTES)
  lent.add(chunk.buffer)
  return chunk
}

/** Takes back the chunks that pieces are of, which nobody may look at any more; of other pieces nothing. */
export function giveBack(pieces: readonly Buffer[]): void {
  for (const { buffer } of pieces) {
    if (lent.delete(buffer) && spare.length < MOST_SPARE) spare.push(Buffer.from(buffer))
  }
}

/** Short answers are cut out of one larger buffer each after the other: an allocation of its own costs as much as encoding ten rows. */
const SLAB_BYTES = 1_024 * 1_024
const LARGEST_CUT = 64 * 1_024
let slab = Buffer.allocUnsafeSlow(0)
let taken = 0

/** Bytes of nobody else; what they hold is left over from others. */
export function bytesFor(length: number): Buffer {
  if (length > LARGEST_CUT) return length === CHUNK_BYTES ? chunkFor(length) : Buffer.allocUnsafe(length)
  if (taken + length > slab.length) {
    slab = Buffer.allocUnsafeSlow(SLAB_BYTES)
    taken = 0
  }
  const from = taken
  // Whole words, so that views of any width can begin there.
  taken = (from + length + 7) & ~7
  return slab.subarray(from, from + length)
}

/** @param likely estimated number of bytes to be written */
export function createSink(likely: number): Sink {
  const bytes = bytesFor(Math.min(likely, CHUNK_BYTES))
  return { full: [], bytes, view: viewOf(bytes), at: 0 }
}

/** Makes room for `more` bytes at offset `at`. @returns the offset to write them at: `at`, or the start of a new chunk */
export function room(sink: Sink, at: number, more: number): number {
  if (at + more <= sink.bytes.length) return at
  sink.full.push(sink.bytes.subarray(0, at))
  sink.bytes = chunkFor(more)
  sink.view = viewOf(sink.bytes)
  return 0
}

/** Writes text at the end, as UTF-8. */
export function writeString(sink: Sink, text: string): void {
  const at = room(sink, sink.at, 3 * text.length)
  sink.at = at + sink.bytes.write(text, at)
}

/** Writes bytes at the end, over as many chunks as it takes. */
export function writeBytes(sink: Sink, bytes: Uint8Array): void {
  for (let from = 0; from < bytes.length; ) {
    const at = room(sink, sink.at, 1)
    const count = Math.min(bytes.length - from, sink.bytes.length - at)
    sink.bytes.set(bytes.subarray(from, from + count), at)
    sink.at = at + count
    from += count
  }
}

/** The chunks written so far. The sink must not be written to while they are in use. */
export const written = ({ full, bytes, at }: Sink): readonly Buffer[] => [...full, bytes.subarray(0, at)]

const viewOf = ({ buffer, byteOffset, byteLength }: Buffer): DataView => new DataView(buffer, byteOffset, byteLength)

/** A short byte string that is written often, stored as whole words. */
export interface Word {
  readonly length: number
  /** Eight bytes each, little-endian. The last may be padded with zeros, which the next write overwrites. */
  readonly octets: Float64Array
}

export function wordOf(text: string): Word {
  const bytes = Buffer.from(text)
  const padded = Buffer.alloc(Math.ceil(bytes.length / 8) * 8)
  bytes.copy(padded)
  return { length: bytes.length, octets: Float64Array.from({ length: padded.length / 8 }, (_, index) => padded.readDoubleLE(8 * index)) }
}

/** Writes up to seven bytes more than the word's length. @returns the offset of the next byte */
export function writeWord(view: DataView, at: number, { length, octets }: Word): number {
  for (let index = 0; index < octets.length; index++) view.setFloat64(at + 8 * index, octets[index]!, true)
  return at + length
}
