import { describe, expect, it } from 'vitest'
import { loadFeeds } from '../../../ingest/feeds/index.ts'
import { bodyOf, refusalOf, rowsOf } from '../../fixtures/feeds/bodies.ts'

const feeds = await loadFeeds()
const twse = feeds.get('twse-income')!
const tpex = feeds.get('tpex-income')!
const rows = (feed: typeof twse, content: unknown, requestedDay?: string) =>
  rowsOf(feed.parse(bodyOf(content), requestedDay), 'income-statements')

const REPORT = { 出表日期: '1150815', 年度: '115', 季別: '2' }
const ENGLISH = { Date: '1150815', Year: '115', Season: '2' }
const RESULT = { '本期淨利（淨損）': '240000.00', '淨利（淨損）歸屬於母公司業主': '231238.50', '基本每股盈餘（元）': '7.98' }
const GENERAL = {
  營業收入: '1134103440.00',
  營業成本: '1.00',
  '營業毛利（毛損）': '2.00',
  '營業毛利（毛損）淨額': '286461000.00',
  營業費用: '3.00',
  '營業利益（損失）': '-9.50',
  ...RESULT,
}
const RECORD = { ...REPORT, 公司代號: '2330', 公司名稱: '範電', ...GENERAL }
const ROW = {
  ticker: '2330',
  market: 'TWSE',
  name: '範電',
  fiscal_year: 2026,
  season: 2,
  period_end: '2026-06-30',
  industry_schema: 'ci',
  revenue: 1_134_103_440,
  gross_profit: 286_461_000,
  operating_income: -9.5,
  net_income: 231_238.5,
  eps: 7.98,
}

describe('income statements as open data', () => {
  it('income open data gives amounts in thousands as filed, for the quarter of the printed year and season', () => {
    expect(rows(twse, [RECORD])).toEqual([ROW])
    expect(rows(twse, [RECORD], '2026-06-30')).toEqual([ROW])
  })

  it('income open data as CSV gives the same rows as JSON', () => {
    const csv = [Object.keys(RECORD), Object.values(RECORD)].map(cells => cells.map(cell => `"${cell}"`).join(','))
    expect(rows(twse, `\ufeff${csv.join('\r\n')}\r\n`)).toEqual([ROW])
  })

  it("income open data gives null for a blank figure, and the net income of the period if the parent's is absent", () =>
    expect(rows(twse, [{ ...RECORD, 營業收入: '', '淨利（淨損）歸屬於母公司業主': '' }])).toEqual([
      { ...ROW, revenue: null, net_income: 240_000 },
    ]))

  it.each([
    ['fh', { 利息淨收益: '1', 利息以外淨收益: '2', 淨收益: '-3', '本期稅後淨利（淨損）': '9' }, [-3, null, null]],
    ['basi', { 利息淨收益: '1', 利息以外淨損益: '2', '本期淨利（淨損）': '9' }, [null, null, null]],
    ['bd', { 收益: '259', 支出及費用: '268', 營業利益: '-9', '本期淨利（淨損）': '9' }, [259, null, -9]],
    ['ins', { 營業收入: '31', 營業成本: '34', 營業費用: '1', '營業利益（損失）': '-4', '本期淨利（淨損）': '9' }, [31, null, -4]],
    ['mim', { 收入: '-4136', 支出: '52', '本期淨利（淨損）': '9' }, [-4136, null, null]],
  ])(
    'income open data of the form %s gives the lines of that form and null for all other lines',
    (form, lines, [revenue, gross, operating]) => {
      const result = { '淨利（損）歸屬於母公司業主': '8', '基本每股盈餘（元）': '0.10' }
      expect(rows(twse, [{ ...REPORT, 公司代號: '2801', 公司名稱: '範行', ...lines, ...result }])).toEqual([
        expect.objectContaining({
          industry_schema: form,
          revenue,
          gross_profit: gross,
          operating_income: operating,
          net_income: 8,
          eps: 0.1,
        }),
      ])
    },
  )

  it.each([
    ['English', { ...ENGLISH, SecuritiesCompanyCode: '2330', CompanyName: '範電' }],
    ['both languages', { Date: '1150815', 年度: '115', 季別: '2', 公司代號: '2330', CompanyName: '範電' }],
    ['English and empty Chinese ones', { ...ENGLISH, 年度: null, 季別: null, SecuritiesCompanyCode: '2330', CompanyName: '範電' }],
  ])('TPEx income open data is read by names in %s', (_, named) =>
    expect(rows(tpex, [{ ...named, ...GENERAL }])).toEqual([{ ...ROW, market: 'TPEX' }]),
  )

  it('income open data without a company is empty, not a failure', () => {
    const blank = Object.fromEntries(Object.keys(RECORD).map(name => [name, '']))
    expect(tpex.parse(bodyOf([blank]), undefined)).toMatchObject({ kind: 'empty', reason: 'no record names a company' })
    for (const reason of ['no record names a company', '[]']) expect(tpex.nothing!.test(reason)).toBe(true)
    expect(tpex.nothing!.test('{}')).toBe(false)
  })

  it.each([
    ['wrong_day', 'another quarter was requested', RECORD, '2026-03-31'],
    ['wrong_day', 'it was made before the quarter ended', { ...RECORD, 出表日期: '1150630' }, undefined],
    ['impossible_date', 'its season does not exist', { ...RECORD, 季別: '5' }, undefined],
    ['impossible_date', 'it lacks the year', { ...RECORD, 年度: '' }, undefined],
    ['impossible_date', 'it lacks the day it was made', { ...RECORD, 出表日期: '' }, undefined],
    ['wrong_table', 'it lacks the season', { ...RECORD, 季別: undefined }, undefined],
    ['unknown_form', 'a line of its form has another name', { ...RECORD, '營業利益（損失）': undefined }, undefined],
    ['unreadable_ticker', 'a row lacks the company', { ...RECORD, 公司代號: '' }, undefined],
    ['unreadable_number', 'an amount is not a number', { ...RECORD, 營業收入: '七' }, undefined],
  ])('income open data is refused as %s when %s', (rule, _, record, requestedDay) =>
    expect(refusalOf(twse, bodyOf([record]), requestedDay).rule).toBe(rule),
  )
})

it.each([twse, tpex])('the feed $name requests all six industry forms of a quarter', ({ fetch }) =>
  expect(fetch![0]!.requests.map(({ url }) => url.split('_').at(-1))).toEqual(['ci', 'ins', 'bd', 'fh', 'basi', 'mim']),
)
