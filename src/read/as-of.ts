import { DAY_MS, type Fault, isDay, momentOf, taipei, taipeiDay, type Words } from '../core/index.ts'
import type { Release } from '../releases/index.ts'
import { fault, type SingleValues } from './filters.ts'

/** A requested time. A read with this time uses the release that was served then. */
export interface AsOf {
  /** Canonical form: a day, or a time in Taipei. */
  readonly text: string
  /**
   * Last millisecond of the requested time, since 1970. For a day, the end of the day in Taipei.
   */
  readonly until: number
  /** Day in Taipei. Rows that were announced by the end of this day count as known. */
  readonly day: string
}

/** Parses a day or an RFC 3339 time, by default in Taipei. Null for other texts. */
export function parseAsOf(text: string): AsOf | null {
  const start = momentOf(text)
  if (!start) return null
  if (isDay(text)) return { text, until: start.getTime() + DAY_MS - 1, day: text }
  return { text: taipei(start), until: start.getTime(), day: taipeiDay(start) }
}

/**
 * Reads the parameter `as_of`. Adds errors to `faults` if the value is neither a day nor a time, or
 * if `release` is sent too.
 */
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
 * Returns a value of `as_of` for the links to further pages. Later publications do not change its
 * rows: the same text if the time is past, otherwise a time of the same day at which the release is
 * served.
 */
export function settledAsOf({ text, until, day }: AsOf, release: Release | null, now: Date): string {
  if (until <= now.getTime() || !release) return text
  const dayStart = momentOf(day)!
  const publishedAt = new Date(release.manifest.published_at)
  return taipei(publishedAt > dayStart ? publishedAt : dayStart)
}
