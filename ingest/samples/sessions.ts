import { DAY_MS } from '../../src/core/index.ts'
import { isTradingDay } from '../calendar/index.ts'

/** A trading day, with its number since 1970 and that of the trading day before it. */
export interface Session {
  readonly day: string
  readonly number: number
  readonly previous: number
}

/** Days since 1970-01-01 of a `YYYY-MM-DD` day. */
export const numberOf = (day: string): number => Date.parse(`${day}T00:00:00Z`) / DAY_MS

/** `YYYY-MM-DD` of a number of days since 1970-01-01. */
export const dayOf = (number: number): string => new Date(number * DAY_MS).toISOString().slice(0, 10)

/** Trading days of the three years that end on `until`, oldest first. */
export function sessions(until: string): readonly Session[] {
  const last = numberOf(until)
  const days: Session[] = []
  let previous = openBefore(last - 3 * 365)
  for (let number = previous + 1; number <= last; number++) {
    const day = dayOf(number)
    if (!isTradingDay(day)) continue
    days.push({ day, number, previous })
    previous = number
  }
  return days
}

/** The latest trading day not after `until`: the day a snapshot is taken. */
export const lastSession = (until: string): string => dayOf(openBefore(numberOf(until) + 1))

function openBefore(number: number): number {
  const before = number - 1
  return isTradingDay(dayOf(before)) ? before : openBefore(before)
}
