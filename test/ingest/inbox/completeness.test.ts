import { expect, it } from 'vitest'
import { createCompleteness } from '../../../ingest/inbox/completeness.ts'
import { dayOfPath } from '../../../ingest/inbox/day-of-path.ts'
import type { Found } from '../../../ingest/inbox/look.ts'

const found = (mark: string, rest: Partial<Found> = {}): Found => ({
  path: '/a.csv',
  place: 'trading-calendar',
  file: 'a.csv',
  fault: null,
  mark,
  isDone: false,
  isMoved: false,
  modifiedAt: 0,
  ...rest,
})

/** Scans a file several times. @returns for each scan, whether the file is complete */
function judged(...looks: readonly (readonly [at: number, file: Found])[]): readonly boolean[] {
  const judge = createCompleteness(2_000)
  return looks.map(([time, file]) => judge([file], time).complete.length === 1)
}

it('a file is complete once it has not changed for the configured settle time', () => {
  expect(judged([0, found('1')], [500, found('2')], [2_400, found('2')], [2_500, found('2')])).toEqual([false, false, false, true])
})

it('a file moved into the inbox is complete after 150 ms without a change', () => {
  const moved = found('1', { isMoved: true })
  expect(judged([0, moved], [100, moved], [150, moved])).toEqual([false, false, true])
  expect(judged([0, moved], [150, found('2', { isMoved: true })], [300, found('2', { isMoved: true })])).toEqual([false, false, true])
})

it('a file with a .done mark is complete at the first scan', () => {
  expect(judged([0, found('1', { isDone: true })])).toEqual([true])
})

it('if a file disappears and reappears, it must again be unchanged for the whole settle time', () => {
  const judge = createCompleteness(2_000)
  judge([found('1')], 0)
  judge([], 1_000)
  expect(judge([found('1')], 2_000).complete).toEqual([])
})

it('a path states its day as yyyy-mm-dd or yyyymmdd in its file name or a folder', () => {
  for (const [path, day] of [
    ['T86_20230130.json', '2023-01-30'],
    ['T86-2023-01-30.json.gz', '2023-01-30'],
    ['2023-01-30/T86.json', '2023-01-30'],
    ['20230130/sii/T86.json', '2023-01-30'],
    ['2023-01-30/T86_20230130.json', '2023-01-30'],
    ['2023-01-30/2023-01-31/T86.json', '2023-01-31'],
    ['T86_20180102_20231229.csv', undefined],
    ['T86_20231345.json', undefined],
    ['T86_120230130.json', undefined],
    ['T86_2023-0130.json', undefined],
    ['T86.json', undefined],
    ['fetched-2023-01-30/T86.json', undefined],
  ] as const)
    expect.soft(dayOfPath(path), path).toBe(day)
})

it('a file name and a folder that state different days are refused', () => {
  expect(() => dayOfPath('2023-01-31/T86_20230130.json')).toThrow('The file name has the date 2023-01-30, but its folder has 2023-01-31')
})
