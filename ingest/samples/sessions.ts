import { addDays, DAY_MS } from '../../src/core/index.ts'
import { isTradingDay } from '../calendar/index.ts'

/**
 * A trading day and its number since 2007. Consecutive trading days differ by 1, regardless of
 * holidays between them.
 */
export interface Session {
  readonly day: string
  readonly number: number
}

const FIRST = '2007-01-01'

/** Converts a day to the number of days since 1970-01-01. */
export const numberOf = (day: string): number => Date.parse(`${day}T00:00:00Z`) / DAY_MS

/** Converts a number of days since 1970-01-01 to a day. */
export const dayOf = (number: number): string => new Date(number * DAY_MS).toISOString().slice(0, 10)

let counted: { readonly until: string; readonly sessions: readonly Session[] } | undefined

/** Returns the trading days of three years, oldest first. */
export function sessions(until: string): readonly Session[] {
  if (counted?.until !== until) counted = { until, sessions: count(until) }
  return counted.sessions
}

function count(until: string): readonly Session[] {
  const from = dayOf(numberOf(until) - 3 * 365)
  const days: Session[] = []
  for (let day = FIRST, number = 0; day <= until; day = addDays(day, 1)) {
    if (!isTradingDay(day)) continue
    if (day >= from) days.push({ day, number })
    number++
  }
  return days
}

/** Returns the latest trading day up to `until`. */
export const lastSession = (until: string): string => (isTradingDay(until) ? until : lastSession(addDays(until, -1)))
