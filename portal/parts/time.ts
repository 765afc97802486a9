import { LOCALE, say } from './language.ts'

const TAIPEI = { timeZone: 'Asia/Taipei' } as const
const ISO_DAY = new Intl.DateTimeFormat('sv-SE', TAIPEI)
const ISO_MOMENT = new Intl.DateTimeFormat('sv-SE', { ...TAIPEI, dateStyle: 'short', timeStyle: 'short' })

/**
 * Formats a time in Taipei, for example `2026-07-01 18:30`. Null becomes a dash.
 *
 * @param at RFC 3339 time with any offset
 */
export const moment = (at: string | null | undefined): string => (at === null || at === undefined ? '–' : ISO_MOMENT.format(new Date(at)))

/**
 * Formats a date in Taipei, for example `2026-07-01`. Null becomes a dash.
 *
 * @param time a date, or an RFC 3339 time
 */
export const dayText = (time: string | null | undefined): string =>
  time === null || time === undefined ? '–' : time.length === 10 ? time : ISO_DAY.format(new Date(time))

/** Formats a period, or its only day. Null becomes a dash. */
export function daysText(from: string | null, to: string | null): string {
  if (from === null || to === null) return '–'
  return from === to ? from : say({ en: `${from} to ${to}`, zh: `${from} 至 ${to}` })
}

/**
 * Returns the date in Taipei, for example `2026-07-01`.
 *
 * @param at RFC 3339 time. Default: now
 */
export const isoDay = (at?: string): string => ISO_DAY.format(at === undefined ? new Date() : new Date(at))

const CLOCK = new Intl.DateTimeFormat(LOCALE, { ...TAIPEI, timeStyle: 'medium', hourCycle: 'h23' })

/**
 * Formats the time of day in Taipei, with seconds.
 *
 * @param at milliseconds since 1970
 */
export const clockTime = (at: number): string => CLOCK.format(at)

const AGO = new Intl.RelativeTimeFormat(LOCALE)
const STEPS = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const

/**
 * Formats the time since a past moment, for example `3 hours ago`. Uses the largest whole unit.
 *
 * @param time RFC 3339 time
 */
export function ago(time: string): string {
  const seconds = Math.max(0, (Date.now() - Date.parse(time)) / 1_000)
  const [length, unit] = STEPS.find(([length]) => seconds >= length) ?? STEPS.at(-1)!
  return AGO.format(-Math.floor(seconds / length), unit)
}
