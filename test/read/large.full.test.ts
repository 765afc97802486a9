import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Row } from '../../catalog/index.ts'
import { weekdays } from '../fixtures/publish/rows.ts'
import { service, type TestService } from '../support.ts'

let s: TestService
beforeAll(async () => {
  s = await service({ examples: false, indexed: false })
  await s.publish('institutional-positioning', ROWS)
})
afterAll(() => s.close())

const TICKERS = Array.from({ length: 50 }, (_, index) => String(1_100 + index))
const ROWS: readonly Row[] = TICKERS.flatMap((ticker, place) =>
  weekdays('2026-04-01', 60).map((trade_date, day) => ({
    ticker,
    market: 'TWSE',
    trade_date,
    foreign_net_buy: 1_000 * place + day,
    investment_trust_net_buy: -day,
    dealer_net_buy: 7,
  })),
)
const URL = `/v2/datasets/institutional-positioning?symbol=${TICKERS.join(',')}`

it('a streamed response has the same rows as pages of the same read', async () => {
  const key = s.keyOn('max')
  const whole = await s.get(`${URL}&limit=3000`, key)
  expect(whole.statusCode).toBe(200)
  expect(whole.rawPayload.length).toBeGreaterThan(600_000)
  expect(whole.headers).toMatchObject({ 'transfer-encoding': 'chunked', 'x-row-count': '3000' })
  const pages = await Promise.all([0, 1_000, 2_000].map(offset => s.get(`${URL}&limit=1000&offset=${offset}`, key)))
  expect(whole.json().data).toEqual(pages.flatMap(page => page.json().data))
})
