import { LRUCache } from 'lru-cache'
import { HOUR_MS, Refusal, type Words } from '../../core/index.ts'
import type { Outbox } from '../../mail/index.ts'
import { secondsLeft } from './flows.ts'

/**
 * Maximum number of code mails per hour. Mail servers accept about this many from a small sender.
 */
const MAX_PER_HOUR = 300
/**
 * If this many code mails were sent within an hour, only addresses with an account receive further
 * code mails.
 */
const OPEN_PER_HOUR = 200
/** One network may use a fifth of the unreserved mails that remain, but at least one mail. */
const SHARE_DIVISOR = 5
/** Maximum number of tracked networks. The least recently used network is evicted. */
const MAX_NETWORKS = 50_000

/**
 * Distributes the mails of an hour between networks, so that no network can block the sign-in of
 * others. The share of a network shrinks as mails are used, so heavy users are refused first.
 * Decisions never depend on whether an address has an account, because responses must not reveal
 * this.
 */
export function createMailBudget(outbox: Outbox) {
  /** Times of the code requests in the last hour, keyed by network, oldest first. */
  const requestTimes = new LRUCache<string, readonly number[]>({ max: MAX_NETWORKS })
  const opensInSeconds = (now: Date): number =>
    outbox.countLastHour(now) < OPEN_PER_HOUR ? 0 : secondsUntil(now, outbox, used => used < OPEN_PER_HOUR)
  return {
    /**
     * Counts a request for a code.
     *
     * @param network from `addressNetwork`
     * @returns seconds until a code can be mailed to an address without an account. 0 if this is
     * possible now
     * @throws Refusal rate_limited if the network has used its share, overloaded if all mails of
     * the hour are used
     */
    take(network: string, now: Date): number {
      const since = now.getTime() - HOUR_MS
      const used = outbox.countLastHour(now)
      const own = (requestTimes.get(network) ?? []).filter(time => time > since && time <= now.getTime())
      if (used >= MAX_PER_HOUR)
        throw new Refusal('overloaded', { retry_after: secondsUntil(now, outbox, used => used < MAX_PER_HOUR) }, USED_UP)
      if (own.length >= shareOf(used)) {
        const withinShare = (used: number, instant: number): boolean => own.filter(time => time > instant - HOUR_MS).length < shareOf(used)
        throw new Refusal('rate_limited', { retry_after: secondsUntil(now, outbox, withinShare, own), limit: shareOf(used) }, SHARE_USED)
      }
      requestTimes.set(network, [...own, now.getTime()])
      return opensInSeconds(now)
    },
    /** Returns the same number as `take`, without counting a request. */
    opensInSeconds,
  }
}

const USED_UP: Words = {
  en: 'The hourly limit of sign-in codes is reached. Try again after retry_after seconds.',
  zh: '每小時可寄送的驗證碼已達上限。請於 retry_after 秒後再試。',
}
const SHARE_USED: Words = {
  en: 'Your network has reached its share of this hour’s sign-in codes. Use a code already mailed, or wait retry_after seconds.',
  zh: '您的網路本小時索取驗證碼的次數已達上限。請使用已寄出的驗證碼，或等待 retry_after 秒。',
}

const shareOf = (used: number): number => Math.max(1, Math.floor((OPEN_PER_HOUR - used) / SHARE_DIVISOR))

/**
 * Returns the seconds until `isMet` is true, at least 1. Mails and `otherTimes` stop counting after
 * an hour. `isMet` is tested at each of these times.
 */
function secondsUntil(
  now: Date,
  outbox: Outbox,
  isMet: (used: number, instant: number) => boolean,
  otherTimes: readonly number[] = [],
): number {
  const mails = outbox.timesOfLastHour(now)
  const ends = [...mails, ...otherTimes].map(at => at + HOUR_MS).toSorted((a, b) => a - b)
  const end = ends.find(at => isMet(mails.filter(mail => mail > at - HOUR_MS).length, at)) ?? now.getTime() + HOUR_MS
  return Math.max(1, secondsLeft(end - now.getTime()))
}
