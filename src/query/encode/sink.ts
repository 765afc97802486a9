/** A growing run of bytes. `at` is where the next byte goes; call `room` before writing. */
export interface Sink {
  bytes: Buffer
  at: number
}

export const openSink = (size = 64 * 1024): Sink => ({ bytes: Buffer.allocUnsafe(size), at: 0 })

/** Makes room for `more` bytes; doubles, so a long answer is copied a handful of times. */
export function room(sink: Sink, more: number): void {
  if (sink.at + more <= sink.bytes.length) return
  const bytes = Buffer.allocUnsafe(Math.max(sink.bytes.length * 2, sink.at + more))
  sink.bytes.copy(bytes, 0, 0, sink.at)
  sink.bytes = bytes
}

/** The bytes written so far. The sink must not be written again while they are in use. */
export const written = ({ bytes, at }: Sink): Buffer => bytes.subarray(0, at)
