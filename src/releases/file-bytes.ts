import { type FileHandle, open } from 'node:fs/promises'

/** Some bytes of a file, read as they are taken, once. */
export interface FileBytes extends AsyncIterable<Buffer> {
  /** Resolves once the file is closed: the last byte was taken, reading failed, or nobody takes any more. With what failed; null otherwise. */
  readonly over: Promise<unknown>
  /** Reads no more, and closes the file. Once it is over this does nothing. */
  cancel(): void
}

/** Bytes read at a time. */
const PIECE_BYTES = 1 << 18
/** Bytes of an open file in memory at most: one piece that leaves, one that waits and one that is being read. */
export const OPEN_FILE_BYTES = 3 * PIECE_BYTES

/**
 * Opens a file and reads some of its bytes, the next piece while one leaves. It goes on to the end even where the file is removed or
 * replaced meanwhile. Where the file is shorter than it should be, taking its bytes fails.
 *
 * @param bytes how many, from `from`
 * @throws what opening it throws
 */
export async function openFileBytes(path: string, from: number, bytes: number): Promise<FileBytes> {
  const file = await open(path)
  const { promise: over, resolve: end } = Promise.withResolvers<unknown>()
  let closing: Promise<void> | undefined
  const close = (failure: unknown): Promise<void> => (closing ??= file.close().then(() => end(failure), end))
  async function* taken(): AsyncGenerator<Buffer, void> {
    try {
      let next = readPiece(file, from, bytes)
      for (let at = 0; at < bytes; ) {
        const piece = await next
        at += piece.length
        if (at < bytes) next = readAhead(readPiece(file, from + at, bytes - at))
        yield piece
      }
    } catch (error) {
      await close(error)
      throw error
    } finally {
      await close(null)
    }
  }
  return { over, cancel: () => void close(null), [Symbol.asyncIterator]: taken }
}

/** What is read ahead may fail before anybody asks for it. */
function readAhead(piece: Promise<Buffer>): Promise<Buffer> {
  piece.catch(() => {})
  return piece
}

async function readPiece(file: FileHandle, position: number, most: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(Math.min(most, PIECE_BYTES))
  const { bytesRead } = await file.read(buffer, 0, buffer.length, position)
  if (bytesRead === 0) throw new Error('a file of rows became shorter while it was sent')
  return buffer.subarray(0, bytesRead)
}
