/** This module does not use the DOM, so tests can import it. */

export const PERIODS = ['day', 'week', 'month'] as const
export type Period = (typeof PERIODS)[number]

const DAY_MS = 86_400_000

/** Returns an identifier of the period that contains a day. Weeks start on Monday. */
export function periodOf(day: string, period: Period): string {
  if (period === 'day') return day
  if (period === 'month') return day.slice(0, 7)
  const number = Date.parse(day) / DAY_MS
  // 1970-01-05, day 4, was a Monday.
  return String(Math.floor((number - 4) / 7))
}

/** Prices are null if there were no trades. */
export interface Bar {
  /** Last day of the period that has a row. */
  readonly day: string
  readonly open: number | null
  readonly high: number | null
  readonly low: number | null
  readonly close: number | null
  readonly volume: number | null
}

/** Combines the bars of each period. The bars are oldest first. */
export function combined(bars: readonly Bar[], period: Period): readonly Bar[] {
  if (period === 'day') return bars
  return [...Map.groupBy(bars, ({ day }) => periodOf(day, period)).values()].map(days => {
    const traded = days.filter(({ close }) => close !== null)
    const all = (column: 'high' | 'low') => traded.flatMap(bar => bar[column] ?? [])
    return {
      day: days.at(-1)!.day,
      open: traded[0]?.open ?? null,
      high: traded.length === 0 ? null : Math.max(...all('high')),
      low: traded.length === 0 ? null : Math.min(...all('low')),
      close: traded.at(-1)?.close ?? null,
      volume: days.reduce((sum, { volume }) => sum + (volume ?? 0), 0),
    }
  })
}

interface Valued {
  readonly x: string
  readonly value: number | null
}

/**
 * Returns the sum of each period, with the day of the last point in the period.
 *
 * @param points oldest first
 */
export function sums(points: readonly Valued[], period: Period): readonly Valued[] {
  if (period === 'day') return points
  return [...Map.groupBy(points, ({ x }) => periodOf(x, period)).values()].map(days => ({
    x: days.at(-1)!.x,
    value: days.reduce((sum, { value }) => sum + (value ?? 0), 0),
  }))
}

/** Returns running totals. A missing value adds nothing. */
export function cumulative(points: readonly Valued[]): readonly Valued[] {
  let total = 0
  return points.map(({ x, value }) => {
    total += value ?? 0
    return { x, value: total }
  })
}

/**
 * Returns the means of the last `length` values that are not null. Null until there are enough
 * values.
 *
 * @param values oldest first. Null on a day without trades
 */
export function movingAverage(values: readonly (number | null)[], length: number): readonly (number | null)[] {
  const window: number[] = []
  let sum = 0
  return values.map(value => {
    if (value !== null) {
      window.push(value)
      sum += value
      if (window.length > length) sum -= window.shift()!
    }
    return window.length === length ? sum / length : null
  })
}
