import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Row } from '../../../catalog/index.ts'
import { body, ingest, outcomes } from '../../fixtures/ingest/bodies.ts'
import { service, type TestService } from '../../support.ts'

let s: TestService
beforeAll(async () => {
  s = await service({ examples: false, indexed: false })
})
afterAll(() => s.close())

const take = async (feed: string, ...bodies: readonly (readonly Row[])[]) => {
  const files = bodies.map((content, at) => body(s, `${feed}-${at}.json`, JSON.stringify(content)))
  return outcomes(await ingest(s, feed, files)).map(outcome => outcome.slice(2))
}

const filed = (ticker: string, lines: Row): Row => ({
  出表日期: '1150515',
  年度: '115',
  季別: '1',
  公司代號: ticker,
  公司名稱: '範例',
  ...lines,
  '本期淨利（淨損）': '240.00',
  '淨利（淨損）歸屬於母公司業主': '230.00',
  '基本每股盈餘（元）': '7.98',
})
const GENERAL = { 營業收入: '1000.00', '營業毛利（毛損）淨額': '500.00', '營業利益（損失）': '250.00' }

it('income open data becomes earnings in TWD, and a form without companies is empty', async () => {
  const general = filed('2330', GENERAL)
  const other = filed('2905', { 收入: '-40.00', 支出: '5.00' })
  const nothing = Object.fromEntries(Object.keys(general).map(name => [name, '']))
  const taken = await take('twse-income', [general], [other], [nothing])
  expect(taken.map(([outcome]) => outcome).sort()).toEqual(['empty', 'published', 'published'])
  const earnings = async (symbol: string) => (await s.get(`/v1/earnings?symbol=${symbol}`, s.keyOn('pro'))).json().data
  expect(await earnings('2330')).toMatchObject([
    { fiscal_period: '2026-Q1', revenue: 1_000_000, gross_profit: 500_000, operating_income: 250_000, net_income: 230_000, eps: 7.98 },
  ])
  expect(await earnings('2905')).toMatchObject([{ fiscal_period: '2026-Q1', revenue: -40_000, gross_profit: null }])
})

const trades = (total: string): Row => ({
  Date: '1150630',
  SecuritiesCompanyCode: '6488',
  'Foreign Investors include Mainland Area Investors (Foreign Dealers excluded)-Difference': '100',
  'SecuritiesInvestmentTrustCompanies-Difference': '-30',
  'Dealers-Difference': '5',
  TotalDifference: total,
})

it('TPEx institutional open data is served when the institutions add up to the total and refused otherwise', async () => {
  expect(await take('tpex-institutional', [trades('80')])).toEqual([['refused', 'legs_add_up']])
  expect(await take('tpex-institutional', [trades('75')])).toEqual([['published', null]])
  const read = (await s.get('/v2/datasets/institutional-positioning?symbol=6488', s.keyOn('pro'))).json()
  expect(read.data).toMatchObject([
    {
      market: 'TPEX',
      trade_date: '2026-06-30',
      foreign_net_buy: 100,
      investment_trust_net_buy: -30,
      dealer_net_buy: 5,
      institutional_net_buy_total: 75,
    },
  ])
})

it('TWSE index closes are served under the index code', async () => {
  const close = { 日期: '1150630', 指數: '發行量加權股價指數', 收盤指數: '30300.50', 漲跌: '-', 漲跌點數: '12.25', 漲跌百分比: '-0.04' }
  expect(await take('twse-indices', [{ ...close, 特殊處理註記: '' }])).toEqual([['published', null]])
  const read = (await s.get('/v2/datasets/market-indices?index_code=IX0001', s.keyOn('free'))).json()
  expect(read.envelope.data).toMatchObject([{ trade_date: '2026-06-30', value: 30300.5, change: -12.25, change_pct: -0.04 }])
})
