import { expect, it } from 'vitest'
import type { Cadence } from '../../catalog/index.ts'
import { closedByRule } from '../../src/calendar/index.ts'
import { scheduleOf } from '../../src/calendar/schedule.ts'
import { taipei } from '../../src/core/index.ts'

const WEEKLY = { every: 'week', weekday: 6, expectedAt: '12:00' } as const satisfies Cadence
const DAILY = { every: 'trading_day', expectedAt: '18:00' } as const satisfies Cadence
const timeOf = (text: string): Date => new Date(`${text}:00+08:00`)

it.each([
  ['2026-06-27T11:59', '2026-06-19', '2026-06-20T12:00'],
  ['2026-06-27T12:00', '2026-06-26', '2026-06-27T12:00'],
  ['2026-07-03T23:59', '2026-06-26', '2026-06-27T12:00'],
  // The first of May, a Friday, is a holiday: that week ends on Thursday.
  ['2026-05-02T12:00', '2026-04-30', '2026-05-02T12:00'],
])('at %s a weekly dataset that is due on Saturdays is expected to cover days through %s', (now, covers, dueAt) => {
  const due = scheduleOf(WEEKLY, closedByRule).dueBy(timeOf(now))!
  expect([due.covers, taipei(due.dueAt).slice(0, 16)]).toEqual([covers, dueAt])
})

it('the schedule lists the missing weeks, newest first, and the next week that is due', () => {
  const schedule = scheduleOf(WEEKLY, closedByRule)
  expect(schedule.missing(timeOf('2026-06-27T12:00'), '2026-06-12').map(({ covers }) => covers)).toEqual(['2026-06-26', '2026-06-19'])
  expect(schedule.nextAfter(timeOf('2026-06-27T12:00'), '2026-06-12')!.covers).toBe('2026-07-03')
  expect(schedule.nextAfter(timeOf('2026-06-27T12:00'), '2026-07-03')!.covers).toBe('2026-07-10')
})

it('the schedule of a market that never opens has no due date', () => {
  const schedule = scheduleOf(DAILY, () => true)
  expect([schedule.dueBy(timeOf('2026-06-27T12:00')), schedule.nextAfter(timeOf('2026-06-27T12:00'), '2026-06-26')]).toEqual([null, null])
  expect(schedule.missing(timeOf('2026-06-27T12:00'), '2026-06-26')).toEqual([])
})
