import { LRUCache } from 'lru-cache'
import { addressBucket, Refusal } from '../core/index.ts'
import type { Limiter } from './gcra.ts'

/** Refusals of one caller: 200 at once, and 100 a second after that. Clients that respect `Retry-After` stay far below. */
const REFUSALS = { limit: 200, windowMs: 2_000 }
/** Seconds for which new connections of a flooding address are closed. */
const BLOCKED_S = 5
const MOST_ADDRESSES = 10_000

/** A refused request. */
export interface Refused {
  /** Null if the caller has no account; then its address counts. */
  readonly accountId: string | null
  /** The address of the caller, which differs from that of the connection behind a trusted proxy. */
  readonly ip: string
  readonly socket: { readonly remoteAddress?: string | undefined }
}

/** Finds callers that are refused again and again, and makes them stop. */
export interface Floods {
  /**
   * Counts a refusal.
   *
   * @returns null while the caller may be refused as usual. Otherwise the refusal to send instead, and whether to close the connection:
   * then new connections of its address are closed for some seconds, too. A proxy's connection stays open, because others use it.
   */
  note(refused: Refused): { readonly refusal: Refusal; readonly closes: boolean } | null
  isBlocked(address: string): boolean
}

/** @param now milliseconds of the limiter's monotonic clock */
export function createFloods(limiter: Limiter, now: () => number): Floods {
  const blockedUntil = new LRUCache<string, number>({ max: MOST_ADDRESSES })
  return {
    note({ accountId, ip, socket }) {
      if (limiter.take(`refused ${accountId ?? addressBucket(ip)}`, REFUSALS).allowed) return null
      const closes = ip === socket.remoteAddress
      if (closes) blockedUntil.set(addressBucket(ip), now() + BLOCKED_S * 1_000)
      return { refusal: new Refusal('rate_limited', { retry_after: BLOCKED_S, limit: REFUSALS.limit }, FLOOD), closes }
    },
    isBlocked: address => (blockedUntil.get(addressBucket(address)) ?? 0) > now(),
  }
}

const FLOOD = {
  en: `More than ${REFUSALS.limit} requests were refused in ${REFUSALS.windowMs / 1_000} seconds; correct them, and try again after ${BLOCKED_S} seconds. Connections are closed until then.`,
  zh: `${REFUSALS.windowMs / 1_000} 秒內有超過 ${REFUSALS.limit} 次請求遭拒；請更正後於 ${BLOCKED_S} 秒後再試，在此之前連線會被關閉。`,
}
