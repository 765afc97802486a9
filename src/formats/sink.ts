/** Append-only byte buffer. Call `reserve` before writing. */
export interface Sink {
  readonly full: Buffer[]
  bytes: Buffer
  view: DataView
  /** End of the last complete row in `bytes`. */
  offset: number
}

/** Pieces of long answers. Encoding this many bytes of JSON takes about 0.15 ms. */
const CHUNK_BYTES = 32 * 1_024
/** Largest answer that is one piece. */
const LARGEST_PIECE = 256 * 1_024

const spare: Buffer[] = []
const MOST_SPARE = 64
const lent = new WeakSet<ArrayBufferLike>()

function chunkFor(minBytes: number): Buffer {
  if (minBytes > CHUNK_BYTES) return Buffer.allocUnsafeSlow(minBytes)
  const chunk = spare.pop() ?? Buffer.allocUnsafeSlow(CHUNK_BYTES)
  lent.add(chunk.buffer)
  return chunk
}

/** Makes buffers available for later answers. Do not read the buffers after this call. */
export function recycle(pieces: readonly Buffer[]): void {
  for (const { buffer } of pieces) {
    if (lent.delete(buffer) && spare.length < MOST_SPARE) spare.push(Buffer.from(buffer))
  }
}

/** Buffer that short answers share. An allocation takes as long as encoding ten rows. */
const SLAB_BYTES = 1_024 * 1_024
const LARGEST_SLICE = 64 * 1_024
let slab = Buffer.allocUnsafeSlow(0)
let used = 0

/** The bytes have arbitrary values. */
export function bytesFor(length: number): Buffer {
  if (length > LARGEST_SLICE) return Buffer.allocUnsafe(length)
  if (used + length > slab.length) {
    slab = Buffer.allocUnsafeSlow(SLAB_BYTES)
    used = 0
  }
  const from = used
  used = aligned(from + length)
  return slab.subarray(from, from + length)
}

const aligned = (offset: number): number => (offset + 7) & ~7

/** Frees the bytes after `length`. Has an effect only for the newest slice. */
function shorten({ buffer, byteOffset, length: former }: Buffer, length: number): void {
  if (buffer === slab.buffer && aligned(byteOffset + former) === used) used = aligned(byteOffset + length)
}

export function createSink(expectedBytes: number): Sink {
  const bytes = expectedBytes > LARGEST_PIECE ? chunkFor(CHUNK_BYTES) : bytesFor(expectedBytes)
  return { full: [], bytes, view: viewOf(bytes), offset: 0 }
}

/** @returns offset at which to write. 0 after a change of the buffer */
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

export const discard = ({ bytes }: Sink): void => shorten(bytes, 0)

const viewOf = ({ buffer, byteOffset, byteLength }: Buffer): DataView => new DataView(buffer, byteOffset, byteLength)

/** Short text in words of 8 bytes, for speed. */
export interface Word {
  readonly length: number
  /** Little-endian, padded with zeros. */
  readonly octets: Float64Array
}

export function wordOf(text: string): Word {
  const bytes = Buffer.from(text)
  const padded = Buffer.alloc(Math.ceil(bytes.length / 8) * 8)
  bytes.copy(padded)
  return { length: bytes.length, octets: Float64Array.from({ length: padded.length / 8 }, (_, index) => padded.readDoubleLE(8 * index)) }
}

/**
 * Overwrites up to seven more bytes.
 * @returns offset of the next byte
 */
export function writeWord(view: DataView, offset: number, { length, octets }: Word): number {
  for (let index = 0; index < octets.length; index++) view.setFloat64(offset + 8 * index, octets[index]!, true)
  return offset + length
}
