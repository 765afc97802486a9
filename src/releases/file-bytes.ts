import { type FileHandle, open } from 'node:fs/promises'

/** Where bytes are sent to, such as an answer. */
export interface Sink {
  /** Calls back once the bytes are handed to the system, or never will be. */
  write(bytes: Buffer, done: (error?: Error | null) => void): unknown
}

/** Some bytes of an open file, to be sent once. */
export interface FileBytes {
  /** Resolves once the file is closed: the last byte was sent, sending failed, or it was given up. With what failed; null otherwise. */
  readonly over: Promise<unknown>
  /** Sends all of them, as fast as they are taken. @throws what reading or the sink throws, and where the file became shorter */
  sendTo(sink: Sink): Promise<void>
  /** Sends no more, and closes the file. Once it is over this does nothing. */
  cancel(): void
}

/** Bytes read at a time. */
const PIECE_BYTES = 1 << 19
/** Memory of an open file: one piece leaves while the next is read. */
export const OPEN_FILE_BYTES = 2 * PIECE_BYTES
/** Memory that is used again: to have it made and collected anew takes longer than to send what is in it. */
const spare: Buffer[] = []
const MOST_SPARE = 32

/**
 * Opens a file to send some of its bytes. It is sent to the end even where it is removed or replaced meanwhile.
 *
 * @param bytes how many, from `from`
 * @throws what opening it throws
 */
export async function openFileBytes(path: string, from: number, bytes: number): Promise<FileBytes> {
  const file = await open(path)
  const { promise: over, resolve: end } = Promise.withResolvers<unknown>()
  let closing: Promise<void> | undefined
  const close = (failure: unknown): Promise<void> => (closing ??= file.close().then(() => end(failure), end))
  return {
    over,
    cancel: () => void close(null),
    async sendTo(sink) {
      try {
        await sendPieces(file, from, bytes, sink)
      } catch (error) {
        await close(error)
        throw error
      }
      await close(null)
    },
  }
}

async function sendPieces(file: FileHandle, from: number, bytes: number, sink: Sink): Promise<void> {
  const buffers = [spare.pop() ?? Buffer.allocUnsafeSlow(PIECE_BYTES), spare.pop() ?? Buffer.allocUnsafeSlow(PIECE_BYTES)] as const
  let sending = Promise.resolve()
  for (let [at, turn] = [0, 0]; at < bytes; turn++) {
    const buffer = buffers[turn % 2]!
    const { bytesRead } = await file.read(buffer, 0, Math.min(PIECE_BYTES, bytes - at), from + at)
    await sending
    if (bytesRead === 0) throw new Error('a file of rows became shorter while it was sent')
    at += bytesRead
    sending = written(sink, buffer.subarray(0, bytesRead))
  }
  await sending
  // What failed half way may still be looked at by who was sent it.
  for (const buffer of buffers) if (spare.length < MOST_SPARE) spare.push(buffer)
}

/** Resolves once the memory may be used again. */
function written(sink: Sink, bytes: Buffer): Promise<void> {
  const done = new Promise<void>((resolve, reject) => {
    sink.write(bytes, error => (error ? reject(error) : resolve()))
  })
  // It is awaited after the next piece is read.
  done.catch(() => {})
  return done
}
