import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadFeeds } from '../../../ingest/feeds/index.ts'
import { ingestFiles } from '../../../ingest/index.ts'
import { service, type TestService } from '../../support.ts'
import { real, realFilesThere } from './files.ts'

const feeds = await loadFeeds()

/** Every file with its numeric headings, and the served column of each. */
const FILES = [
  {
    feed: 'twse-ex-rights',
    path: ['twse', 'twse-stocks-dividends.json'],
    slug: 'ex-rights',
    day: ['資料日期', 'ex_date'],
    ticker: '股票代號',
    figures: {
      除權息前收盤價: 'close_before',
      除權息參考價: 'reference_price',
      '權值+息值': 'value',
      漲停價格: 'limit_up',
      跌停價格: 'limit_down',
      開盤競價基準: 'opening_reference',
      減除股利參考價: 'price_less_dividend',
    },
  },
  {
    feed: 'tpex-ex-rights',
    path: ['tpex', 'tpex-stocks-dividends.json'],
    slug: 'ex-rights',
    day: ['除權息日期', 'ex_date'],
    ticker: '代號',
    figures: {
      除權息前收盤價: 'close_before',
      除權息參考價: 'reference_price',
      權值: 'rights_value',
      息值: 'dividend_value',
      '權值+息值': 'value',
      漲停價: 'limit_up',
      跌停價: 'limit_down',
      開始交易基準價: 'opening_reference',
      減除股利參考價: 'price_less_dividend',
      現金股利: 'cash_dividend',
      每仟股無償配股: 'bonus_shares_per_thousand',
      現金增資股數: 'offered_shares',
      現金增資認購價: 'subscription_price',
      按持股比例仟股認購: 'subscription_per_thousand',
    },
  },
  ...(
    [
      [
        'twse-capital-reductions',
        'twse',
        'twse-stocks-capital-reductions.json',
        '股票代號',
        '停止買賣前收盤價格',
        '恢復買賣參考價',
        '開盤競價基準',
      ],
      [
        'tpex-capital-reductions',
        'tpex',
        'tpex-stocks-capital-reductions.json',
        '股票代號',
        '最後交易日之收盤價格',
        '減資恢復買賣開始日參考價格',
        '開始交易基準價',
      ],
      ['twse-par-changes', 'twse', 'twse-stocks-splits.json', '股票代號', '停止買賣前收盤價格', '恢復買賣參考價', '開盤競價基準'],
      ['tpex-par-changes', 'tpex', 'tpex-stocks-splits.json', '證券代號', '最後交易日之收盤價格', '恢復買賣開始參考價', '開始交易基準價'],
    ] as const
  ).map(([feed, folder, name, ticker, before, reference, opening]) => ({
    feed,
    path: [folder, name],
    slug: 'capital-changes',
    day: ['恢復買賣日期', 'resume_date'],
    ticker,
    figures: {
      [before]: 'close_before',
      [reference]: 'reference_price',
      漲停價格: 'limit_up',
      跌停價格: 'limit_down',
      [opening]: 'opening_reference',
    } as Record<string, string>,
  })),
]

interface Printed {
  readonly fields: readonly string[]
  readonly data: readonly (readonly string[])[]
}

describe.skipIf(!realFilesThere)('real events', () => {
  let s: TestService
  let key: string
  const ingest = async (feed: string, path: readonly string[], requestedDay?: string) => {
    const options = { requestedDay, accept: [], progress: () => {} }
    const { results } = await ingestFiles(s.workspace, feeds.get(feed)!, [real(...path)], options)
    await s.releases.refresh()
    return results
  }
  const read = async (slug: string, symbol: string) => (await s.get(`/v2/datasets/${slug}?symbol=${symbol}`, key)).json().envelope.data

  beforeAll(async () => {
    s = await service({ examples: false, now: () => new Date('2026-11-20T12:00:00Z') })
    key = s.keyOn('max')
  })
  afterAll(() => s.close())

  it.each(FILES)('the API serves every figure of the real events in $path', async ({ feed, path, slug, day, ticker, figures }) => {
    const results = await ingest(feed, path)
    expect(results.map(({ outcome }) => outcome)).toEqual(results.map(() => 'published'))
    const body = JSON.parse(readFileSync(real(...path), 'utf8'))
    const { fields, data }: Printed = body.tables?.[0] ?? body
    expect(results.filter(({ dataset }) => dataset === slug).map(({ rows }) => rows)).toEqual([data.length])
    let compared = 0
    for (const cells of data) {
      const cell = (heading: string): string => cells[fields.indexOf(heading)]!.trim()
      const rows: readonly Record<string, unknown>[] = await read(slug, cell(ticker))
      const digits = cell(day[0]!).replaceAll(/\D/g, '')
      const date = `${Number(digits.slice(0, 3)) + 1911}-${digits.slice(3, 5)}-${digits.slice(5)}`
      const row = rows.find(each => each[day[1]!] === date)!
      for (const [heading, column] of Object.entries(figures)) {
        expect([heading, row[column]]).toEqual([heading, Number(cell(heading).replaceAll(',', ''))])
        compared++
      }
    }
    expect(compared).toBe(data.length * Object.keys(figures).length)
  })

  it('real ex-rights details give the cash dividend of their security', async () => {
    expect((await read('ex-rights', '00913'))[0]).toMatchObject({ dividend_value: 0.46, cash_dividend: null })
    await ingest('twse-ex-rights-detail', ['twse', 'twse-stocks-dividends-detail.json'], '2024-03-04')
    expect((await read('ex-rights', '00913'))[0]).toMatchObject({ cash_dividend: 0.46, bonus_shares_per_thousand: 0 })
  })

  it('real events agree with their printed values, ratios and par values', async () => {
    const { data } = (await s.get('/v2/data-catalog/reconciliation', key)).json()
    const counts = (slug: string) =>
      data
        .find((each: { slug: string }) => each.slug === slug)
        .methods.map((each: Record<string, unknown>) => [each['method'], each['rows_compared'], each['mismatched']])
    expect(counts('ex-rights')).toEqual(
      expect.arrayContaining([
        ['printed_value', 5, 0],
        ['cash_is_the_value_of_a_dividend', 4, 0],
      ]),
    )
    expect(counts('capital-changes')).toEqual(
      expect.arrayContaining([
        ['ratio_explains_reference', 6, 0],
        ['par_values_explain_ratio', 4, 0],
      ]),
    )
  })

  it.each([
    ['twse-etf-splits', ['twse', 'twse-stocks-etf-splits.json']],
    ['tpex-etf-splits', ['tpex', 'tpex-stocks-etf-splits.json']],
    ['tpex-etf-reverse-splits', ['tpex', 'tpex-stocks-etf-reverse-splits.json']],
  ])('the real list of %s holds only placeholders dated 2099 and publishes nothing', async (feed, path) => {
    expect(await ingest(feed, path)).toMatchObject([{ outcome: 'empty', said: 'only placeholders dated 2099', rows: 0 }])
  })
})
