import { LRUCache } from 'lru-cache'
import { HOUR_MS, Refusal, type Words } from '../../core/index.ts'
import type { Outbox } from '../../mail/index.ts'
import { secondsLeft } from './flows.ts'

/** Mail servers accept about 300 mails per hour from a small sender. */
const MAX_PER_HOUR = 300
/** Above this number, only addresses with an account receive codes. */
const OPEN_PER_HOUR = 200
/** A network may use a fifth of the remaining mails, at least one mail. */
const SHARE_DIVISOR = 5
const MAX_NETWORKS = 50_000

/**
 * Shares the hourly mails between networks, so that no network can block the sign-in of other
 * users. The share of a network shrinks as mails are used. Ignores whether an address has an
 * account, because responses must not reveal accounts.
 */
export function createMailBudget(outbox: Outbox) {
  const requestTimes = new LRUCache<string, readonly number[]>({ max: MAX_NETWORKS })
  const opensInSeconds = (now: Date): number =>
    outbox.countLastHour(now) < OPEN_PER_HOUR ? 0 : secondsUntil(now, outbox, used => used < OPEN_PER_HOUR)
  return {
    /**
     * Counts a request for a code.
     *
     * @param network result of `addressNetwork`
     * @returns seconds until addresses without an account receive codes. 0 if possible now
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

/** Returns the seconds until `isMet` becomes true, at least 1. */
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
