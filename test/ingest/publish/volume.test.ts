import { afterAll, beforeAll, expect, it } from 'vitest'
import { quote, trade, weekdays } from '../../fixtures/publish/rows.ts'
import { stored } from '../../fixtures/publish/store.ts'
import { type Publisher, publisher } from './publisher.ts'

const TRADES = 'institutional-positioning'
const QUOTES = 'daily-prices'
const days = weekdays('2026-06-15', 6)
const [DAY] = days as [string]
const shares = [0.1, 0.3, 0.2, 0.4, 0.05, 0.3]
/** Every case has its own ticker. */
const quotes = [
  quote('2330', DAY, 800),
  quote('2454', DAY, 0),
  quote('6488', DAY, 100, { market: 'TPEX' }),
  quote('2317', DAY, 100),
  quote('2412', DAY, 100),
  ...days.map(day => quote('1101', day, 1_000)),
]
let s: Publisher
beforeAll(async () => {
  s = await publisher()
  await s.publish(QUOTES, quotes, { accept: ['row_count_drift'] })
  await s.publish(
    TRADES,
    [
      trade('2330', DAY, -200, { investment_trust_net_buy: 500, dealer_net_buy: 100 }),
      ...['2454', '3008', '6488'].map(ticker => trade(ticker, DAY, 5)),
      ...['2317', '2412'].map(ticker => trade(ticker, DAY, 50)),
      ...days.map((day, index) => trade('1101', day, shares[index]! * 1_000, { dealer_net_buy: index })),
    ],
    { accept: ['row_count_drift'] },
  )
})
afterAll(() => s.close())

const read = async (ticker: string) =>
  (await s.rows(TRADES, 'foreign_pct, inst_share_of_volume, foreign_pct_percentile', `WHERE ticker = '${ticker}' ORDER BY trade_date`)).map(
    row => Object.values(row),
  )

it('a share of volume is net shares divided by traded shares, for foreign investors and for all three institutions', async () => {
  expect(await read('2330')).toEqual([[-0.25, 0.5, null]])
})

it('shares of volume and percentiles are null if the volume is zero or unknown, or belongs to the other market', async () => {
  for (const [ticker, volume] of [
    ['2454', 'zero'],
    ['3008', 'unknown'],
    ['6488', 'of the other market'],
  ] as const)
    expect.soft(await read(ticker), volume).toEqual([[null, null, null]])
})

it('the percentile of the foreign share ranks each day within the history up to that day, from 0 to 1', async () => {
  expect((await read('1101')).map(([, , percentile]) => percentile)).toEqual([null, 1, 0.5, 1, 0, 0.6])
})

it('a corrected volume changes the shares of that security only', async () => {
  const corrected = quotes.map(row => (row['ticker'] === '2317' ? { ...row, volume: 200, turnover: 2_000 } : row))
  await s.publish(QUOTES, corrected, { accept: ['row_count_drift'] })
  expect([(await read('2317'))[0]![0], (await read('2412'))[0]![0]]).toEqual([0.25, 0.5])
  expect(stored(s.workspace.releases, TRADES).manifest.changes).toMatchObject({ kind: 'revision', rows_changed: 1 })
})
