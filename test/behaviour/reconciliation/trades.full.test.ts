import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { body, ingest, type Net, quotesBody, t86Body } from '../../fixtures/ingest/bodies.ts'
import { day, quote, trade } from '../../fixtures/publish/rows.ts'
import { service, type TestService } from '../../support.ts'
import { badge, counts, verdicts } from './badges.ts'

const SLUG = 'institutional-positioning'
let s: TestService
beforeEach(async () => {
  s = await service({ examples: false, inMemory: false })
})
afterEach(() => s.close())

/** Net trades that differ for each day, because the same body under two dates is refused. */
const netsOf = (date: string): Readonly<Record<string, Net>> => ({
  '2330': [100, 10, -5],
  '2317': [-40, 0, 0],
  '0050': [7, 7, Number(date.slice(-2))],
})
const t86 = (date: string, nets = netsOf(date)) => ingest(s, 'twse-t86', [body(s, `${date}.json`, t86Body(date, nets))])

describe('rows compared with the source file', () => {
  it('the source_rows comparison counts a revised day once', async () => {
    await t86('2026-06-29')
    await t86('2026-06-30')
    await t86('2026-06-29', { ...netsOf('2026-06-29'), '2330': [101, 10, -5] })
    expect(await counts(s, SLUG, 'source_rows')).toEqual([6, 6, 6])
  })

  it('the source_rows comparison keeps its counts after another publication changes derived columns', async () => {
    await t86('2026-06-29')
    const before = (await badge(s, SLUG)).release_version
    await s.publish('daily-prices', [quote('2330', '2026-06-29', 1_000)])
    expect((await badge(s, SLUG)).release_version).not.toBe(before)
    expect(await counts(s, SLUG, 'source_rows')).toEqual([3, 3, 3])
    expect(await counts(s, SLUG, 'printed_total')).toEqual([3, 3, 3])
  })
})

describe('trades of the institutions compared with the printed total', () => {
  it('printed totals are compared row by row, and the badge is partial if some days have no total', async () => {
    await t86('2026-06-29')
    expect(await counts(s, SLUG, 'printed_total')).toEqual([3, 3, 3])
    await s.publish(SLUG, day('2026-06-30', 1))
    expect(await counts(s, SLUG, 'printed_total')).toEqual([6, 3, 3])
    expect(verdicts(await badge(s, SLUG))).toContainEqual(['printed_total', 'partial'])
  })

  it('a body whose printed total differs from the sum of the institutions is refused, and the badge does not change', async () => {
    await t86('2026-06-29')
    const before = await badge(s, SLUG)
    const { results } = await t86('2026-06-30', { ...netsOf('2026-06-30'), '2330': [100, 10, -5, 106] })
    expect(results[0]!.outcome).toBe('refused')
    expect(await badge(s, SLUG)).toEqual(before)
  })
})

describe('net shares compared with the volume', () => {
  const netWithin = () => counts(s, SLUG, 'net_within_volume')

  it('several publications with revisions and removals give the same counts of compared net shares as a single one', async () => {
    const [first, second] = ['2026-06-29', '2026-06-30']
    await s.publish(SLUG, [trade('1101', first, 500), trade('2330', first, 90), trade('2454', first, 10)])
    await s.publish('daily-prices', [quote('1101', first, 100), quote('2330', first, 100), quote('2454', first, 100)])
    expect(await netWithin()).toEqual([3, 3, 2])
    await s.publish(SLUG, day(second, 1))
    await s.publish('daily-prices', [quote('1101', second, 100), quote('2330', second, 1_000), quote('2454', second, 10_000)])
    await s.publish(SLUG, [trade('1101', first, 50), trade('2330', first, 90)], { accept: ['row_count_drift'] })
    const stepwise = await netWithin()
    const fresh = await service({ examples: false, inMemory: false })
    await fresh.publish('daily-prices', [
      ...[quote('1101', first, 100), quote('2330', first, 100), quote('2454', first, 100)],
      ...[quote('1101', second, 100), quote('2330', second, 1_000), quote('2454', second, 10_000)],
    ])
    await fresh.publish(SLUG, [trade('1101', first, 50), trade('2330', first, 90), ...day(second, 1)])
    const atOnce = await counts(fresh, SLUG, 'net_within_volume')
    await fresh.close()
    expect([stepwise, atOnce]).toEqual([
      [5, 5, 4],
      [5, 5, 4],
    ])
  })
})

describe('volumes compared with the market total', () => {
  /**
   * An MI_INDEX response with the totals that the exchange publishes with the quotes: shares and
   * trades. Warrants are separate.
   */
  function withTotals(date: string, volumes: Readonly<Record<string, number>>, stated: number): string {
    const answer = JSON.parse(quotesBody(date, volumes)) as { tables: object[] }
    const statistics = {
      title: '大盤統計資訊',
      fields: ['成交統計', '成交金額(元)', '成交股數(股)', '成交筆數'],
      data: [
        ['1.一般股票', '1', '1', '1'],
        ['7.認購(售)權證', '5', '50', '5'],
        ['證券合計(1+6)', '1', '1', '1'],
        ['總計(1~15)', '1', (stated + 50).toLocaleString('en-US'), String(Object.keys(volumes).length + 5)],
      ],
    }
    return JSON.stringify({ ...answer, tables: [...answer.tables, statistics] })
  }
  const quotes = (date: string, stated: number) =>
    ingest(s, 'twse-quotes', [
      body(s, `${date}-${stated}.json`, withTotals(date, { '2330': 1_000, '2317': 500, '0050': date.endsWith('29') ? 70 : 80 }, stated)),
    ])
  const totals = async () => (await badge(s, SLUG)).methods.find(({ method }) => method === 'source_totals')

  it('volumes are verified if the shares of a day add up to the market total, also in the badge of trades', async () => {
    await t86('2026-06-29')
    expect(await totals()).toBeUndefined()
    await quotes('2026-06-29', 1_570)
    expect(await totals()).toMatchObject({ dataset: 'daily_prices', badge: 'verified', rows: 3, rows_compared: 3, matched: 3 })
  })

  it('a day whose volumes do not add up to the market total is a mismatch, until the day is corrected', async () => {
    await t86('2026-06-29')
    await quotes('2026-06-29', 1_570)
    await quotes('2026-06-30', 1_581)
    expect(await totals()).toMatchObject({ badge: 'mismatch', rows: 6, rows_compared: 6, matched: 3, mismatched: 3 })
    expect(await badge(s, SLUG)).toMatchObject({ badge: 'mismatch', method: 'source_totals', match_ratio: 0.5 })
    await ingest(s, 'twse-quotes', [body(s, 'right.json', withTotals('2026-06-30', { '2330': 1_000, '2317': 500, '0050': 81 }, 1_581))])
    expect(await totals()).toMatchObject({ badge: 'verified', rows: 6, rows_compared: 6, matched: 6 })
  })

  it('TPEx market totals are compared with the sum of stocks, without funds and warrants', async () => {
    const table = {
      title: '上櫃股票行情',
      fields: ['代號', '名稱', '收盤', '漲跌', '開盤', '最高', '最低', '成交股數', '成交金額(元)', '成交筆數'],
      data: [
        ['3105', '範例', '10', '0', '10', '10', '10', '1,000', '10,000', '2'],
        ['8349A', '範例甲特', '10', '0', '10', '10', '10', '500', '5,000', '1'],
        ['006201', '範例基金', '10', '0', '10', '10', '10', '77', '770', '1'],
        ['70123P', '範例售01', '10', '0', '10', '10', '10', '9', '90', '1'],
      ],
      date: '115/06/29',
      totalCount: 4,
      totalTradingShares: '1,500',
      totalTranscations: '3',
    }
    await s.publish(SLUG, [trade('3105', '2026-06-29', 5, { market: 'TPEX' })])
    await ingest(s, 'tpex-quotes', [body(s, 'tpex.json', JSON.stringify({ stat: 'ok', date: '20260629', tables: [table] }))])
    expect(await totals()).toMatchObject({ badge: 'partial', rows: 4, rows_compared: 2, matched: 2 })
  })
})
