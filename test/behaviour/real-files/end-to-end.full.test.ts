import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Row } from '../../../catalog/index.ts'
import { loadFeeds } from '../../../ingest/feeds/index.ts'
import { ingestFiles } from '../../../ingest/index.ts'
import { service, type TestService } from '../../support.ts'
import { emptyBodies, real, realFilesThere } from './files.ts'

const feeds = await loadFeeds()
const LEGS = ['foreign_net_buy', 'investment_trust_net_buy', 'dealer_net_buy', 'institutional_net_buy_total'] as const

interface Taken {
  readonly outcome: string
  readonly date: string | null
  readonly rows: number
  readonly said: string | null
  readonly message: string | null
}

describe.skipIf(!realFilesThere)('ingest of real files', () => {
  let s: TestService
  let key: string
  const ingest = async (
    feed: string,
    files: readonly string[],
    requestedDay?: string,
    accept: readonly string[] = [],
  ): Promise<readonly Taken[]> => {
    const { results } = await ingestFiles(s.workspace, feeds.get(feed)!, files, { requestedDay, accept, progress: () => {} })
    await s.releases.refresh()
    return results
  }
  const rowsOf = (results: readonly Taken[]): number => results.reduce((sum, { rows }) => sum + rows, 0)
  const read = async (path: string) => (await s.get(path, key)).json()

  beforeAll(async () => {
    s = await service({ examples: false, now: () => new Date('2026-11-20T12:00:00Z') })
    key = s.keyOn('max')
  })
  afterAll(() => s.close())

  it('ingest publishes every row of real T86 files of three eras and of the wide form', async () => {
    const names = [
      'twse-stocks-institutional-origin.json',
      'twse-stocks-institutional-without-foreign-dealers.json',
      'twse-stocks-institutional.json',
    ]
    const results = await ingest('twse-t86', [...names.map(name => real('twse', name)), real('t86', 't86_twse_only.csv')])
    expect(results.map(({ outcome }) => outcome)).toEqual(Array(8).fill('published'))
    expect(rowsOf(results)).toBe(803 + 860 + 1_120 + 6_294)
  })

  it('the API serves the printed trades of 2330 by institution on 2023-01-30', async () => {
    const body = JSON.parse(readFileSync(real('twse', 'twse-stocks-institutional.json'), 'utf8')) as { fields: string[]; data: string[][] }
    const printed = body.data.find(cells => cells[0]!.trim() === '2330')!
    const numberOf = (field: string): number => Number(printed[body.fields.indexOf(field)]!.replaceAll(',', ''))
    const { data } = await read('/v2/datasets/institutional-positioning?symbol=2330&start_date=2023-01-30&end_date=2023-01-30')
    expect(LEGS.map(leg => data[0][leg])).toEqual(
      ['外陸資買賣超股數(不含外資自營商)', '投信買賣超股數', '自營商買賣超股數', '三大法人買賣超股數'].map(numberOf),
    )
  })

  it('the API serves 2330 from 2025-11-10 to 2025-11-14 as printed in the wide file, with streaks', async () => {
    const [head, ...lines] = readFileSync(real('t86', 't86_twse_only.csv'), 'utf8')
      .trim()
      .split(/\r?\n/)
      .map(line => line.split(','))
    const cell = (cells: string[], name: string): string => cells[head!.indexOf(name)]!
    const printed = lines.filter(line => cell(line, 'stock_no') === '2330').sort((a, b) => (cell(a, 'date') < cell(b, 'date') ? 1 : -1))
    const { data } = await read('/v2/datasets/institutional-positioning?symbol=2330&start_date=2025-11-10&end_date=2025-11-14')
    expect(data.map((row: Record<string, unknown>) => [row['trade_date'], ...LEGS.map(leg => row[leg])])).toEqual(
      printed.map(cells => [
        cell(cells, 'date'),
        ...['foreign_net', 'investment_trust_net', 'dealer_total_net', 'overall_net'].map(name => Number(cell(cells, name))),
      ]),
    )
    const streaks = data.map((row: Record<string, number>) => row['buy_streak']! - row['sell_streak']!).reverse()
    let run = 0
    for (const [index, total] of data
      .map((row: Record<string, number>) => row['institutional_net_buy_total']!)
      .reverse()
      .entries()) {
      run = total === 0 ? 0 : Math.sign(total) === Math.sign(run) ? run + Math.sign(total) : Math.sign(total)
      expect(streaks[index]).toBe(run)
    }
  })

  it('ingest publishes real TPEx trades, and refuses a file that repeats one body under five dates', async () => {
    const [day] = await ingest('tpex-institutional', [real('tpex', 'tpex-stocks-institutional.json')])
    expect(day).toMatchObject({ outcome: 'published', date: '2023-01-30', rows: 740 })
    const stale = await ingest('tpex-institutional', [real('t86', 't86_tpex_only.csv')])
    expect(rowsOf(stale)).toBe(4_340)
    expect(stale.map(({ outcome, said }) => [outcome, said])).toEqual(Array(5).fill(['refused', 'same_body']))
  })

  it("ingest of both markets' real quotes adds the shares of volume to the institutional trades of the day", async () => {
    expect(rowsOf(await ingest('twse-quotes', [real('twse', 'twse-stocks-historical.json')]))).toBe(1_182 + 75)
    expect(rowsOf(await ingest('tpex-quotes', [real('tpex', 'tpex-stocks-historical.json')]))).toBe(7_281)
    const body = JSON.parse(readFileSync(real('twse', 'twse-stocks-historical.json'), 'utf8')) as {
      tables: { fields?: string[]; data?: string[][] }[]
    }
    const table = body.tables.find(({ fields }) => fields?.includes('證券代號'))!
    const volume = Number(table.data!.find(cells => cells[0] === '2330')![table.fields!.indexOf('成交股數')]!.replaceAll(',', ''))
    const { data } = await read('/v2/datasets/institutional-positioning?symbol=2330&start_date=2023-01-30&end_date=2023-01-30')
    expect(data[0].foreign_pct).toBeCloseTo(data[0].foreign_net_buy / volume, 12)
    expect(data[0].inst_share_of_volume).toBeCloseTo(data[0].institutional_net_buy_total / volume, 12)
  })

  it('ingest publishes the real lists of firms and branches, whose codes are case-sensitive', async () => {
    const sample = [real('broker', 't187ap18_sample_transcribed.json')]
    expect(await ingest('securities-firms', sample)).toMatchObject([{ outcome: 'refused', said: 'row_count_drift' }])
    expect(rowsOf(await ingest('securities-firms', sample, undefined, ['row_count_drift']))).toBe(7)
    expect(rowsOf(await ingest('broker-branches', [real('broker', 'broker_list_about2024.csv')], '2025-03-30'))).toBe(776)
    const firm = await read('/v2/datasets/securities-firm-master?symbol=1260')
    expect(firm.data[0]).toMatchObject({ tax_id: '03027502', margin_start_date: null, established_date: '1961-12-08' })
    const codes = await Promise.all(['585B', '585b'].map(code => read(`/v2/datasets/broker-branch-reference?branch_code=${code}`)))
    expect(codes.map(({ data }) => [data.length, data[0].branch_code])).toEqual([
      [1, '585B'],
      [1, '585b'],
    ])
    expect(codes[0].data[0].branch_name).not.toBe(codes[1].data[0].branch_name)
  })

  it("ingest of both markets' real earnings pages serves 2330 in 2023-Q1 as filed", async () => {
    const pages = ['mops-twse-stocks-eps.html', 'mops-tpex-stocks-eps.html'].map(name => real('mops', name))
    const results = await ingest('mops-eps', pages, '2023-03-31')
    expect(results.map(({ rows }) => rows)).toEqual([994, 816])
    const { data } = await read('/v1/earnings?symbol=2330&period=2023Q1')
    expect(data).toHaveLength(1)
    expect(data[0]).toMatchObject({
      fiscal_period: '2023-Q1',
      report_type: 'quarterly',
      revenue: 508_632_973_000,
      eps: 7.98,
      announcement_date: null,
    })
    expect((await read('/v1/financial-reports/company-earnings?symbol=2330')).data[0]).toMatchObject({
      revenue: 508_632_973_000,
      eps: 7.98,
      currency: 'TWD',
    })
    expect(await ingest('mops-eps', [real('earnings', 'mops_t163sb04_2023Q1.csv')])).toMatchObject([{ outcome: 'unchanged', rows: 1_810 }])
  })

  it('if the same earnings pages are ingested for the year before, ingest refuses them and names the equal quarter', async () => {
    const pages = ['mops-twse-stocks-eps.html', 'mops-tpex-stocks-eps.html'].map(name => real('mops', name))
    const results = await ingest('mops-eps', pages, '2022-03-31')
    expect(results.map(({ outcome, said }) => [outcome, said])).toEqual(Array(2).fill(['refused', 'same_body']))
    expect(results[0]!.message).toContain('TWSE 2022-Q1 and TWSE 2023-Q1 share 994 keys, and 994 of them have the same figures')
    expect(await ingest('mops-eps', pages, '2023-03-30')).toMatchObject(Array(2).fill({ outcome: 'refused', said: 'wrong_day' }))
  })

  it('ingest publishes real lists of securities and indices, and refuses a later list that has only one line', async () => {
    expect(await ingest('isin', [real('mops', 'isin-query.html')], '2026-03-25')).toMatchObject([
      { outcome: 'refused', said: 'row_count_drift', message: expect.stringContaining('has 1 row; a complete one has at least 500') },
      { outcome: 'refused', said: 'row_count_drift' },
    ])
    const lists = ['twse_equities.csv.gz', 'tpex_equities.csv.gz'].map(name => real('equities', name))
    expect((await ingest('isin', lists, '2026-03-26')).map(({ outcome }) => outcome)).toEqual(Array(4).fill('published'))
    const { envelope } = await read('/v2/datasets/theme-taxonomy?symbol=2330')
    expect(envelope.data).toMatchObject([{ theme_name: '半導體業', taxonomy_type: 'industry', market: 'TWSE' }])
    expect(await ingest('isin', [real('mops', 'isin-query.html')], '2026-03-27')).toMatchObject([
      { outcome: 'refused', said: 'row_count_drift' },
      { outcome: 'refused', said: 'row_count_drift' },
    ])
    const indices = ['fetched-twse-indices-list.json', 'fetched-tpex-indices-list.json'].map(name => real('index', name))
    expect(rowsOf(await ingest('indices', indices, '2026-03-26'))).toBe(5)
  })

  it('search finds securities of the real lists and securities that only older quotes name', async () => {
    await s.search.refresh()
    const find = async (q: string) => (await read(`/v2/search?q=${encodeURIComponent(q)}`)) as { total: number; data: Row[] }
    const symbols = await read('/v2/search?q=00&type=symbol&limit=1')
    expect(symbols.facets.symbol).toBeGreaterThan(300)
    for (const q of ['台積電', '臺積電', '台积电', '２３３０', 'TW0002330008', '2330 台積電']) {
      const hit = { type: 'symbol', id: '2330', title: '台積電', subtitle: '股票 · 半導體業', market: 'TWSE' }
      expect((await find(q)).data[0]).toMatchObject({ ...hit, datasets: expect.arrayContaining(['institutional-positioning', 'earnings']) })
    }
    expect((await find('台積')).data[0]).toMatchObject({ id: '2330', matched_on: 'name' })
    expect((await find('00878')).data[0]).toMatchObject({ type: 'symbol', title: '國泰永續高股息', subtitle: 'ETF' })
    // Securities that were traded in January 2023 and are in no list of 2026.
    expect((await find('02001S')).data[0]).toMatchObject({ title: '策元大加權策略N', subtitle: null, market: 'TWSE' })
    expect((await find('凱基台北')).data[0]).toMatchObject({ type: 'branch', id: '9268', title: '凱基-台北' })
    expect((await find('購')).total).toBeGreaterThan(40_000)
  })

  it.each([
    ['isin', 'isin-query-no-data.html'],
    ['mops-eps', 'mops-twse-stocks-eps-no-data.html'],
    ['mops-revenue', 'mops-no-record.html'],
    ['tpex-quotes', 'tpex-stocks-historical-no-data.json'],
    ['tpex-institutional', 'tpex-stocks-institutional-no-data.json'],
    ['twse-quotes', 'twse-stocks-historical-no-data.json'],
    ['twse-t86', 'twse-stocks-institutional-no-data.json'],
  ])('ingest into %s records the real body %s as empty', async (feed, name) => {
    expect(await ingest(feed, [real('empty', name)])).toMatchObject([{ outcome: 'empty' }])
  })

  it('the feed of branches refuses every real empty body as an empty list or as a table of another feed', async () => {
    const names = emptyBodies()
    const results = await ingest(
      'broker-branches',
      names.map(name => real('empty', name)),
    )
    const reasons = new Set(results.filter(({ outcome }) => outcome !== 'unchanged').map(({ said }) => said))
    expect(names.length).toBeGreaterThanOrEqual(29)
    expect([...reasons].toSorted()).toEqual(['empty_list', 'wrong_table'])
  })

  it('ingest refuses a real wrong-day body and a real too-early body and leaves served rows unchanged', async () => {
    const before = (await s.get('/v2/datasets/institutional-positioning?symbol=2330', key)).headers['x-release']
    expect(await ingest('twse-t86', [real('t86', 'raw', 'WRONG_DATE_foreign_20251028.json')], '2025-10-28')).toMatchObject([
      { outcome: 'refused', said: 'wrong_day' },
    ])
    expect(await ingest('tpex-institutional', [real('t86', 'raw', 'tpex_20260512.json')])).toMatchObject([
      { outcome: 'refused', said: 'asked_too_early', date: null },
    ])
    expect((await s.get('/v2/datasets/institutional-positioning?symbol=2330', key)).headers['x-release']).toBe(before)
  })
})
