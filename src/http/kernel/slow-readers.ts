import type { ServerResponse } from 'node:http'
import type { Log } from '../../core/index.ts'
import type { RunningAnswer, RunningAnswers } from './running-answers.ts'

/** Minimum reading speed of clients. Slow mobile connections must not be cut off. */
export interface Pace {
  /** Maximum time in which a client reads nothing, in ms. */
  readonly stillMs: number
  /** No response is cut off for slowness before this time, in ms. */
  readonly graceMs: number
  /** Average speed that a client must reach after `graceMs`. */
  readonly bytesPerSecond: number
  /** Interval between checks, in ms. */
  readonly everyMs: number
}

const PACE: Pace = { stillMs: 60_000, graceMs: 60_000, bytesPerSecond: 32 * 1_024, everyMs: 5_000 }

/**
 * State of a response between checks. Time is counted in checks, so that a stalled process cuts off
 * no client.
 */
interface Sending {
  looks: number
  /** Number of checks since the client last read. */
  still: number
  sent: number
  /** Bytes that the connection had sent at the first check. */
  readonly before: number
}

/**
 * Cuts off slow clients, because unsent responses use memory.
 * @returns a function that stops the checks
 */
export function cutSlowReaders(answers: Pick<RunningAnswers, 'all'>, log: Log, pace: Pace = PACE): () => void {
  const { stillMs, graceMs, bytesPerSecond, everyMs } = pace
  const known = new WeakMap<ServerResponse, Sending>()
  const isTooSlow = ({ looks, still }: Sending, bytes: number): boolean =>
    still * everyMs >= stillMs || looks * everyMs >= graceMs + (1_000 * bytes) / bytesPerSecond
  const look = ({ response, requestId, route, length }: RunningAnswer): void => {
    const { socket } = response
    // The connection is still sending an earlier response.
    if (!response.headersSent || !socket) return
    const sent = socket.bytesWritten - socket.writableLength
    const sending = known.get(response) ?? { looks: 0, still: 0, sent, before: sent }
    known.set(response, sending)
    sending.looks++
    sending.still = sending.sent === sent ? sending.still + 1 : 0
    sending.sent = sent
    // If the length is unknown, use the bytes sent so far.
    const bytes = length ?? sent - sending.before
    if (!isTooSlow(sending, bytes)) return
    log('answer cut', { request_id: requestId, route, bytes, seconds: (sending.looks * everyMs) / 1_000 })
    response.destroy()
  }
  const timer = setInterval(() => {
    for (const answer of answers.all()) look(answer)
  }, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}
