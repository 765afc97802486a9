import { encodeSlot } from './encode-slot.ts'
import { recycle } from './sink.ts'

export type Body = Buffer | BodyStream

/** Body that is encoded while the consumer reads. Can be read only once. */
export interface BodyStream extends AsyncIterable<Buffer> {
  /**
   * Resolves after the last piece, a cancellation or an error. The value is the error, or null. The
   * rows can then be freed.
   */
  readonly ended: Promise<unknown>
  /** Safe to call twice. */
  cancel(): void
  /**
   * Allows later pieces to overwrite sent pieces. Do not call if pieces are stored. Absent if each
   * piece has its own memory.
   *
   * @param areSent function that returns true if earlier pieces are no longer needed
   */
  reuse?(areSent: () => boolean): void
}

/** Larger bodies are streamed. */
const WHOLE_BYTES = 512 * 1_024
/** Short answers wait for up to this time in each turn of the event loop. */
const SLICE_MS = 0.5

/**
 * Returns a stream if the body is larger than `WHOLE_BYTES`.
 * @throws errors of the first pieces
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
    let since = performance.now()
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
        if (performance.now() - since < SLICE_MS) continue
        await encodeSlot()
        since = performance.now()
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
