import { LRUCache } from 'lru-cache'
import { addressBucket, Refusal } from '../core/index.ts'
import type { Limiter } from './gcra.ts'

/** Allows a burst of 200 refusals, then 100 per second. */
const REFUSALS = { limit: 200, windowMs: 2_000 }
const BLOCKED_S = 5
const MAX_ADDRESSES = 10_000

export interface RefusedRequest {
  /** Null for callers without an account, who are counted by address. */
  readonly accountId: string | null
  /** Address of the caller, as reported by a trusted proxy. */
  readonly ip: string
  readonly socket: { readonly remoteAddress?: string | undefined }
}

export interface Floods {
  /**
   * Counts a refusal.
   * @returns null below the limit, otherwise the refusal to send instead
   */
  recordRefusal(request: RefusedRequest): { readonly refusal: Refusal; readonly closeConnection: boolean } | null
  isBlocked(address: string): boolean
}

/** @param now monotonic clock in ms, as for the limiter */
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
