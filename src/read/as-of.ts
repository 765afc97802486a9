import { DAY_MS, type Fault, isDay, momentOf, taipei, taipeiDay, type Words } from '../core/index.ts'
import type { Release } from '../releases/index.ts'
import { fault, type SingleValues } from './filters.ts'

/** A point in time. The read uses the release that was served at this time. */
export interface AsOf {
  /** Canonical text: a day, or a time in Taipei. */
  readonly text: string
  /** End of the day or time, as Unix time in ms, inclusive. */
  readonly until: number
  /** Day in Taipei. Rows announced later are excluded. */
  readonly day: string
}

/** Accepts a day or an RFC 3339 time. The default time zone is Taipei. Null for other texts. */
export function parseAsOf(text: string): AsOf | null {
  const start = momentOf(text)
  if (!start) return null
  if (isDay(text)) return { text, until: start.getTime() + DAY_MS - 1, day: text }
  return { text: taipei(start), until: start.getTime(), day: taipeiDay(start) }
}

/** Adds an error to `faults` if the value is invalid, or if `release` is sent too. */
export function readAsOf({ as_of: text, release }: SingleValues, faults: Fault[]): AsOf | null {
  if (text === undefined) return null
  const asOf = parseAsOf(text)
  if (!asOf) faults.push(fault('as_of', NOT_A_TIME, 'timestamp', text))
  if (release !== undefined) faults.push(fault('as_of', WITH_RELEASE, 'range', text))
  return asOf
}

const NOT_A_TIME: Words = {
  en: 'as_of must be a day as YYYY-MM-DD, or an RFC 3339 time such as 2026-07-01T18:00:00+08:00, between the years 1000 and 9999',
  zh: 'as_of 必須是日期 YYYY-MM-DD，或 RFC 3339 時間，例如 2026-07-01T18:00:00+08:00，年份為 1000 至 9999',
}
const WITH_RELEASE: Words = {
  en: 'as_of and release both select a release: send one of them',
  zh: 'as_of 與 release 都指定版本；請只傳送其中一個',
}

/**
 * Returns the `as_of` for further pages. A time in the future is replaced, because a later
 * publication could change the rows.
 */
export function settledAsOf({ text, until, day }: AsOf, release: Release | null, now: Date): string {
  if (until <= now.getTime() || !release) return text
  const dayStart = momentOf(day)!
  const publishedAt = new Date(release.manifest.published_at)
  return taipei(publishedAt > dayStart ? publishedAt : dayStart)
}
