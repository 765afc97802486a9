import { LRUCache } from 'lru-cache'
import { HOUR_MS, Refusal, type Words } from '../../core/index.ts'
import type { Outbox } from '../../mail/index.ts'
import { secondsLeft } from './flows.ts'

/** Mails of one hour; what a mail server takes from a small sender. */
const MOST = 300
/** Mails of the hour after which only addresses that have an account are written to. */
const OPEN = 200
/** A network may have caused one mail for every so many that are left of the open ones, and always one. */
const SHARE = 5
/** Networks whose asks are remembered; beyond, the one that asked longest ago is forgotten. */
const MAX_NETWORKS = 50_000

/**
 * Shares out the mails of an hour, so that nobody's mails shut the sign-in for others. A network's share shrinks as the open mails are used
 * up, so that those who ask much are refused first; the mails beyond are kept for addresses that have an account. Nothing it decides
 * depends on whether an address has one: the answers must not tell.
 */
export function createMailBudget(outbox: Outbox) {
  /** Times of the codes each network asked for within the hour, oldest first. */
  const asks = new LRUCache<string, readonly number[]>({ max: MAX_NETWORKS })
  const opensIn = (now: Date): number => (outbox.lastHour(now) < OPEN ? 0 : secondsUntil(now, outbox, used => used < OPEN))
  return {
    /**
     * Counts an ask for a code.
     *
     * @param network where it comes from, as `addressNetwork` names it
     * @returns seconds until a code may be mailed to an address without an account; 0 when it may now
     * @throws Refusal rate_limited when the network has caused as many mails as its share; overloaded when the hour's mails are used up
     */
    take(network: string, now: Date): number {
      const since = now.getTime() - HOUR_MS
      const used = outbox.lastHour(now)
      const own = (asks.get(network) ?? []).filter(at => at > since && at <= now.getTime())
      if (used >= MOST) throw new Refusal('overloaded', { retry_after: secondsUntil(now, outbox, used => used < MOST) }, USED_UP)
      if (own.length >= shareOf(used)) {
        const free = (used: number, at: number): boolean => own.filter(asked => asked > at - HOUR_MS).length < shareOf(used)
        throw new Refusal('rate_limited', { retry_after: secondsUntil(now, outbox, free, own), limit: shareOf(used) }, SHARE_USED)
      }
      asks.set(network, [...own, now.getTime()])
      return opensIn(now)
    },
    /** The same, with nothing counted. */
    opensIn,
  }
}

const USED_UP: Words = {
  en: 'More people sign in at the moment than codes are mailed in an hour; try again after retry_after seconds.',
  zh: '目前登入人數超過每小時可寄送的驗證碼數量；請於 retry_after 秒後再試。',
}
const SHARE_USED: Words = {
  en: 'Your network has asked for as many codes this hour as one may while others ask, too; a code that was mailed still works. Wait retry_after seconds.',
  zh: '在其他人也索取驗證碼的情況下，您的網路本小時的索取次數已達上限；已寄出的驗證碼仍可使用。請等待 retry_after 秒。',
}

const shareOf = (used: number): number => Math.max(1, Math.floor((OPEN - used) / SHARE))

/** Seconds until so few of the hour's mails, and of some other times, are within the hour that a condition holds. */
function secondsUntil(now: Date, outbox: Outbox, holds: (used: number, at: number) => boolean, others: readonly number[] = []): number {
  const mails = outbox.timesOfLastHour(now)
  const ends = [...mails, ...others].map(at => at + HOUR_MS).toSorted((a, b) => a - b)
  const end = ends.find(at => holds(mails.filter(mail => mail > at - HOUR_MS).length, at)) ?? now.getTime() + HOUR_MS
  return Math.max(1, secondsLeft(end - now.getTime()))
}
