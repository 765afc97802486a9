import { afterAll, beforeAll, expect, it } from 'vitest'
import { trade } from '../fixtures/publish/rows.ts'
import { type ServiceAt, serviceAt } from './service-at.ts'

const CURVE = 'bond-yield-curve'
let s: ServiceAt
let key: string
beforeAll(async () => {
  s = await serviceAt('2026-12-31 20:00')
  key = s.keyOn('max')
  await s.publish(CURVE, [
    s.like(CURVE, { trade_date: '2011-01-03', as_of: '2011-01-03' }),
    s.like(CURVE, { trade_date: '2026-12-31', as_of: '2026-12-31' }),
  ])
})
afterAll(() => s.close())

const reasonOf = async (day: string) =>
  (await s.get(`/v2/datasets/${CURVE}?symbol=TWGB&trade_date=${day}`, key)).json().quality.empty_reason

it.each([
  ['the Monday after a Sunday', ['2016-02-29', '2017-01-02', '2021-03-01', '2022-05-02', '2021-10-11', '2025-09-29', '2026-10-26']],
  ['the Friday before a Saturday', ['2015-02-27', '2015-10-09', '2021-12-31', '2021-04-30', '2025-10-24', '2026-02-27', '2026-10-09']],
  ['its own day', ['2024-04-04', '2025-12-25', '2026-09-28', '2026-12-25', '2026-05-01']],
])('a fixed-date holiday closes %s even without a calendar dataset', async (_, days) => {
  expect(await Promise.all(days.map(reasonOf))).toEqual(days.map(() => 'not_trading_day'))
})

it('a fixed-date holiday is an ordinary day in the years before the law that introduced it', async () => {
  const before = ['2024-09-30', '2024-10-25', '2024-12-25', '2012-12-31', '2011-05-02']
  expect(await Promise.all(before.map(reasonOf))).not.toContain('not_trading_day')
})

it('no data is expected on a fixed-date holiday', async () => {
  await s.publish('institutional-positioning', [trade('2330', '2026-12-24', 4630)])
  s.setTime('2026-12-25 20:00')
  const { expected_at, lag_days } = await s.freshness('institutional-positioning')
  s.setTime('2026-12-31 20:00')
  expect([expected_at, lag_days]).toEqual([expect.stringMatching(/^2026-12-24/), 0])
})

it('a fixed-date holiday is a trading day if the calendar dataset lists it as open', async () => {
  await s.publish('trading-calendar', [{ market: 'TWSE', date: '2026-10-26', is_open: true, reason: '照常交易' }])
  expect(await reasonOf('2026-10-26')).toBe('not_captured')
})
