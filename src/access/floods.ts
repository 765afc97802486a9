import { LRUCache } from 'lru-cache'
import { addressBucket, Refusal } from '../core/index.ts'
import type { Limiter } from './gcra.ts'

/**
 * Maximum rate of refusals per caller: a burst of 200, then 100 a second. Clients that respect
 * `Retry-After` stay far below this limit.
 */
const REFUSALS = { limit: 200, windowMs: 2_000 }
/** Time for which new connections of a flooding address are refused, in seconds. */
const BLOCKED_S = 5
const MAX_ADDRESSES = 10_000

export interface RefusedRequest {
  /**
   * Account of the caller. Null if there is no account. In this case, the refusal counts for the
   * address.
   */
  readonly accountId: string | null
  /** Address of the caller. Behind a trusted proxy, this is not the address of the socket. */
  readonly ip: string
  readonly socket: { readonly remoteAddress?: string | undefined }
}

/** Detects callers whose refusals exceed the limit, and blocks their addresses. */
export interface Floods {
  /**
   * Counts a refusal.
   *
   * @returns null below the limit. Above the limit, the refusal to send instead, and whether to
   * close the connection. Closing also blocks new connections from the address for some seconds.
   * Connections of a proxy stay open, because several callers share them.
   */
  recordRefusal(request: RefusedRequest): { readonly refusal: Refusal; readonly closeConnection: boolean } | null
  isBlocked(address: string): boolean
}

/** @param now monotonic clock in ms. The limiter must use the same clock */
export function createFloods(limiter: Limiter, now: () => number): Floods {
  const blockedUntil = new LRUCache<string, number>({ max: MAX_ADDRESSES })
  return {
    recordRefusal({ accountId, ip, socket }) {
      if (limiter.take(`refused ${accountId ?? addressBucket(ip)}`, REFUSALS).allowed) return null
      const closeConnection = ip === socket.remoteAddress
      if (closeConnection) blockedUntil.set(addressBucket(ip), now() + BLOCKED_S * 1_000)
      return { refusal: new Refusal('rate_limited', { retry_after: BLOCKED_S, limit: REFUSALS.limit }, FLOOD), closeConnection }
    },
    isBlocked: address => (blockedUntil.get(addressBucket(address)) ?? 0) > now(),
  }
}

const FLOOD = {
  en: `More than ${REFUSALS.limit} requests were refused in ${REFUSALS.windowMs / 1_000} seconds, so connections are closed. Correct the requests and try again after ${BLOCKED_S} seconds.`,
  zh: `${REFUSALS.windowMs / 1_000} 秒內有超過 ${REFUSALS.limit} 次請求遭拒，連線將關閉。請更正後於 ${BLOCKED_S} 秒後再試。`,
}
