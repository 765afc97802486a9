import { readdirSync, readFileSync } from 'node:fs'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Fetcher, openFetcher } from '../../../ingest/fetchers/index.ts'
import { fetchFeed } from '../../../ingest/index.ts'
import { source } from '../../fixtures/fetch/source.ts'
import { feeds } from '../../fixtures/ingest/bodies.ts'
import { service, type TestService } from '../../support.ts'
import { real, realFilesThere } from './files.ts'

/** Files that the source sends, by a pattern of address and form. The first match is used. */
const BODIES: readonly (readonly [asked: RegExp, file: readonly string[]])[] = [
  [/fund\/T86\?date=20120502/, ['twse', 'twse-stocks-institutional-origin.json']],
  [/fund\/T86\?date=20141201/, ['twse', 'twse-stocks-institutional-without-foreign-dealers.json']],
  [/fund\/T86\?date=20230130/, ['twse', 'twse-stocks-institutional.json']],
  [/fund\/T86\?date=20251028/, ['t86', 'raw', 'WRONG_DATE_foreign_20251028.json']],
  [/insti\/dailyTrade.*date=2023\/01\/30/, ['tpex', 'tpex-stocks-institutional.json']],
  [/insti\/dailyTrade.*date=2026\/05\/12/, ['t86', 'raw', 'tpex_20260512.json']],
  [/MI_INDEX\?date=20230130/, ['twse', 'twse-stocks-historical.json']],
  [/dailyQuotes\?date=2023\/01\/30/, ['tpex', 'tpex-stocks-historical.json']],
  [/getOD/, ['tdcc', 'TDCC_OD_1-5.csv.gz']],
]

describe.skipIf(!realFilesThere)('fetch of real bodies', () => {
  let s: TestService
  let exchange: Awaited<ReturnType<typeof source>>
  let fetcher: Fetcher
  beforeAll(async () => {
    s = await service({ examples: false, now: () => new Date('2026-11-20T12:00:00Z') })
    const pages = readdirSync(real('mops')).filter(name => name.endsWith('eps.html'))
    exchange = await source(({ path, form }, response) => {
      const page = /TYPEK=(sii|otc)&year=112&season=01/.exec(form)?.[1]
      const found = page
        ? ['mops', pages.find(name => name.includes(page === 'sii' ? 'twse' : 'tpex'))!]
        : BODIES.find(([asked]) => asked.test(path))?.[1]
      if (found === undefined) {
        response.writeHead(302, { location: '/' })
        return ''
      }
      const bytes = readFileSync(real(...found))
      response.setHeader('content-encoding', 'gzip')
      return found.at(-1)!.endsWith('.gz') ? gzipSync(gunzipSync(bytes)) : gzipSync(bytes)
    })
    const hosts = [...feeds.values()].flatMap(({ fetch = [] }) =>
      fetch.flatMap(({ requests }) => requests.map(({ url }) => new URL(url).host)),
    )
    fetcher = openFetcher({
      dataDir: s.dir,
      version: '0',
      bases: new Map(hosts.map(host => [host, exchange.url])),
      consent: new Set(hosts),
      contact: undefined,
      ca: undefined,
    })
  })
  afterAll(async () => {
    await fetcher.close()
    await exchange.close()
    await s.close()
  })
  const fetch = async (feed: string, day?: string) => {
    const fetched = await fetchFeed(s.workspace, fetcher, feeds.get(feed)!, day === undefined ? {} : { wanted: { from: day, to: day } })
    return fetched.ingested.flatMap(({ results }) => results.map(({ outcome, said, dataset, rows }) => [outcome, said ?? dataset, rows]))
  }

  it('fetching a day publishes every row of the real body', async () => {
    const trades = 'institutional-positioning'
    expect(await fetch('twse-t86', '2012-05-02')).toEqual([['published', trades, 803]])
    expect(await fetch('twse-t86', '2014-12-01')).toEqual([['published', trades, 860]])
    expect(await fetch('twse-t86', '2023-01-30')).toEqual([['published', trades, 1_120]])
    expect(await fetch('tpex-institutional', '2023-01-30')).toEqual([['published', trades, 740]])
    expect((await fetch('twse-quotes', '2023-01-30')).map(([outcome, dataset]) => [outcome, dataset])).toEqual([
      ['published', feeds.get('twse-quotes')!.datasets[0]],
      ['published', 'market-indices'],
    ])
    expect((await fetch('tpex-quotes', '2023-01-30')).map(([outcome, , rows]) => [outcome, rows])).toEqual([['published', 7_281]])
  })

  it("fetching a quarter publishes both markets' real pages", async () => {
    expect((await fetch('mops-eps', '2023-03-31')).map(([outcome, , rows]) => [outcome, rows])).toEqual([
      ['published', 994],
      ['published', 816],
    ])
  })

  it('fetching the shareholder distribution publishes the real body', async () => {
    expect((await fetch('tdcc-distribution')).map(([outcome]) => outcome)).toEqual(['published'])
  })

  it('fetching refuses a real body of another day and a real too-early body', async () => {
    expect((await fetch('twse-t86', '2025-10-28')).map(([outcome]) => outcome)).toEqual(['refused'])
    expect(await fetch('tpex-institutional', '2026-05-12')).toEqual([['refused', 'asked_too_early', 0]])
  })

  it('the API serves every figure of a fetched real body', async () => {
    await s.releases.refresh()
    const body = JSON.parse(readFileSync(real('twse', 'twse-stocks-institutional.json'), 'utf8')) as { fields: string[]; data: string[][] }
    const total = body.fields.indexOf('三大法人買賣超股數')
    const answer = await s.get('/v2/datasets/institutional-positioning/cross-section?date=2023-01-30', s.keyOn('max'))
    expect(answer.statusCode).toBe(200)
    const { data } = answer.json() as { data: { ticker: string; market: string; institutional_net_buy_total: number }[] }
    expect(new Map(data.filter(({ market }) => market === 'TWSE').map(row => [row.ticker, row.institutional_net_buy_total]))).toEqual(
      new Map(body.data.map(cells => [cells[0]!.trim(), Number(cells[total]!.replaceAll(',', ''))])),
    )
  })
})
