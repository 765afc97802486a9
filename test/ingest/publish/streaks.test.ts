import { afterAll, beforeAll, expect, it } from 'vitest'
import { trade, weekdays } from '../../fixtures/publish/rows.ts'
import { stored } from '../../fixtures/publish/store.ts'
import { type Publisher, publisher } from './publisher.ts'

const TRADES = 'institutional-positioning'
let s: Publisher
/** Every case has its own ticker and days. 1101 trades on all days, so each day is complete. */
const nets = (ticker: string, totals: Readonly<Record<string, number>>) =>
  Object.entries(totals).map(([day, net]) => trade(ticker, day, net))
const counted = Object.fromEntries(weekdays('2026-06-01', 9).map((day, index) => [day, [5, 1, -2, -3, -4, 0, 7, 8, -1][index]!]))
const legs = (day: string, foreign: number, trust: number, dealer: number) =>
  trade('2454', day, foreign, { investment_trust_net_buy: trust, dealer_net_buy: dealer })
const HISTORY = [
  ...nets('2330', counted),
  ...[legs('2026-06-08', 5, -3, -1), legs('2026-06-09', -5, 3, 3), legs('2026-06-10', 5, -3, -2)],
  ...nets('2317', { '2026-04-30': 1, '2026-05-04': 2, '2026-05-08': 3, '2026-05-11': 4 }),
  ...nets('3008', { '2026-06-15': 1, '2026-06-17': 3, '2026-06-18': 4 }),
  ...nets('2412', { '2026-06-22': 1, '2026-06-23': 2, '2026-06-25': 3 }),
  ...nets('2603', { '2026-06-12': 1, '2026-06-15': 2 }),
]
const every = [...new Set([...HISTORY.map(row => String(row['trade_date'])), '2026-06-16'])].sort()
beforeAll(async () => {
  s = await publisher()
  const rows = [...HISTORY, ...every.map((day, index) => trade('1101', day, index + 1))]
  await s.publish(TRADES, rows, { accept: ['row_count_drift'] })
})
afterAll(() => s.close())

/** Streaks: the number of consecutive days of net buying, negative for net selling. */
async function streaks(ticker: string): Promise<readonly number[]> {
  const rows = await s.rows(TRADES, '(buy_streak - sell_streak)::INTEGER AS streak', `WHERE ticker = '${ticker}' ORDER BY trade_date`)
  return rows.map(row => Number(row['streak']))
}
const calendar = (...days: readonly (readonly [date: string, is_open: boolean])[]) =>
  s.publish(
    'trading-calendar',
    days.map(([date, is_open]) => ({ market: 'TWSE', date, is_open, reason: '測試' })),
  )

it('a streak counts consecutive days of net buying or selling, restarts when the sign changes, and is 0 on a day with net zero', async () => {
  expect(await streaks('2330')).toEqual([1, 2, -1, -2, -3, 0, 1, 2, -1])
})

it('a streak uses the sum of the three institutions', async () => {
  expect(await streaks('2454')).toEqual([1, 2, 0])
})

it('a streak continues across a weekend and a fixed-date holiday', async () => {
  expect(await streaks('2317')).toEqual([1, 2, 1, 2])
})

it('a streak ends if the security has no row on a trading day', async () => {
  expect(await streaks('3008')).toEqual([1, 1, 2])
})

it('a streak ends on a trading day without any rows, and continues once the calendar lists that day as closed', async () => {
  expect(await streaks('2412')).toEqual([1, 2, 1])
  await calendar(['2026-06-24', false])
  expect(await streaks('2412')).toEqual([1, 2, 3])
  const day = '2026-06-25'
  expect(stored(s.workspace.releases, TRADES).manifest.changes).toMatchObject({ kind: 'revision', date_from: day, date_to: day })
})

it('on a Saturday without rows, a streak ends if the calendar lists the day as open and continues if it is closed', async () => {
  expect(await streaks('2603')).toEqual([1, 2])
  await calendar(['2026-06-13', true])
  expect(await streaks('2603')).toEqual([1, 1])
  await calendar(['2026-06-13', false])
  expect(await streaks('2603')).toEqual([1, 2])
})

it('a calendar of days outside the history of trades creates no release of trades', async () => {
  const { release } = stored(s.workspace.releases, TRADES)
  await calendar(['2026-12-25', false])
  expect(stored(s.workspace.releases, TRADES).release).toBe(release)
})
