import { giveBack } from './sink.ts'
import { turn } from './turn.ts'

/** The bytes of an answer: whole where they are few, otherwise made as they are taken. */
export type Body = Buffer | BodyStream

/** Bytes that are made as they are taken, once, in pieces cut anywhere. Between two pieces the event loop goes on. */
export interface BodyStream extends AsyncIterable<Buffer> {
  /**
   * Resolves once the last piece was taken or making one failed, or nobody takes any more: the rows are not needed from then on. With what
   * failed; null otherwise.
   */
  readonly over: Promise<unknown>
  /** Makes no more, and frees who waits for `over`. Once it is over this does nothing. */
  cancel(): void
  /**
   * From here on the memory of pieces is written again. Who keeps a piece never calls this. Absent where each piece has memory of its own.
   *
   * @param haveLeft asked before a piece is made: true where nobody needs any that was taken before
   */
  reuse?(haveLeft: () => boolean): void
}

/** Bodies up to this many bytes are made before they leave, in one write that says their length. */
const WHOLE_BYTES = 512 * 1_024
/** How long beginning a body may hold the event loop, in milliseconds. */
const SLICE_MS = 1

/**
 * Begins a body: encodes until it is whole, or too large for that.
 *
 * @param encoded an encoder's pieces
 * @throws whatever encoding the first pieces throws; what later ones throw, the stream does
 */
export async function openBody(encoded: Iterator<Buffer> | Promise<Iterator<Buffer>>): Promise<Body> {
  const pieces = await encoded
  const begun: Buffer[] = []
  let length = 0
  let since = performance.now()
  for (let next = pieces.next(); !next.done; next = pieces.next()) {
    begun.push(next.value)
    length += next.value.length
    if (length > WHOLE_BYTES) return streamOf(begun, pieces)
    if (performance.now() - since < SLICE_MS) continue
    await turn()
    since = performance.now()
  }
  return begun.length === 1 ? begun[0]! : Buffer.concat(begun, length)
}

function streamOf(begun: readonly Buffer[], pieces: Iterator<Buffer>): BodyStream {
  const { promise: over, resolve: end } = Promise.withResolvers<unknown>()
  const out: Buffer[] = []
  let haveLeft = (): boolean => false
  let cancelled = false
  const cancel = (): void => {
    cancelled = true
    end(null)
  }
  async function* taken(): AsyncGenerator<Buffer, void> {
    try {
      for (const piece of begun) {
        out.push(piece)
        yield piece
      }
      for (;;) {
        if (haveLeft()) giveBack(out.splice(0))
        // Its rows are gone with it.
        if (cancelled) throw new Error('A body is taken that was given up.')
        const { value: piece, done } = pieces.next()
        if (done) break
        out.push(piece!)
        yield piece!
        await turn()
      }
    } catch (error) {
      end(error)
      throw error
    } finally {
      end(null)
    }
  }
  const reuse = (told: () => boolean): void => {
    haveLeft = told
  }
  return { over, cancel, reuse, [Symbol.asyncIterator]: taken }
}
