import { encodeSlot } from './encode-slot.ts'
import { recycle } from './sink.ts'

/**
 * Bytes of an answer. A short answer is one buffer. A long answer is a stream that is encoded while
 * it is sent.
 */
export type Body = Buffer | BodyStream

/**
 * Body that is encoded piece by piece, when the consumer requests the next piece. Can be read only
 * once. Yields to the event loop between pieces.
 */
export interface BodyStream extends AsyncIterable<Buffer> {
  /**
   * Resolves when the body has ended and its rows can be freed. The value is null after the last
   * piece or a cancellation. Otherwise the value is the error.
   */
  readonly ended: Promise<unknown>
  /** Stops encoding and resolves `ended`. A second call has no effect. */
  cancel(): void
  /**
   * Allows the memory of sent pieces to be used for later pieces. Consumers that store pieces must
   * not call this function. Absent if each piece has its own memory.
   *
   * @param areSent called before a piece is encoded; must return true if earlier pieces are no
   * longer needed
   */
  reuse?(areSent: () => boolean): void
}

/**
 * Maximum size of a body that is encoded completely before it is sent. Such a body has a
 * Content-Length.
 */
const WHOLE_BYTES = 512 * 1_024
/** `openBody` yields to the event loop after encoding for this time. */
const SLICE_MS = 1

/**
 * Encodes a body until it is complete or exceeds `WHOLE_BYTES`. In the second case, returns a
 * stream that encodes the rest.
 *
 * @param encoded pieces from an encoder
 * @throws errors of encoding the first pieces. The stream throws later errors.
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
