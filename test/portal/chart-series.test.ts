import { expect, it } from 'vitest'
import { type ChartSpec, positions, stacked } from '../../portal/parts/chart-series.ts'

it('stacked bars add values of the same sign only, so that gains and losses of a day do not cancel out', () => {
  const [foreign, trust, dealer] = stacked([
    [3, -2, null],
    [-1, -4, 5],
    [2, 1, 1],
  ])
  expect(foreign).toEqual([3, -2, null])
  expect(trust).toEqual([-1, -6, 5])
  expect(dealer).toEqual([5, 1, 6])
})

it('positions() returns the days of all series in order', () => {
  const seriesOf = (label: string, days: readonly string[]) =>
    ({ kind: 'line', label, colour: 'series-1', points: days.map(x => ({ x, value: 1 })) }) as const
  const spec: ChartSpec = {
    kind: 'time',
    series: [seriesOf('one', ['2026-06-29', '2026-06-30']), seriesOf('two', ['2026-06-26', '2026-06-30'])],
  }
  expect(positions(spec)).toEqual(['2026-06-26', '2026-06-29', '2026-06-30'])
})
