import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Row } from '../../../catalog/index.ts'
import { addDays } from '../../../src/core/index.ts'
import { twmd } from '../../fixtures/cli/in-process.ts'
import { stored } from '../../fixtures/publish/store.ts'
import { service, type TestService } from '../../support.ts'
import { adjustedPricesOn, changesOf, LONG_AGO } from './adjusted.ts'

interface Price {
  readonly high: number
  readonly low: number
  readonly close: number
}

/** Weekdays until 2026-06-30. */
function weekdays(count: number): readonly string[] {
  const days: string[] = []
  for (let day = '2026-06-30'; days.length < count; day = addDays(day, -1))
    if (![0, 6].includes(new Date(`${day}T00:00:00Z`).getUTCDay())) days.unshift(day)
  return days
}

/** Prices that rise and fall irregularly, the same in each run. */
function prices(count: number, seed: number): readonly Price[] {
  let [state, close] = [seed, 100]
  const random = (): number => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
  const cents = (value: number): number => Math.round(value * 100) / 100
  return Array.from({ length: count }, () => {
    close = cents(Math.max(10, close * (0.97 + 0.06 * random())))
    return { close, high: cents(close + 2 * random()), low: cents(close - 2 * random()) }
  })
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** Computes the indicators by their definitions, row by row. */
function indicatorsOf(rows: readonly Price[]): readonly Readonly<Record<string, number | null>>[] {
  const wilder = (values: readonly number[], first: number): readonly number[] => {
    let average = 0
    return values.map((value, n) => {
      const start = n + 1 - 14
      average = n + 1 <= first ? mean(values.slice(Math.max(0, start), n + 1)) : (13 * average + value) / 14
      return average
    })
  }
  const exponential = (values: readonly number[], span: number): readonly number[] => {
    let average = values[0]!
    return values.map(value => {
      average += (2 / (span + 1)) * (value - average)
      return average
    })
  }
  const closes = rows.map(({ close }) => close)
  const changes = closes.map((close, n) => (n === 0 ? 0 : close - closes[n - 1]!))
  const gains = wilder(
    changes.map(value => Math.max(value, 0)),
    15,
  )
  const losses = wilder(
    changes.map(value => Math.max(-value, 0)),
    15,
  )
  const ranges = wilder(
    rows.map(({ high, low }, n) =>
      n === 0 ? high - low : Math.max(high - low, Math.abs(high - closes[n - 1]!), Math.abs(low - closes[n - 1]!)),
    ),
    14,
  )
  const [fast, slow] = [exponential(closes, 12), exponential(closes, 26)]
  const macd = fast.map((value, n) => value - slow[n]!)
  const signal = exponential(macd, 9)
  let [k, d] = [50, 50]
  return rows.map(({ close }, n) => {
    const near = rows.slice(Math.max(0, n - 8), n + 1)
    const [lowest, highest] = [Math.min(...near.map(({ low }) => low)), Math.max(...near.map(({ high }) => high))]
    if (n >= 8) {
      k = (2 * k + (100 * (close - lowest)) / (highest - lowest)) / 3
      d = (2 * d + k) / 3
    }
    const last = (count: number): readonly number[] => closes.slice(n + 1 - count, n + 1)
    const from = (row: number, value: () => number): number | null => (n + 1 < row ? null : value())
    const band = (sign: 1 | -1) => (): number => {
      const middle = mean(last(20))
      return middle + sign * 2 * Math.sqrt(mean(last(20).map(value => (value - middle) ** 2)))
    }
    return {
      ma_5: from(5, () => mean(last(5))),
      ma_10: from(10, () => mean(last(10))),
      ma_20: from(20, () => mean(last(20))),
      ma_60: from(60, () => mean(last(60))),
      ma_120: from(120, () => mean(last(120))),
      ma_240: from(240, () => mean(last(240))),
      rsi_14: from(15, () => (100 * gains[n]!) / (gains[n]! + losses[n]!)),
      k_9: from(9, () => k),
      d_9: from(9, () => d),
      macd: from(26, () => macd[n]!),
      macd_signal: from(34, () => signal[n]!),
      macd_histogram: from(34, () => macd[n]! - signal[n]!),
      bollinger_upper: from(20, band(1)),
      bollinger_lower: from(20, band(-1)),
      atr_14: from(14, () => ranges[n]!),
    }
  })
}

/**
 * More rows than one block of technical-indicators.ts, so that averages continue from block to
 * block.
 */
const COUNT = 1_100
const days = weekdays(COUNT)
const histories = { '2330': prices(COUNT, 1), '2317': prices(300, 2) }

const quotesOf = (ticker: Ticker, history: readonly Price[] = histories[ticker]): readonly Row[] =>
  history.map(({ high, low, close }, n) => ({
    ticker,
    market: 'TWSE',
    trade_date: days[COUNT - history.length + n]!,
    name: '範例',
    open: close,
    high,
    low,
    close,
    volume: 1_000,
    turnover: 0,
    trades: 1,
  }))

type Ticker = keyof typeof histories

let s: TestService
let publish: ReturnType<typeof adjustedPricesOn>['publish']
beforeAll(async () => {
  s = await service({ examples: false, indexed: false, inMemory: false })
  ;({ publish } = adjustedPricesOn(s))
  await publish('ex-rights', LONG_AGO)
  const rows = [...quotesOf('2330'), ...quotesOf('2317')]
  const isNew = (row: Row): boolean => (row['trade_date'] as string) >= days.at(-2)!
  await publish(
    'daily-prices',
    rows.filter(row => !isNew(row)),
  )
  // The last two days arrive together and are computed from the rows of their window only.
  const appended = await publish('daily-prices', rows.filter(isNew))
  expect(changesOf(appended)).toMatchObject({ 'technical-indicators': { rows_added: 4, rows_changed: 0, rows_removed: 0 } })
})
afterAll(() => s.close())

/** Compares all rows of a security with the definitions. */
async function expectDefinitions(ticker: Ticker, prices: readonly Price[]): Promise<void> {
  const served: Row[] = []
  for (const [from, to] of [
    [days[0], days[700]],
    [days[701], days.at(-1)],
  ]) {
    const url = `/v2/datasets/technical-indicators?symbol=${ticker}&start_date=${from}&end_date=${to}&sort_order=asc&limit=1000`
    served.push(...(await s.get(url, s.keyOn('pro'))).json().data)
  }
  const expected = indicatorsOf(prices)
  expect(served).toHaveLength(expected.length)
  for (const [n, indicators] of expected.entries())
    for (const [name, value] of Object.entries(indicators)) {
      const found = served[n]![name] as number | null
      if (value === null || found === null) expect(found, `${name} in row ${n + 1}`).toBe(value)
      else expect(Math.abs(found - value), `${name} in row ${n + 1}: ${found} instead of ${value}`).toBeLessThan(0.000_051)
    }
}

it.each(['2330', '2317'] as const)('the indicators of %s equal their definitions in every row', ticker =>
  expectDefinitions(ticker, histories[ticker]),
)

it('revising an old day computes the history of its security again, and rolling back the revision restores it', async () => {
  const revised = 500
  const before = stored(join(s.dir, 'releases'), 'daily-prices').manifest.release
  const prices = histories['2330'].map((price, n) => (n === revised ? { high: 150, low: 90, close: 120 } : price))
  const day = quotesOf('2330', prices)[revised]!
  const other = quotesOf('2317').filter(row => row['trade_date'] === day['trade_date'])
  const { followUps } = await publish('daily-prices', [day, ...other])
  expect(followUps.find(({ dataset }) => dataset === 'technical-indicators')!.outcome.moved).toEqual(['2330'])
  await expectDefinitions('2330', prices)
  // Adjusted prices are updated with the next publication of prices, even if it changes nothing.
  expect((await twmd(s.dir, 'releases', 'serve', 'daily-prices', before)).code).toBe(0)
  await publish('ex-rights', LONG_AGO)
  await expectDefinitions('2330', histories['2330'])
})
