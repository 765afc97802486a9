/** Milliseconds of a day; neither UTC nor Taipei has shorter or longer ones. */
export const DAY_MS = 86_400_000
export const HOUR_MS = 3_600_000

/** True for a day that exists, written `YYYY-MM-DD`, from 1900 to 2199. */
export function isDay(text: string): boolean {
  if (!/^(19|20|21)\d\d-\d\d-\d\d$/.test(text)) return false
  const at = Date.parse(text)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
}

/** The day `days` later, or earlier when negative. */
export const addDays = (day: string, days: number): string => new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10)

/** `YYYY-MM-DD` of a DATE cell, days since 1970. */
export const dayText = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10)
