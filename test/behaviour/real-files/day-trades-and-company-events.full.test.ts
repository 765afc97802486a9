import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConferences } from '../../../ingest/feeds/shared/conferences.ts'
import { ingest, outcomes } from '../../fixtures/ingest/bodies.ts'
import { service, type TestService } from '../../support.ts'
import { real, realFilesThere } from './files.ts'

type Row = Readonly<Record<string, unknown>>
type Json = Readonly<Record<string, string>>

const json = (path: string) => JSON.parse(readFileSync(real(path), 'utf8'))
const number = (cell: string): number => Number(cell.replaceAll(',', '').replace('%', ''))
const day = (roc: string): string => `${Number(roc.slice(0, -4)) + 1_911}-${roc.slice(-4, -2)}-${roc.slice(-2)}`

describe.skipIf(!realFilesThere)('real files of day trades, convertible bonds and company events', () => {
  let s: TestService
  let key: string

  beforeAll(async () => {
    s = await service({ examples: false, now: () => new Date('2026-11-20T12:00:00Z') })
    key = s.keyOn('max')
    for (const [feed, path] of [
      ['twse-day-trading', 'daytrading/transcribed-TWTB4U-20250815.json'],
      ['tpex-day-trading', 'daytrading/transcribed-tpex-intraday-stat-20250815.json'],
      ['tpex-cb-prices', 'cb/transcribed-RSta0113.20260930-C.head.csv'],
      ['tpex-cb-terms', 'cb/transcribed-RSdrs001.20260930-C.row.csv'],
      ['twse-delistings', 'delistings/transcribed-suspendListingCsvAndHtml-rows.json'],
      ['tpex-delistings', 'delistings/transcribed-tpex-delisted-rows.json'],
      ['twse-dividend-decisions', 'dividends/transcribed-t187ap45_L-1150827.json'],
      ['twse-shareholder-meetings', 'announcements/transcribed-t187ap41_L-1150827.json'],
      ['tpex-shareholder-meetings', 'announcements/transcribed-t187ap41_O-1150827.json'],
    ] as const) {
      const found = outcomes(await ingest(s, feed, [real(path)]))
      expect([...new Set(found.map(([, , outcome]) => outcome))], `${feed}: ${JSON.stringify(found)}`).toEqual(['published'])
    }
    await s.columns.refresh()
  }, 120_000)
  afterAll(() => s.close())

  const rowsOf = async (slug: string, query: string): Promise<readonly Row[]> =>
    (await s.get(`/v2/datasets/${slug}?${query}`, key)).json().envelope.data

  it('day trades of both markets are served as printed, with their shares of the market', async () => {
    for (const [market, path] of [
      ['TWSE', 'daytrading/transcribed-TWTB4U-20250815.json'],
      ['TPEX', 'daytrading/transcribed-tpex-intraday-stat-20250815.json'],
    ] as const) {
      const [total, each] = json(path).tables as readonly { readonly data: readonly string[][] }[]
      for (const [ticker, , , volume, bought, sold] of each!.data)
        expect(await rowsOf('day-trading', `symbol=${ticker}`)).toMatchObject([
          { ticker, market, trade_date: '2025-08-15', volume: number(volume!), buy_value: number(bought!), sell_value: number(sold!) },
        ])
      const names = ['volume', 'volume_share', 'buy_value', 'buy_share', 'sell_value', 'sell_share']
      const printed = Object.fromEntries(names.map((name, index) => [name, number(total!.data[0]![index]!)]))
      expect(await rowsOf('day-trading-market', `market=${market}`)).toEqual([{ market, trade_date: '2025-08-15', ...printed }])
    }
  })

  it('convertible bonds have the printed prices, limits and terms, and a computed conversion value', async () => {
    expect(await rowsOf('cb-prices', 'bond=11011')).toMatchObject([
      { trade_type: 'negotiated', close: null, next_limit_up: null },
      { trade_type: 'order_book', close: 102.4, change: 0.1, units: 91, value: 9_290_300, next_limit_up: 112.6, next_limit_down: 92.2 },
    ])
    expect(await rowsOf('cb-prices', 'bond=12561&trade_type=order_book')).toMatchObject([
      { close: null, average_price: 102, next_reference_price: 101.95, next_limit_up: 112.1, next_limit_down: 91.8 },
    ])
    const [terms] = await rowsOf('cb-terms', 'bond=53887')
    expect(terms).toMatchObject({
      conversion_price: 130.3,
      put_start: '2026-10-28',
      call_start: null,
      call_price: null,
      outstanding_amount: 3_000_000_000,
      coupon_rate: 0,
    })
    expect(terms!['conversion_value']).toBeCloseTo((100 * 71.5) / 130.3, 10)
  })

  it('a delisted security is found by name and code, with its last day', async () => {
    expect(await rowsOf('delistings', 'symbol=2888')).toEqual([
      { ticker: '2888', market: 'TWSE', delisting_date: '2025-07-24', company_name: '新光金', reason: null },
    ])
    const { data: values } = (await s.get('/v2/query?entity_type=company&entity_id=2888&fields=delisting.delisting_date', key)).json()
    expect(values[0].fields['delisting.delisting_date'].value).toBe('2025-07-24')
    for (const text of ['新光金', '2888']) {
      const { data } = (await s.get(`/v2/search?q=${encodeURIComponent(text)}`, key)).json()
      expect(
        data.map((hit: Row) => hit['id'] ?? hit['symbol']),
        text,
      ).toContain('2888')
    }
  })

  it('dividend decisions have the printed figures, which agree with each other', async () => {
    const [common, preferred] = json('dividends/transcribed-t187ap45_L-1150827.json') as readonly Json[]
    const [first] = await rowsOf('dividend-decisions', 'symbol=1101')
    const [second] = await rowsOf('dividend-decisions', 'symbol=1101B')
    expect(first).toMatchObject({
      dividend_year: 2025,
      period: 1,
      progress: '董事會決議、股東會確認',
      period_start: '2025-01-01',
      period_end: '2025-12-31',
      board_date: day(common!['董事會（擬議）股利分派日']!),
      cash_from_capital_surplus: 0.8,
      total_cash_dividend: number(common!['股東配發-股東配發之現金(股利)總金額(元)']!),
    })
    expect(second!['cash_from_earnings']).toBe(number(preferred!['股東配發-盈餘分配之現金股利(元/股)']!))
    expect(Number(second!['distributable_earnings']) - Number(second!['closing_retained_earnings'])).toBe(second!['total_cash_dividend'])
  })

  it("shareholders' meetings have day, kind and place, without telephone numbers", async () => {
    const meetings = await rowsOf('shareholder-meetings', 'symbol=1101')
    const printed = json('announcements/transcribed-t187ap41_L-1150827.json') as readonly Json[]
    expect(meetings.map(row => [row['meeting_date'], row['location']])).toEqual(
      printed.map(row => [day(row['開會日期']!), row['開會地點']]),
    )
    expect(meetings.map(row => row['meeting_type'])).toEqual(['extraordinary', 'annual'])
    expect(JSON.stringify(meetings)).not.toMatch(/2531-7099|66365566/)
    expect(await rowsOf('shareholder-meetings', 'symbol=3105')).toMatchObject([{ market: 'TPEX', meeting_date: '2026-05-28' }])
  })

  it('the events calendar has the meetings and delistings of the lists', async () => {
    const typesOf = async (symbol: string) =>
      (await rowsOf('events', `symbol=${symbol}`)).map(row => [row['event_date'], row['event_type'], row['title']])
    const meetings = await rowsOf('shareholder-meetings', 'symbol=1101')
    expect(await typesOf('1101')).toEqual([
      [meetings[0]!['meeting_date'], 'shareholders_meeting', '股東臨時會'],
      [meetings[1]!['meeting_date'], 'shareholders_meeting', '股東常會'],
    ])
    expect(await typesOf('2888')).toEqual([['2025-07-24', 'delisting', '終止上市']])
  })

  it('investor conferences are read from real descriptions in both forms of line breaks', () => {
    const announcements = (json('announcements/transcribed-conference-descriptions-2026.json') as readonly Json[]).map(row => ({
      ...row,
      符合條款: '第12款',
    }))
    const parsed = readConferences(announcements, 'TWSE')
    expect(parsed.kind === 'rows' && parsed.rows['investor-conferences']).toMatchObject([
      { ticker: '1539', conference_start: '2026-07-16', time: '14:00', location: '台中市太平區永豐路78號' },
      { ticker: '6488', conference_start: '2026-07-20', location: '線上' },
      { ticker: '2317', conference_start: '2026-07-16', conference_end: '2026-07-17', time: '08:00', location: '日本' },
    ])
  })
})
