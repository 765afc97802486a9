import type { Words } from './errors.ts'

/** Milliseconds of a day; neither UTC nor Taipei has shorter or longer ones. */
export const DAY_MS = 86_400_000
export const HOUR_MS = 3_600_000

/** How a day is written. Days far from any data are days, too: programs send them for an open bound. */
export const DAY_FORM = /^[1-9]\d{3}-\d\d-\d\d$/

/** What `isDay` takes, after "must be". */
export const A_DAY: Words = {
  en: 'a day that exists, from 1000-01-01 to 9999-12-31, written YYYY-MM-DD',
  zh: '實際存在的日期，自 1000-01-01 至 9999-12-31，寫作 YYYY-MM-DD',
}

/** True for a day that exists, written `YYYY-MM-DD`, from 1000 to 9999. */
export function isDay(text: string): boolean {
  if (!DAY_FORM.test(text)) return false
  const [year, month, day] = [Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8))]
  return month >= 1 && month <= 12 && day >= 1 && day <= (month === 2 && isLeap(year) ? 29 : LENGTHS[month - 1]!)
}

/** Days of the months of a common year. */
const LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0

/** The day `days` later, or earlier when negative; both of the years 1000 to 9999. */
export const addDays = (day: string, days: number): string => new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10)

/** `YYYY-MM-DD` of a DATE cell, days since 1970. */
export const dayText = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10)

/** The time now. Passed in wherever time matters, so tests fix it. */
export type Clock = () => Date

const TAIPEI_OFFSET_MS = 8 * HOUR_MS

/** The last instant that was written, which the next call often asks for again. */
let last = { ms: 0, text: '1970-01-01T08:00:00.000+08:00' }

/** RFC 3339 in Taipei, which has kept +08:00 without daylight saving since 1980. */
export function taipei(at: Date): string {
  const ms = at.getTime()
  if (ms !== last.ms) last = { ms, text: `${new Date(ms + TAIPEI_OFFSET_MS).toISOString().slice(0, -1)}+08:00` }
  return last.text
}

/** Calendar day in Taipei, `YYYY-MM-DD`. */
export const taipeiDay = (at: Date): string => taipei(at).slice(0, 10)

/** First instant of the month after `at`, in Taipei: when credits return. */
export function nextMonth(at: Date): Date {
  const [year, month] = taipeiDay(at).split('-').map(Number) as [number, number]
  return new Date(Date.UTC(year, month, 1) - TAIPEI_OFFSET_MS)
}

/** How an instant is written: RFC 3339, its offset or all of its time left out where one likes. */
export const MOMENT_FORM = /^([1-9]\d{3}-\d\d-\d\d)(?:[Tt](\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)?([Zz]|[ +-]\d\d:\d\d)?)?$/

/**
 * The instant of an RFC 3339 timestamp, or of the first moment of a day; in Taipei where no offset is written. A blank stands for the
 * plus that a query string turned into one. Null for anything else.
 */
export function momentOf(text: string): Date | null {
  const [, day = '', time = '00:00', seconds = ':00', offset = '+08:00'] = MOMENT_FORM.exec(text) ?? []
  const at = new Date(`${day}T${time}${seconds}${offset.replace(' ', '+').toUpperCase()}`)
  // The last hours of 9999 in some offsets are another year in Taipei, which has five digits.
  return isDay(day) && !Number.isNaN(at.getTime()) && isDay(taipeiDay(at)) ? at : null
}

/** RFC 3339 in Taipei of a TIMESTAMP cell, microseconds since 1970 UTC; whole seconds are sent without a fraction. */
export const taipeiText = (micros: number): string => taipei(new Date(micros / 1_000)).replace('.000+', '+')
