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
  const at = Date.parse(text)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
}

/** The day `days` later, or earlier when negative; both of the years 1000 to 9999. */
export const addDays = (day: string, days: number): string => new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10)

/** `YYYY-MM-DD` of a DATE cell, days since 1970. */
export const dayText = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10)
