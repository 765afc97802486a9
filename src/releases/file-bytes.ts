import { type FileHandle, open } from 'node:fs/promises'

export interface Sink {
  /** Calls back when the system has accepted the bytes, or with an error. */
  write(bytes: Buffer, callback: (error?: Error | null) => void): unknown
}

/** Byte range of an open file. Can be sent only once. */
export interface FileBytes {
  /** Resolves when the file is closed. The value is the error if sending failed, otherwise null. */
  readonly ended: Promise<unknown>
  /**
   * Sends all bytes at the speed of the sink.
   * @throws errors of the file or the sink; Error if the file became shorter
   */
  sendTo(sink: Sink): Promise<void>
  /** Stops sending and closes the file. Safe to call twice. */
  cancel(): void
}

const CHUNK_BYTES = 1 << 19
/** Memory per open file, in bytes. One chunk is read while another is sent. */
export const OPEN_FILE_BYTES = 2 * CHUNK_BYTES
/** Reused, because allocating a buffer takes longer than sending the bytes. */
const spare: Buffer[] = []
const MOST_SPARE = 32

/**
 * Opens a file for sending. If the file is replaced meanwhile, the original bytes are sent.
 * @param from the position of the first byte
 * @param bytes number of bytes
 * @throws errors of opening the file
 */
export async function openFileBytes(path: string, from: number, bytes: number): Promise<FileBytes> {
  const file = await open(path)
  const { promise: ended, resolve: end } = Promise.withResolvers<unknown>()
  let closing: Promise<void> | undefined
  const close = (failure: unknown): Promise<void> => (closing ??= file.close().then(() => end(failure), end))
  return {
    ended,
    cancel: () => void close(null),
    async sendTo(sink) {
      try {
        await sendChunks(file, from, bytes, sink)
      } catch (error) {
        await close(error)
        throw error
      }
      await close(null)
    },
  }
}

async function sendChunks(file: FileHandle, from: number, bytes: number, sink: Sink): Promise<void> {
  const buffers = [spare.pop() ?? Buffer.allocUnsafeSlow(CHUNK_BYTES), spare.pop() ?? Buffer.allocUnsafeSlow(CHUNK_BYTES)] as const
  let sending = Promise.resolve()
  let sent = 0
  for (let index = 0; sent < bytes; index++) {
    const buffer = buffers[index % 2]!
    const { bytesRead } = await file.read(buffer, 0, Math.min(CHUNK_BYTES, bytes - sent), from + sent)
    await sending
    if (bytesRead === 0) throw new Error('a file of rows became shorter while it was sent')
    sent += bytesRead
    sending = written(sink, buffer.subarray(0, bytesRead))
  }
  await sending
  // After a failure, the sink may still refer to the buffers.
  for (const buffer of buffers) if (spare.length < MOST_SPARE) spare.push(buffer)
}

function written(sink: Sink, bytes: Buffer): Promise<void> {
  const writing = new Promise<void>((resolve, reject) => {
    sink.write(bytes, error => (error ? reject(error) : resolve()))
  })
  // Prevents an unhandled rejection, because the caller awaits this promise later.
  writing.catch(() => {})
  return writing
}
