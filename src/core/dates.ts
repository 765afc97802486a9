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
