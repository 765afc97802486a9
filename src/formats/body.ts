import { encodeSlot } from './encode-slot.ts'
import { recycle } from './sink.ts'

/**
 * The bytes of an answer. A short answer is one buffer. A long one is a stream that is encoded on
 * demand.
 */
export type Body = Buffer | BodyStream

/**
 * Encodes a body once, on demand, in pieces of any length. Yields to the event loop between pieces.
 */
export interface BodyStream extends AsyncIterable<Buffer> {
  /**
   * Resolves when the body has ended and its rows are no longer needed. The value is null after the
   * last piece or a cancellation, otherwise the error.
   */
  readonly ended: Promise<unknown>
  /** Stops encoding and resolves `ended`. Idempotent. */
  cancel(): void
  /**
   * Reuses the memory of pieces that were sent. Consumers that keep pieces must not call it. Absent
   * if every piece has its own memory.
   *
   * @param areSent called before a piece is encoded; returns true if no earlier piece is needed any
   * more
   */
  reuse?(areSent: () => boolean): void
}

/** Maximum size of a body that is encoded before it is sent and has a Content-Length. */
const WHOLE_BYTES = 512 * 1_024
/** Milliseconds of encoding after which `openBody` yields to the event loop. */
const SLICE_MS = 1

/**
 * Encodes a body until it is complete or longer than `WHOLE_BYTES`.
 *
 * @param encoded pieces of an encoder
 * @throws errors of encoding the first pieces; later errors are thrown by the stream
 */
export async function openBody(encoded: Iterator<Buffer> | Promise<Iterator<Buffer>>): Promise<Body> {
  const pieces = await encoded
  const encodedPieces: Buffer[] = []
  let length = 0
  let since = performance.now()
  for (let next = pieces.next(); !next.done; next = pieces.next()) {
    encodedPieces.push(next.value)
    length += next.value.length
    if (length > WHOLE_BYTES) return streamOf(encodedPieces, pieces)
    if (performance.now() - since < SLICE_MS) continue
    await encodeSlot()
    since = performance.now()
  }
  return encodedPieces.length === 1 ? encodedPieces[0]! : Buffer.concat(encodedPieces, length)
}

function streamOf(encodedPieces: readonly Buffer[], remaining: Iterator<Buffer>): BodyStream {
  const { promise: ended, resolve: end } = Promise.withResolvers<unknown>()
  const out: Buffer[] = []
  let areSent = (): boolean => false
  let cancelled = false
  const cancel = (): void => {
    cancelled = true
    end(null)
  }
  async function* pieces(): AsyncGenerator<Buffer, void> {
    try {
      for (const piece of encodedPieces) {
        out.push(piece)
        yield piece
      }
      for (;;) {
        if (areSent()) recycle(out.splice(0))
        // The rows were freed when the body was cancelled.
        if (cancelled) throw new Error('The body was already released.')
        const { value: piece, done } = remaining.next()
        if (done) break
        out.push(piece!)
        yield piece!
        await encodeSlot()
      }
    } catch (error) {
      end(error)
      throw error
    } finally {
      end(null)
    }
  }
  const reuse = (newAreSent: () => boolean): void => {
    areSent = newAreSent
  }
  return { ended, cancel, reuse, [Symbol.asyncIterator]: pieces }
}
