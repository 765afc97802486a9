import type { Words } from './errors.ts'

/** Constant, because neither UTC nor Taipei has daylight saving time. */
export const DAY_MS = 86_400_000
export const HOUR_MS = 3_600_000

/** Accepts the years 1000 to 9999, because programs send distant days to mean "no limit". */
export const DAY_PATTERN = /^[1-9]\d{3}-\d\d-\d\d$/

/** The words follow "must be" in messages. */
export const A_DAY: Words = {
  en: 'a day that exists, from 1000-01-01 to 9999-12-31, written YYYY-MM-DD',
  zh: '實際存在的日期，自 1000-01-01 至 9999-12-31，寫作 YYYY-MM-DD',
}

export function isDay(text: string): boolean {
  if (!DAY_PATTERN.test(text)) return false
  const year = Number(text.slice(0, 4))
  const month = Number(text.slice(5, 7))
  const day = Number(text.slice(8))
  return month >= 1 && month <= 12 && day >= 1 && day <= (month === 2 && isLeap(year) ? 29 : MONTH_DAYS[month - 1]!)
}

const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0

/** Both days must be in the years 1000 to 9999. */
export const addDays = (day: string, days: number): string => new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10)

/** Converts days since 1970 to `YYYY-MM-DD`. */
export const dayText = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10)

export type Clock = () => Date

const TAIPEI_OFFSET_MS = 8 * HOUR_MS

/** Cached, because callers often format the same time repeatedly. */
let last = { ms: 0, text: '1970-01-01T08:00:00.000+08:00' }

/** Formats a time as RFC 3339 in Taipei. Taiwan has had no daylight saving time since 1980. */
export function taipei(instant: Date): string {
  const ms = instant.getTime()
  if (ms !== last.ms) last = { ms, text: `${new Date(ms + TAIPEI_OFFSET_MS).toISOString().slice(0, -1)}+08:00` }
  return last.text
}

/** Returns the day in Taipei as `YYYY-MM-DD`. */
export const taipeiDay = (instant: Date): string => taipei(instant).slice(0, 10)

/** Returns the start of the next month in Taipei. Credits are renewed at that time. */
export function nextMonth(instant: Date): Date {
  const [year, month] = taipeiDay(instant).split('-').map(Number) as [number, number]
  return new Date(Date.UTC(year, month, 1) - TAIPEI_OFFSET_MS)
}

/** RFC 3339 with optional time of day and optional offset. */
export const MOMENT_PATTERN = /^([1-9]\d{3}-\d\d-\d\d)(?:[Tt](\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)?([Zz]|[ +-]\d\d:\d\d)?)?$/

/**
 * Parses an RFC 3339 time. Defaults to midnight and Taipei's offset. A space counts as a plus sign,
 * because query strings decode a plus sign to a space. Null for invalid text.
 */
export function momentOf(text: string): Date | null {
  const [, day = '', time = '00:00', seconds = ':00', offset = '+08:00'] = MOMENT_PATTERN.exec(text) ?? []
  const instant = new Date(`${day}T${time}${seconds}${offset.replace(' ', '+').toUpperCase()}`)
  // With some offsets, the last hours of 9999 are in the year 10000 in Taipei.
  return isDay(day) && !Number.isNaN(instant.getTime()) && isDay(taipeiDay(instant)) ? instant : null
}

/** Converts microseconds since 1970 to RFC 3339 in Taipei. Whole seconds have no fraction. */
export const taipeiText = (micros: number): string => taipei(new Date(micros / 1_000)).replace('.000+', '+')
