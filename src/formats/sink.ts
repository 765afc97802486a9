/**
 * Byte buffer that consists of chunks. Bytes can only be appended, and full chunks are never
 * copied. Callers must call `reserve` before they write.
 */
export interface Sink {
  readonly full: Buffer[]
  bytes: Buffer
  view: DataView
  /** Offset in `bytes` after the last complete row. */
  offset: number
}

/**
 * Number of bytes to encode before yielding to the event loop. Encoding this much JSON takes about
 * 1 ms.
 */
const CHUNK_BYTES = 256 * 1_024

/**
 * Chunks that were sent and can be used again. Allocating a chunk takes longer than writing it.
 * Allocation also triggers garbage collection, which blocks the event loop for longer than encoding
 * a chunk.
 */
const spare: Buffer[] = []
const MOST_SPARE = 64
const lent = new WeakSet<ArrayBufferLike>()

function chunkFor(minBytes: number): Buffer {
  if (minBytes > CHUNK_BYTES) return Buffer.allocUnsafeSlow(minBytes)
  const chunk = spare.pop() ?? Buffer.allocUnsafeSlow(CHUNK_BYTES)
  lent.add(chunk.buffer)
  return chunk
}

/**
 * Makes the chunks of sent pieces available for other answers. The caller must not use the pieces
 * afterwards. Other buffers are ignored.
 */
export function recycle(pieces: readonly Buffer[]): void {
  for (const { buffer } of pieces) {
    if (lent.delete(buffer) && spare.length < MOST_SPARE) spare.push(Buffer.from(buffer))
  }
}

/**
 * Size of the buffer from which short answers get slices. Allocating a separate buffer would take
 * as long as encoding ten rows.
 */
const SLAB_BYTES = 1_024 * 1_024
const LARGEST_SLICE = 64 * 1_024
let slab = Buffer.allocUnsafeSlow(0)
let used = 0

/** Returns a buffer that no other caller uses. The bytes have arbitrary values. */
export function bytesFor(length: number): Buffer {
  if (length > LARGEST_SLICE) return length === CHUNK_BYTES ? chunkFor(length) : Buffer.allocUnsafe(length)
  if (used + length > slab.length) {
    slab = Buffer.allocUnsafeSlow(SLAB_BYTES)
    used = 0
  }
  const from = used
  used = aligned(from + length)
  return slab.subarray(from, from + length)
}

/** Rounds an offset up to a multiple of 8. Views of any width can start at such an offset. */
const aligned = (offset: number): number => (offset + 7) & ~7

/**
 * Makes the bytes after `length` available again. Works only for the newest slice of the shared
 * buffer.
 */
function shorten({ buffer, byteOffset, length: former }: Buffer, length: number): void {
  if (buffer === slab.buffer && aligned(byteOffset + former) === used) used = aligned(byteOffset + length)
}

/** Creates an empty sink. @param expectedBytes estimated number of bytes to write */
export function createSink(expectedBytes: number): Sink {
  const bytes = bytesFor(Math.min(expectedBytes, CHUNK_BYTES))
  return { full: [], bytes, view: viewOf(bytes), offset: 0 }
}

/** Reserves `more` bytes. @returns offset at which to write: `offset`, or 0 in a new chunk */
export function reserve(sink: Sink, offset: number, more: number): number {
  if (offset + more <= sink.bytes.length) return offset
  sink.full.push(sink.bytes.subarray(0, offset))
  sink.bytes = chunkFor(more)
  sink.view = viewOf(sink.bytes)
  return 0
}

export function writeString(sink: Sink, text: string): void {
  const offset = reserve(sink, sink.offset, 3 * text.length)
  sink.offset = offset + sink.bytes.write(text, offset)
}

export function writeBytes(sink: Sink, bytes: Uint8Array): void {
  for (let from = 0; from < bytes.length; ) {
    const offset = reserve(sink, sink.offset, 1)
    const count = Math.min(bytes.length - from, sink.bytes.length - offset)
    sink.bytes.set(bytes.subarray(from, from + count), offset)
    sink.offset = offset + count
    from += count
  }
}

export function written({ full, bytes, offset }: Sink): readonly Buffer[] {
  shorten(bytes, offset)
  return [...full, bytes.subarray(0, offset)]
}

/** Ends a sink whose bytes are not needed. */
export const discard = ({ bytes }: Sink): void => shorten(bytes, 0)

const viewOf = ({ buffer, byteOffset, byteLength }: Buffer): DataView => new DataView(buffer, byteOffset, byteLength)

/** A short byte string that is written often. Stored as whole 8-byte words for speed. */
export interface Word {
  readonly length: number
  /**
   * Words of eight bytes, little-endian. The last word is padded with zeros, which the next write
   * overwrites.
   */
  readonly octets: Float64Array
}

export function wordOf(text: string): Word {
  const bytes = Buffer.from(text)
  const padded = Buffer.alloc(Math.ceil(bytes.length / 8) * 8)
  bytes.copy(padded)
  return { length: bytes.length, octets: Float64Array.from({ length: padded.length / 8 }, (_, index) => padded.readDoubleLE(8 * index)) }
}

/** Writes a word. Overwrites up to seven bytes after it. @returns offset of the next byte */
export function writeWord(view: DataView, offset: number, { length, octets }: Word): number {
  for (let index = 0; index < octets.length; index++) view.setFloat64(offset + 8 * index, octets[index]!, true)
  return offset + length
}
