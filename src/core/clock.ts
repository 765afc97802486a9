import { isDay } from './dates.ts'

/** The time now. Passed in wherever time matters, so tests fix it. */
export type Clock = () => Date

const TAIPEI_OFFSET_MS = 8 * 3_600_000

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
