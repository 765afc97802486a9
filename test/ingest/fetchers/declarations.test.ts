import { describe, expect, it } from 'vitest'
import { loadCatalog } from '../../../catalog/index.ts'
import { loadFeeds } from '../../../ingest/feeds/index.ts'
import { filled, periodOf, periodsBetween, sourceOf } from '../../../ingest/fetchers/index.ts'

const day = periodOf('day', '2023-01-30')

describe('request URLs', () => {
  it('a request URL can have the day in Gregorian or Republic years, with or without leading zeros', () => {
    const url = 'https://a.example/?a={YYYYMMDD}&b={YYYY/MM/DD}&c={ROC/MM/DD}&d={M}-{D}'
    expect(filled({ url }, day).url).toBe('https://a.example/?a=20230130&b=2023/01/30&c=112/01/30&d=1-30')
  })

  it('a request URL can have the first and the last day of a month', () => {
    const url = 'https://a.example/?from={first:YYYYMMDD}&to={YYYYMMDD}'
    expect(filled({ url }, periodOf('month', '2024-02-10')).url).toBe('https://a.example/?from=20240201&to=20240229')
  })

  it('a request form can have the year and the quarter', () => {
    const form = { year: '{ROC}', season: '{QQ}', plain: '{Q}' }
    expect(filled({ url: 'https://a.example/', form }, periodOf('quarter', '2023-08-14')).form).toEqual({
      year: '112',
      season: '03',
      plain: '3',
    })
  })

  it('a request URL with an unknown placeholder is refused', () => {
    expect(() => filled({ url: 'https://a.example/{YYYYmmdd}' }, day)).toThrow('Unknown placeholder "mmdd" in {YYYYmmdd}')
  })
})

it('the periods of a range are the days, months or quarters that contain a day of the range', () => {
  expect(periodsBetween('day', '2024-02-28', '2024-03-01').map(({ last }) => last)).toEqual(['2024-02-28', '2024-02-29', '2024-03-01'])
  expect(periodsBetween('month', '2023-12-31', '2024-01-01').map(({ last }) => last)).toEqual(['2023-12-31', '2024-01-31'])
  expect(periodsBetween('quarter', '2023-12-31', '2024-01-01')).toEqual([
    { first: '2023-10-01', last: '2023-12-31' },
    { first: '2024-01-01', last: '2024-03-31' },
  ])
  expect(periodsBetween('day', '2024-03-02', '2024-03-01')).toEqual([])
})

it("only open-data sources permit programs; the exchanges' sites and unknown hosts do not", () => {
  const open = ['https://openapi.twse.com.tw/v1/x', 'https://www.tpex.org.tw/openapi/v1/x', 'https://mopsfin.twse.com.tw/opendata/x.csv']
  const closed = ['https://www.twse.com.tw/rwd/zh/x', 'https://www.tpex.org.tw/www/zh-tw/x', 'https://a.example/openapi/']
  expect(open.map(url => sourceOf(url).open)).toEqual(open.map(() => true))
  expect(closed.map(url => sourceOf(url).open)).toEqual(closed.map(() => false))
})

/** Feeds whose source always offers the complete list, so that a missed week loses no rows. */
const COMPLETE_LISTS = [
  'companies',
  'isin',
  'tpex-ex-rights-forecast',
  'tpex-shareholder-meetings',
  'twse-delistings',
  'twse-dividend-decisions',
  'twse-etf-register',
  'twse-ex-rights-forecast',
  'twse-shareholder-meetings',
]

it('if a source offers only the newest publication, its feed has due times, unless it is a complete list', async () => {
  const catalog = await loadCatalog()
  const untimed = feeds.filter(
    ({ fetch, datasets }) =>
      fetch!.every(({ period, keeps }) => period === 'latest' && keeps === undefined) &&
      catalog.get(datasets[0]!)!.cadence.every === 'on_change',
  )
  expect(untimed.map(({ name }) => name).sort()).toEqual(COMPLETE_LISTS)
})

it('a dataset states an open licence only if a feed fetches it from open data, or if a known gap names the consent', async () => {
  const wrong = [...(await loadCatalog()).values()].filter(({ slug, lineage: { attribution }, from, knownGaps }) => {
    const isOpen = feeds.some(
      ({ datasets, fetch }) => datasets.includes(slug) && fetch!.some(({ requests }) => requests.every(({ url }) => sourceOf(url).open)),
    )
    return attribution.includes('Open Government Data License') && !isOpen && !from && !('website_needs_consent' in knownGaps)
  })
  expect(wrong.map(({ slug }) => slug)).toEqual([])
})

const feeds = [...(await loadFeeds()).values()].filter(({ fetch }) => fetch !== undefined)

describe.each(feeds)('the fetch declaration of $name', ({ fetch }) => {
  const ways = fetch!

  it('a feed declaration names https addresses of known sources, with forms that can be filled', () => {
    const requests = ways.flatMap(way => way.requests.map(request => filled(request, periodOf(way.period, '2023-03-31'))))
    for (const { url } of requests) {
      expect(new URL(url).protocol).toBe('https:')
      expect(sourceOf(url).licence).not.toContain('unknown')
    }
  })

  it('a feed requests a day, month or quarter, unless its source only has the newest body', () => {
    for (const way of ways) {
      const [first, other] = ['2023-03-31', '2024-05-15'].map(day =>
        JSON.stringify(way.requests.map(each => filled(each, periodOf(way.period, day)))),
      )
      expect(first === other, way.requests[0].url).toBe(way.period === 'latest')
      if (way.period === 'latest') expect(way.since).toBeUndefined()
      else expect(way.undated).toBeUndefined()
    }
  })
})
