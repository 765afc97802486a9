import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { quote, trade, weekdays } from '../../fixtures/publish/rows.ts'
import { stored } from '../../fixtures/publish/store.ts'
import { service, type TestService } from '../../support.ts'

const TRADES = 'institutional-positioning'
let s: TestService
beforeEach(async () => {
  s = await service({ examples: false })
})
afterEach(() => s.close())

/** Net totals by day, published in that order as one batch; 1101 trades every day so that each day is complete. */
const nets = (totals: Readonly<Record<string, number>>, ticker = '2330') =>
  Object.entries(totals).flatMap(([day, net], index) => [trade(ticker, day, net), trade('1101', day, index + 1)])

/** Bought days as positive numbers, sold days as negative ones, by day. */
async function streaks(ticker = '2330'): Promise<Readonly<Record<string, number>>> {
  const { data } = (await s.get(`/v2/datasets/${TRADES}?symbol=${ticker}&limit=1000&sort_order=asc`, s.keyOn('pro'))).json()
  return Object.fromEntries(data.map((row: Record<string, number>) => [row['trade_date'], row['buy_streak']! - row['sell_streak']!]))
}
const closed = (date: string) => s.publish('trading-calendar', [{ market: 'TWSE', date, is_open: false, reason: '颱風' }])

describe('a streak of net buying or selling', () => {
  it('counts the days bought or sold net in a row, begins anew when the sign turns, and is none on a zero', async () => {
    const days = weekdays('2026-06-01', 9)
    const totals = [5, 1, -2, -3, -4, 0, 7, 8, -1]
    await s.publish(TRADES, nets(Object.fromEntries(days.map((day, index) => [day, totals[index]!]))))
    expect(Object.values(await streaks())).toEqual([1, 2, -1, -2, -3, 0, 1, 2, -1])
  })

  it('is of the three legs together', async () => {
    const legs = (day: string, foreign: number, trust: number, dealer: number) =>
      trade('2330', day, foreign, { investment_trust_net_buy: trust, dealer_net_buy: dealer })
    await s.publish(TRADES, [legs('2026-06-29', 5, -3, -1), legs('2026-06-30', -5, 3, 3), legs('2026-07-01', 5, -3, -2)])
    expect(Object.values(await streaks())).toEqual([1, 2, 0])
    const { data } = (await s.get(`/v2/datasets/${TRADES}?symbol=2330&sort_order=asc`, s.keyOn('pro'))).json()
    expect(data.map((row: Record<string, number>) => row['institutional_net_buy_total'])).toEqual([1, 1, 0])
  })

  it('runs on across a weekend and a holiday of fixed date', async () => {
    await s.publish(TRADES, nets({ '2026-04-30': 1, '2026-05-04': 2, '2026-05-08': 3, '2026-05-11': 4 }))
    expect(await streaks()).toEqual({ '2026-04-30': 1, '2026-05-04': 2, '2026-05-08': 1, '2026-05-11': 2 })
  })

  it('ends where a trading day is missing for every security', async () => {
    await s.publish(TRADES, nets({ '2026-06-15': 1, '2026-06-16': 2, '2026-06-18': 3 }))
    expect(Object.values(await streaks())).toEqual([1, 2, 1])
  })

  it('ends where the security is absent on a day the market traded', async () => {
    await s.publish(TRADES, [...nets({ '2026-06-15': 1 }), trade('1101', '2026-06-16', 9), ...nets({ '2026-06-17': 3, '2026-06-18': 4 })])
    expect(Object.values(await streaks())).toEqual([1, 1, 2])
  })

  it('runs on across a day the calendar names as closed, whether the calendar came before the trades or after', async () => {
    await closed('2026-06-17')
    await s.publish(TRADES, nets({ '2026-06-15': 1, '2026-06-16': 2, '2026-06-18': 3, '2026-06-22': 4 }))
    expect(Object.values(await streaks())).toEqual([1, 2, 3, 1])
    await closed('2026-06-19')
    expect(Object.values(await streaks())).toEqual([1, 2, 3, 4])
    expect(stored(s.workspace.releases, TRADES).manifest.changes).toMatchObject({
      kind: 'revision',
      date_from: '2026-06-22',
      date_to: '2026-06-22',
    })
  })

  it('ends on a Saturday the calendar names as open when it is missing, and runs on once that is taken back', async () => {
    await s.publish(TRADES, nets({ '2026-06-12': 1, '2026-06-15': 2 }))
    expect(Object.values(await streaks())).toEqual([1, 2])
    const saturday = (is_open: boolean) =>
      s.publish('trading-calendar', [{ market: 'TWSE', date: '2026-06-13', is_open, reason: '補行交易' }])
    await saturday(true)
    expect(Object.values(await streaks())).toEqual([1, 1])
    await saturday(false)
    expect(Object.values(await streaks())).toEqual([1, 2])
  })

  it('of every security ends on a Saturday that turns out to have traded', async () => {
    await s.publish(TRADES, nets({ '2026-06-12': 1, '2026-06-15': 2 }))
    await s.publish(TRADES, [trade('1101', '2026-06-13', 9)])
    expect([await streaks(), await streaks('1101')]).toEqual([
      { '2026-06-12': 1, '2026-06-15': 1 },
      { '2026-06-12': 1, '2026-06-13': 2, '2026-06-15': 3 },
    ])
  })

  it('is unchanged by a calendar of days outside its history', async () => {
    await s.publish(TRADES, nets({ '2026-06-29': 1, '2026-06-30': 2 }))
    const { release } = stored(s.workspace.releases, TRADES)
    await closed('2026-12-25')
    expect(stored(s.workspace.releases, TRADES).release).toBe(release)
  })

  it('is the same however the days were published: at once, one by one, newest first', async () => {
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

  it('ends on a make-up Saturday the security was absent from, and stays ended when that security alone is derived again', async () => {
    await s.publish(TRADES, [...nets({ '2026-06-12': 1 }), trade('1101', '2026-06-13', 9), ...nets({ '2026-06-15': 3 })])
    expect(Object.values(await streaks())).toEqual([1, 1])
    await s.publish('daily-prices', [quote('2330', '2026-06-15', 100)])
    expect(Object.values(await streaks())).toEqual([1, 1])
  })
})
