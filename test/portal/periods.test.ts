import { expect, it } from 'vitest'
import { fromCommonStart, fromFirst } from '../../portal/pages/compare/series.ts'
import { type Bar, combined, cumulative, movingAverage, sums } from '../../portal/parts/periods.ts'

const bar = (day: string, [open, high, low, close]: (number | null)[], volume: number): Bar => ({
  day,
  open: open ?? null,
  high: high ?? null,
  low: low ?? null,
  close: close ?? null,
  volume,
})

const DAYS: readonly Bar[] = [
  bar('2026-06-25', [10, 12, 9, 11], 100),
  bar('2026-06-26', [11, 13, 10, 12], 200),
  bar('2026-06-29', [null, null, null, null], 0),
  bar('2026-06-30', [12, 15, 12, 14], 300),
  bar('2026-07-01', [14, 14, 8, 9], 400),
]

it('combined bars of a week have the first open, the last close and the extremes of its traded days', () => {
  expect(combined(DAYS, 'week')).toEqual([bar('2026-06-26', [10, 13, 9, 12], 300), bar('2026-07-01', [12, 15, 8, 9], 700)])
})

it('combined bars of a month end on its last day with a row', () => {
  expect(combined(DAYS, 'month').map(({ day, close, volume }) => [day, close, volume])).toEqual([
    ['2026-06-30', 14, 600],
    ['2026-07-01', 9, 400],
  ])
  expect(combined(DAYS, 'day')).toBe(DAYS)
})

it('sums() adds the values of a week, and cumulative() adds the values up to each day', () => {
  const points = DAYS.map(({ day, volume }) => ({ x: day, value: volume }))
  expect(sums(points, 'week')).toEqual([
    { x: '2026-06-26', value: 300 },
    { x: '2026-07-01', value: 700 },
  ])
  expect(cumulative(points).map(({ value }) => value)).toEqual([100, 300, 300, 600, 1_000])
})

it('movingAverage skips days without trades and is null until it has enough values', () => {
  expect(movingAverage([1, 2, null, 3, 4], 2)).toEqual([null, 1.5, 1.5, 2.5, 3.5])
})

it('fromCommonStart starts all series on the first day on which each has a value', () => {
  const series = (values: readonly (number | null)[]) => values.map((value, index) => ({ x: `2026-07-0${index + 1}`, value }))
  const days = fromCommonStart([series([1, 2, 3]), series([null, 5, 6]), []]).map(points => points.map(({ x }) => x))
  expect(days).toEqual([['2026-07-02', '2026-07-03'], ['2026-07-02', '2026-07-03'], []])
})

it('fromFirst returns changes since the first value', () => {
  const points = [null, 50, 75, null, 25].map((value, index) => ({ x: `2026-07-0${index + 1}`, value }))
  expect(fromFirst(points).map(({ value }) => value)).toEqual([null, 0, 50, null, -50])
})
