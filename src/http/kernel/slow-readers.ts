import type { ServerResponse } from 'node:http'
import type { Log } from '../../core/index.ts'
import type { RunningAnswer, RunningAnswers } from './running-answers.ts'

/**
 * Minimum reading speed of responses. Generous to slow mobile links: half a megabyte may take a
 * minute, regardless of the rest.
 */
export interface Pace {
  /** Milliseconds in which a caller has to take something. */
  readonly stillMs: number
  /** Milliseconds any answer may take. */
  readonly graceMs: number
  /** What is taken on average after that. */
  readonly bytesPerSecond: number
  /** Milliseconds between looks. */
  readonly everyMs: number
}

const PACE: Pace = { stillMs: 60_000, graceMs: 60_000, bytesPerSecond: 32 * 1_024, everyMs: 5_000 }

/**
 * A response that was in transit at a check. Time is counted in checks, so that a stalled process
 * does not count.
 */
interface Sending {
  looks: number
  /** Looks since bytes last left. */
  still: number
  sent: number
  /** What the connection had sent at the first look. */
  readonly before: number
}

/**
 * Cuts off responses that are read too slowly or not at all: each uses memory and a slot of its
 * account until it is sent. A response that is sent before the first check costs nothing here.
 *
 * @returns a function that stops the checks
 */
export function cutSlowReaders(answers: Pick<RunningAnswers, 'all'>, log: Log, pace: Pace = PACE): () => void {
  const { stillMs, graceMs, bytesPerSecond, everyMs } = pace
  const known = new WeakMap<ServerResponse, Sending>()
  const isTooSlow = ({ looks, still }: Sending, bytes: number): boolean =>
    still * everyMs >= stillMs || looks * everyMs >= graceMs + (1_000 * bytes) / bytesPerSecond
  const look = ({ response, requestId, route, length }: RunningAnswer): void => {
    const { socket } = response
    // A response queued behind another one on its connection has no socket yet.
    if (!response.headersSent || !socket) return
    const sent = socket.bytesWritten - socket.writableLength
    const sending = known.get(response) ?? { looks: 0, still: 0, sent, before: sent }
    known.set(response, sending)
    sending.looks++
    sending.still = sending.sent === sent ? sending.still + 1 : 0
    sending.sent = sent
    // If the length is unknown, use the bytes sent so far, so that a client that keeps up is never
    // cut off.
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
