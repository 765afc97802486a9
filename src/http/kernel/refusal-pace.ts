import type { Socket } from 'node:net'
import { LRUCache } from 'lru-cache'
import { addressBucket } from '../../core/index.ts'
import { rest } from './connections.ts'

/** Milliseconds between refusals of one caller once they come in a flood. */
const APART_MS = 10
/** Refusals of one caller that may leave at the same time: whoever asks for a few too many is told at once. */
const AT_ONCE = 20
/** No refusal is held longer than this; those that would be leave at any time in the second half of it. */
const MOST_MS = 2_000
/** Callers that are known at a time; the one that was refused longest ago is forgotten. */
const CALLERS = 10_000
/** Refusals that are held at a time on connections of proxies, which others have to share. */
const MOST_BEHIND_PROXIES = 256

/** What is refused, and whom. */
export interface Refused {
  /** Null where the caller has none; the address counts then. */
  readonly accountId: string | null
  /** The caller's, which is not that of the connection behind a proxy. */
  readonly ip: string
  readonly raw: { readonly socket: Socket }
}

/** Sends refusals, and holds those of a flood. */
export interface RefusalPace {
  /**
   * Sends a refusal at once, or later where the caller is refused more often than a hundred times a second. Whoever asks again as soon as it
   * is refused has to wait for the refusal then, so what refusing costs is bounded by connections, not by how fast they ask. A connection of
   * the caller's own rests meanwhile.
   *
   * @param send must not throw; not called where the caller has left
   */
  send(refused: Refused, send: () => void): void
  /** Sends all that is held, and holds nothing from now on. */
  release(): void
}

export function createRefusalPace(): RefusalPace {
  /** When the next refusal of a caller would leave, by the process's monotonic clock. */
  const nextAt = new LRUCache<string, number>({ max: CALLERS })
  const held = new Set<() => void>()
  let [isReleased, behindProxies] = [false, 0]
  const waitOf = (caller: string): number => {
    const now = performance.now()
    const next = Math.max(nextAt.get(caller) ?? Number.NEGATIVE_INFINITY, now - AT_ONCE * APART_MS) + APART_MS
    if (next - now > MOST_MS) return MOST_MS * (0.5 + Math.random() / 2)
    nextAt.set(caller, next)
    return next - now
  }
  const hold = (socket: Socket, waitMs: number, isProxied: boolean, send: () => void): void => {
    const wake = isProxied ? () => {} : rest(socket)
    if (isProxied) behindProxies++
    const leave = (): void => {
      clearTimeout(timer)
      socket.off('close', leave)
      held.delete(leave)
      if (isProxied) behindProxies--
      if (!socket.destroyed) send()
      wake()
    }
    const timer = setTimeout(leave, waitMs)
    held.add(leave)
    socket.once('close', leave)
  }
  return {
    send({ accountId, ip, raw: { socket } }, send) {
      const isProxied = ip !== socket.remoteAddress
      const waitMs = isReleased ? 0 : waitOf(accountId ?? addressBucket(ip))
      if (waitMs <= 0 || socket.destroyed || (isProxied && behindProxies >= MOST_BEHIND_PROXIES)) return send()
      hold(socket, waitMs, isProxied, send)
    },
    release() {
      isReleased = true
      for (const leave of [...held]) leave()
    },
  }
}
