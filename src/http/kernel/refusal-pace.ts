import type { Socket } from 'node:net'
import { LRUCache } from 'lru-cache'
import { rest } from './connections.ts'

/** Milliseconds between refusals of one caller once they come in a flood. */
const APART_MS = 10
/** Refusals of one caller that may leave at the same time: whoever asks for a few too many is told at once. */
const AT_ONCE = 20
/** No refusal is held longer than this; those that would be leave at any time in the second half of it. */
const MOST_MS = 2_000
/** Callers that are known at a time; the one that was refused longest ago is forgotten. */
const CALLERS = 10_000

/**
 * Sends a refusal at once, or later where the caller is refused more often than a hundred times a second. Whoever asks again as soon as it is
 * refused has to wait for the refusal then, so what refusing costs is bounded by connections, not by how fast they ask. The connection rests
 * meanwhile.
 *
 * @param caller who is refused: an account, or an address
 * @param send must not throw; not called where the caller has left
 */
export type RefusalPace = (caller: string, socket: Socket, send: () => void) => void

export function createRefusalPace(): RefusalPace {
  /** When the next refusal of a caller would leave, by the process's monotonic clock. */
  const nextAt = new LRUCache<string, number>({ max: CALLERS })
  const waitOf = (caller: string): number => {
    const now = performance.now()
    const next = Math.max(nextAt.get(caller) ?? Number.NEGATIVE_INFINITY, now - AT_ONCE * APART_MS) + APART_MS
    if (next - now > MOST_MS) return MOST_MS * (0.5 + Math.random() / 2)
    nextAt.set(caller, next)
    return next - now
  }
  return (caller, socket, send) => {
    const waitMs = waitOf(caller)
    if (waitMs <= 0) return send()
    const wake = rest(socket)
    setTimeout(() => {
      if (!socket.destroyed) send()
      wake()
    }, waitMs)
  }
}
