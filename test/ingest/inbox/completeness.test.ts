import { expect, it } from 'vitest'
import { createCompleteness } from '../../../ingest/inbox/completeness.ts'
import { dayOfPath } from '../../../ingest/inbox/day-of-path.ts'
import type { Found } from '../../../ingest/inbox/look.ts'

const found = (mark: string, rest: Partial<Found> = {}): Found => ({
  ...{ path: '/a.csv', place: 'trading-calendar', file: 'a.csv', fault: null, mark },
  ...{ isDone: false, isMoved: false, modifiedAt: 0 },
  ...rest,
})

/** At each time, the file as it is then; whether it was complete then. */
function judged(...looks: readonly (readonly [at: number, file: Found])[]): readonly boolean[] {
  const judge = createCompleteness(2_000)
  return looks.map(([at, file]) => judge([file], at).complete.length === 1)
}

it('a file is whole once nothing about it has changed for the time it needs to settle', () => {
  expect(judged([0, found('1')], [500, found('2')], [2_400, found('2')], [2_500, found('2')])).toEqual([false, false, false, true])
})

it('one that was moved in is whole when it was the same at the look before', () => {
  const moved = found('1', { isMoved: true })
  expect(judged([0, moved], [150, moved])).toEqual([false, true])
  expect(judged([0, moved], [150, found('2', { isMoved: true })], [300, found('2', { isMoved: true })])).toEqual([false, false, true])
})

it('one whose mark lies beside it is whole at once', () => {
  expect(judged([0, found('1', { isDone: true })])).toEqual([true])
})

it('one that went and came back is another', () => {
  const judge = createCompleteness(2_000)
  judge([found('1')], 0)
  judge([], 1_000)
  expect(judge([found('1')], 2_000).complete).toEqual([])
})

it.each([
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
])('the path %s tells the day %s', (path, day) => {
  expect(dayOfPath(path)).toBe(day)
})

it('a name and a folder that tell different days are refused', () => {
  expect(() => dayOfPath('2023-01-31/T86_20230130.json')).toThrow(/The name says 2023-01-30 and its folder 2023-01-31/)
})
