import { describe, expect, it } from 'vitest'
import { loadFeeds } from '../../../ingest/feeds/index.ts'
import { bodyOf, refusalOf, rowsOf } from '../../fixtures/feeds/bodies.ts'
import { INDUSTRY_HEAD, page, RECORD, table } from '../../fixtures/feeds/monthly-revenue.ts'

const feeds = await loadFeeds()
const feed = feeds.get('mops-revenue')!
const rows = (content: string, requestedDay?: string) => rowsOf(feed.parse(bodyOf(content), requestedDay), 'monthly-revenue')

describe('monthly revenue pages', () => {
  it('monthly revenue is in TWD, for the month in the title and the industry above the table', () => {
    expect(rows(page())).toEqual([
      {
        ticker: '1101',
        market: 'TWSE',
        month: '2023-01',
        period_end: '2023-01-31',
        name: '範泥',
        industry: '水泥工業',
        revenue: 7_325_221_000,
        last_month_revenue: 12_584_154_000,
        last_year_revenue: 0,
        cumulative_revenue: 7_325_221_000,
        last_year_cumulative_revenue: 0,
        printed_mom_pct: -41.79,
        printed_yoy_pct: null,
        printed_cumulative_yoy_pct: null,
        remark: null,
        report_date: '2023-02-08',
      },
      expect.objectContaining({ ticker: '2801', industry: '金融保險業', revenue: -244_632_000, remark: '認列子公司損益。' }),
    ])
  })

  it("monthly revenue belongs to the market in the page's title", () =>
    expect(rows(page({ title: '上櫃公司' }))[0]?.['market']).toBe('TPEX'))

  it('monthly revenue pages without a remark column give null remarks', () =>
    expect(rows(page({ remarks: false })).map(row => row['remark'])).toEqual([null, null]))

  it('monthly revenue pages state their totals in TWD', () => {
    const parsed = feed.parse(bodyOf(page()), undefined)
    expect(parsed.kind === 'rows' && parsed.statedTotals?.['monthly-revenue']).toEqual({
      held: 2,
      totals: expect.arrayContaining([{ column: 'revenue', of: null, stated: 7_080_589_000 }]),
    })
  })

  it('a Big5 page gives the same monthly revenue as UTF-8', () =>
    expect(rows(page())).toEqual(rowsOf(feed.parse({ name: 'big5', bytes: page.big5 }, undefined), 'monthly-revenue')))

  it.each([
    ['wrong_day', 'it covers another month than requested', page(), '2023-02-28', '2023-01, not for the requested 2023-02-28'],
    ['wrong_day', 'it was made before the month ended', page({ made: '112/01/31' }), undefined, 'on or after 2023-02-01'],
    ['unknown_unit', 'its amounts are not in thousands', page().replaceAll('千元', '元'), undefined, 'thousands of TWD'],
    ['unknown_form', 'a table lacks its industry', page().replace(INDUSTRY_HEAD, ''), undefined, '1 industries and 3 tables'],
    [
      'row_shape',
      'a row lacks a cell',
      page().replace('<td nowrap>12,584,154</td>', ''),
      undefined,
      '1101 has 10 cells, but the table has 11',
    ],
    ['unreadable_number', 'an amount is not a number', page().replace('12,584,154', '12,5x'), undefined, '上月營收 is "12,5x"'],
    ['damaged_body', 'it is truncated', page().slice(0, -20), undefined, 'page is incomplete'],
    ['wrong_table', 'it is another page', `<html>${table('合計', [])}</html>`, undefined, 't21sc03'],
  ])('a monthly revenue page is refused as %s when %s', (rule, _where, content, requestedDay, message) => {
    const refusal = refusalOf(feed, bodyOf(content), requestedDay)
    expect([refusal.rule, refusal.message]).toEqual([rule, expect.stringContaining(message)])
  })
})

describe('monthly revenue as open data', () => {
  it.each([
    ['twse-revenue', 'TWSE'],
    ['tpex-revenue', 'TPEX'],
  ])('the feed %s gives rows of market %s with growth as printed', (name, market) => {
    const parsed = feeds.get(name)!.parse(bodyOf([RECORD]), '2026-05-31')
    expect(rowsOf(parsed, 'monthly-revenue')).toEqual([
      {
        ticker: '2330',
        market,
        month: '2026-05',
        period_end: '2026-05-31',
        name: '範電',
        industry: '半導體業',
        revenue: 320_000_000_000,
        last_month_revenue: 300_000_000_000,
        last_year_revenue: 256_000_000_000,
        cumulative_revenue: 1_500_000_000_000,
        last_year_cumulative_revenue: 1_250_000_000_000,
        printed_mom_pct: 6.666666666666667,
        printed_yoy_pct: 25,
        printed_cumulative_yoy_pct: null,
        remark: null,
        report_date: '2026-06-10',
      },
    ])
  })

  it('monthly revenue as CSV gives the same rows as JSON', () => {
    const csv = `\ufeff${Object.keys(RECORD).join(',')}\r\n${Object.values(RECORD)
      .map(cell => `"${cell}"`)
      .join(',')}\r\n`
    const read = (content: unknown) => rowsOf(feeds.get('twse-revenue')!.parse(bodyOf(content), undefined), 'monthly-revenue')
    expect(read(csv)).toEqual(read([RECORD]))
  })

  it.each([
    ['impossible_date', 'its month does not exist', { ...RECORD, 資料年月: '11513' }, undefined],
    ['impossible_date', 'it lacks the day it was made', { ...RECORD, 出表日期: '' }, undefined],
    ['wrong_day', 'another month was requested', RECORD, '2026-06-30'],
    ['wrong_day', 'it was made before the month ended', { ...RECORD, 出表日期: '1150531' }, undefined],
    ['wrong_table', 'it is another table', { 公司代號: '2330' }, undefined],
  ])('monthly revenue as open data is refused as %s when %s', (rule, _, record, requestedDay) =>
    expect(refusalOf(feeds.get('tpex-revenue')!, bodyOf([record]), requestedDay).rule).toBe(rule),
  )
})
