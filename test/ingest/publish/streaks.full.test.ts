import { afterEach, beforeEach, expect, it } from 'vitest'
import { quote, trade, weekdays } from '../../fixtures/publish/rows.ts'
import { service, type TestService } from '../../support.ts'

const TRADES = 'institutional-positioning'
let s: TestService
beforeEach(async () => {
  s = await service({ examples: false })
})
afterEach(() => s.close())

/**
 * Net totals by day, published in that order as one batch. 1101 trades every day, so each day is
 * complete.
 */
const nets = (totals: Readonly<Record<string, number>>, ticker = '2330') =>
  Object.entries(totals).flatMap(([day, net], index) => [trade(ticker, day, net), trade('1101', day, index + 1)])

/** Streaks by day: the number of consecutive days of net buying, negative for net selling. */
async function streaks(ticker = '2330'): Promise<Readonly<Record<string, number>>> {
  const { data } = (await s.get(`/v2/datasets/${TRADES}?symbol=${ticker}&limit=1000&sort_order=asc`, s.keyOn('pro'))).json()
  return Object.fromEntries(data.map((row: Record<string, number>) => [row['trade_date'], row['buy_streak']! - row['sell_streak']!]))
}

it('publishing trades of a Saturday ends the streak of every security without trades on that day', async () => {
  await s.publish(TRADES, nets({ '2026-06-12': 1, '2026-06-15': 2 }))
  await s.publish(TRADES, [trade('1101', '2026-06-13', 9)])
  expect([await streaks(), await streaks('1101')]).toEqual([
    { '2026-06-12': 1, '2026-06-15': 1 },
    { '2026-06-12': 1, '2026-06-13': 2, '2026-06-15': 3 },
  ])
})

it('streaks are equal whether the days are published together, one by one or newest first', async () => {
  const days = weekdays('2026-06-08', 8)
  const totals = [5, 1, -2, -3, 4, 6, 7, 8]
  const batch = (index: number) => nets({ [days[index]!]: totals[index]! }).map(row => ({ ...row, dealer_net_buy: index % 2 }))
  const orders = [
    [0, 1, 2, 3, 4, 5, 6, 7].map(index => [index]),
    [7, 6, 5, 4, 3, 2, 1, 0].map(index => [index]),
    [
      [3, 1, 5],
      [0, 7],
      [2, 4, 6],
    ],
  ]
  const found: unknown[] = []
  for (const order of orders) {
    const fresh = await service({ examples: false })
    for (const group of order) await fresh.publish(TRADES, group.flatMap(batch))
    const { data } = (await fresh.get(`/v2/datasets/${TRADES}?symbol=2330,1101&sort_order=asc`, fresh.keyOn('pro'))).json()
    found.push(data)
    await fresh.close()
  }
  expect(found[1]).toEqual(found[0])
  expect(found[2]).toEqual(found[0])
  expect((found[0] as Record<string, unknown>[]).filter(({ ticker }) => ticker === '2330').map(row => row['buy_streak'])).toEqual([
    1, 2, 0, 0, 1, 2, 3, 4,
  ])
})

it('a streak that ended on a make-up Saturday stays ended when only the rows of its security are derived again', async () => {
  await s.publish(TRADES, [...nets({ '2026-06-12': 1 }), trade('1101', '2026-06-13', 9), ...nets({ '2026-06-15': 3 })])
  expect(Object.values(await streaks())).toEqual([1, 1])
  await s.publish('daily-prices', [quote('2330', '2026-06-15', 100)])
  expect(Object.values(await streaks())).toEqual([1, 1])
})
