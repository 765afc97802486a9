import { taipei } from '../../core/clock.ts'

const DAY_MS = 86_400_000
const days = new Map<number, string>()

/** `YYYY-MM-DD` of a DATE cell, days since 1970. A market's whole history has few thousand days, so each is made once. */
export function dayText(day: number): string {
  let text = days.get(day)
  if (text === undefined) {
    text = new Date(day * DAY_MS).toISOString().slice(0, 10)
    if (days.size > 100_000) days.clear()
    days.set(day, text)
  }
  return text
}

/** RFC 3339 in Taipei of a TIMESTAMP cell, microseconds since 1970 UTC; whole seconds are sent without a fraction. */
export const taipeiText = (micros: number): string => taipei(new Date(micros / 1_000)).replace('.000+', '+')
