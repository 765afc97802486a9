import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { crossSections, type Dataset, loadCatalog, pathOf, type Row, served } from '../../catalog/index.ts'
import { addDays } from '../../src/core/index.ts'
import { NOW, service, type TestService } from '../support.ts'
import { holder } from '../usage/ledger.ts'

const SLUG = 'institutional-positioning'
const PATH = `/v2/datasets/${SLUG}/cross-section`
const catalog = await loadCatalog()
const SECTIONS = crossSections(catalog)

let s: TestService
beforeAll(async () => {
  s = await service({ indexed: false })
})
afterAll(() => s.close())

const rowsOf = (body: { readonly data?: readonly Row[]; readonly envelope?: { readonly data: readonly Row[] } }): readonly Row[] =>
  body.data ?? body.envelope!.data
/** The property names of a body, without rows, filters and query. */
const keysOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, ['filters', 'query'].includes(name) ? true : keysOf(inner)]))
    : true
const dayOf = ({ example, date }: Dataset): string => String((example[0] as Row)[date!])

it('exactly the datasets with a key and a day in their grain have a cross-section', () => {
  const daily = served(catalog).filter(({ key, date, grain }) => [key, date].every(name => name !== undefined && grain.includes(name)))
  const slugs = crossSections(catalog).map(({ slug }) => slug)
  expect(slugs).toEqual(daily.map(({ slug }) => slug))
  expect(slugs).toEqual(expect.arrayContaining(['daily-prices', 'events', 'futures-daily', 'trading-calendar', 'valuation']))
  for (const slug of ['earnings', 'money-market-rates', 'securities']) expect(slugs).not.toContain(slug)
  for (const { key, date, grain } of crossSections(catalog)) expect(grain).toEqual(expect.arrayContaining([key, date]))
})

/** Each cross-section with the day of its example and its URL. */
const sections = SECTIONS.map(section => {
  const day = dayOf(section.sectionOf!)
  return { ...section, dataset: section.sectionOf!, day, url: `${section.path}?date=${day}` }
})

it('every cross-section has all rows of the day, sorted by key', async () => {
  for (const { dataset, key, date, day, url } of sections) {
    const wanted = dataset.example.filter(row => (row as Row)[date!] === day)
    const rows = rowsOf((await s.get(url, s.keyOn('max'))).json())
    expect.soft(rows.length, `row count of ${url}`).toBe(wanted.length)
    expect.soft(rows, `rows of ${url}`).toEqual(expect.arrayContaining([...wanted]))
    expect
      .soft(
        rows.map(row => String(row[key!])),
        `order of ${url}`,
      )
      .toEqual(rows.map(row => String(row[key!])).toSorted())
  }
})

const SAME_HEADERS = [
  'x-release',
  'x-data-as-of',
  'x-known-gaps',
  'x-warnings',
  'x-row-limit',
  'last-modified',
  'x-credits-charged',
  'x-dataset',
]

it('every cross-section has the envelope and headers of its dataset, and its own ETag', async () => {
  for (const { dataset, url } of sections) {
    const required = Object.entries(dataset.filters).flatMap(([name, { required, all, example }]) =>
      required ? `${name}=${all ?? example}` : [],
    )
    const [first, other] = [
      await s.get(url, s.keyOn('max')),
      await s.get(`${pathOf(dataset)}?${['limit=50', ...required].join('&')}`, s.keyOn('max')),
    ]
    expect.soft([first.statusCode, other.statusCode], `status of ${url}`).toEqual([200, 200])
    expect.soft(keysOf(first.json()), `envelope of ${url}`).toEqual(keysOf(other.json()))
    for (const name of SAME_HEADERS) expect.soft(first.headers[name], `${name} of ${url}`).toEqual(other.headers[name])
    expect.soft(first.headers['etag'], `ETag of ${url}`).not.toBe(other.headers['etag'])
  }
})

it('every cross-section has the price and plan of its dataset, and counts in the usage of the dataset', async () => {
  for (const { dataset, url } of sections) {
    const { access, slug } = dataset
    const buyer = holder(s, 'max', `${slug}-section@example.test`, NOW)
    const { headers } = await s.get(url, buyer.key)
    const charged = Number(headers['x-credits-limit']) - Number(headers['x-credits-remaining'])
    expect.soft(charged, `credits of ${url}`).toBe(access!.credits)
    expect.soft((await s.get('/v2/account/usage-summary', buyer.key)).body, `usage of ${url}`).toContain(slug)
    if (access!.plan === 'free') continue
    const refused = await s.get(url, s.keyOn('free'))
    const error = { error_code: 'plan_required', dataset: dataset.id }
    expect.soft([refused.statusCode, refused.json().error], `plan of ${url}`).toMatchObject([403, error])
  }
})

it('every cross-section echoes its day, but no key and no range of days', async () => {
  for (const { dataset, key, date, day, url, envelope } of sections) {
    const full = envelope.kind === 'A-bare' ? '&envelope=full' : ''
    const body = (await s.get(`${url}&limit=1${full}`, s.keyOn('max'))).json()
    const echo = body.query ?? body.request_context.filters
    expect.soft(echo, `echo of ${url}`).toMatchObject({ date: day, limit: 1, offset: 0, sort_by: key, sort_order: 'asc' })
    const dropped = Object.entries(dataset.filters).filter(([name, { column }]) => [key, date].includes(column) && name !== 'date')
    for (const [name] of dropped) expect.soft(echo, `echo of ${url}`).not.toHaveProperty(name)
  }
})

it('every cross-section refuses the key and day filters of its dataset and accepts all others', async () => {
  for (const { dataset, key, date, url } of sections) {
    for (const [name, { column, example, op }] of Object.entries(dataset.filters)) {
      if (name === 'date') continue
      const cell = `${url}&${name}=${op === 'latest' ? 'true' : example}`
      const response = await s.get(cell, s.keyOn('max'))
      const isFixed = [key, date].includes(column)
      expect.soft(response.statusCode, `status of ${cell}`).toBe(isFixed ? 422 : 200)
      if (!isFixed) continue
      const msg = expect.stringContaining(`${dataset.slug}/cross-section`)
      expect.soft(response.json().detail, `detail of ${cell}`).toMatchObject([{ loc: ['query', name], type: 'unknown_parameter', msg }])
    }
  }
})

it('every cross-section refuses a missing, malformed or repeated date', async () => {
  for (const { path, url, day } of sections) {
    for (const [query, type] of [
      ['', 'missing'],
      ['?date=', 'missing'],
      ['?date=2026-02-30', 'date'],
      ['?date=yesterday', 'date'],
    ]) {
      const response = await s.get(`${path}${query}`, s.keyOn('max'))
      const { error = {}, detail } = response.json()
      const found = [response.statusCode, error.error_code, error.blocking_gate]
      expect.soft(found, `error of ${path}${query}`).toEqual([422, 'invalid_parameter', null])
      expect.soft(detail?.[0], `detail of ${path}${query}`).toMatchObject({ loc: ['query', 'date'], type })
    }
    expect.soft((await s.get(`${url}&date=${day}`, s.keyOn('max'))).statusCode, `repeated date of ${path}`).toBe(422)
  }
})

it('every cross-section answers HEAD and a matching ETag without a charge', async () => {
  for (const { path, url, day } of sections) {
    const key = s.keyOn('max')
    const { headers } = await s.get(url, key)
    const again = await s.get(url, key, { 'if-none-match': String(headers['etag']) })
    const head = await s.app.inject({ method: 'HEAD', url, headers: { 'x-api-key': key } })
    expect.soft([again.statusCode, head.statusCode, head.body], `304 and HEAD of ${url}`).toEqual([304, 200, ''])
    expect.soft([again.headers['etag'], head.headers['etag']], `ETags of ${url}`).toEqual([headers['etag'], headers['etag']])
    expect.soft([again.headers['x-credits-charged'], head.headers['x-credits-charged']], `credits of ${url}`).toEqual(['0', '0'])
    const elsewhere = await s.get(`${path}?date=${addDays(day, -1)}`, key, { 'if-none-match': String(headers['etag']) })
    expect.soft(elsewhere.statusCode, `another day of ${path}`).toBe(200)
  }
})

it('the catalog links to every cross-section, which can also be requested by dataset id', async () => {
  const { data } = (await s.get('/v2/datasets')).json() as {
    readonly data: readonly { readonly slug: string; readonly links: { readonly cross_section?: string } }[]
  }
  for (const { dataset, path, url } of sections) {
    expect.soft(data.find(({ slug }) => slug === dataset.slug)!.links.cross_section, `link of ${path}`).toBe(path)
    const byId = await s.get(url.replace(dataset.slug, dataset.id), s.keyOn('max'))
    expect.soft(rowsOf(byId.json()), `rows of ${url} by id`).toEqual(rowsOf((await s.get(url, s.keyOn('max'))).json()))
  }
})

const TICKERS = Array.from({ length: 70 }, (_, index) => String(1_101 + index))
const flow = (ticker: string, trade_date: string): Row => ({
  ticker,
  market: 'TWSE',
  trade_date,
  foreign_net_buy: Number(ticker) + Number(trade_date.slice(-2)),
  investment_trust_net_buy: 1,
  dealer_net_buy: -1,
})

describe('pages of a cross-section', () => {
  let t: TestService
  beforeAll(async () => {
    t = await service({ examples: false, indexed: false })
    await t.publish(
      SLUG,
      ['2026-06-25', '2026-06-26', '2026-06-30'].flatMap(day => TICKERS.map(ticker => flow(ticker, day))),
    )
  })
  afterAll(() => t.close())
  const read = async (query: string, plan: 'pro' | 'max' = 'pro') => t.get(`${PATH}?${query}`, t.keyOn(plan))

  it('a cross-section without limit has every ticker', async () => {
    const answer = await read('date=2026-06-26')
    expect(answer.json().data.map(({ ticker }: { ticker: string }) => ticker)).toEqual(TICKERS)
    expect(answer.headers).toMatchObject({ 'x-row-count': '70', 'x-row-limit': '20000' })
    expect(answer.headers).not.toHaveProperty('link')
  })

  it('the pages of a cross-section return every ticker once', async () => {
    const tickers: string[] = []
    let url = `${PATH}?date=2026-06-26&limit=30&columns=ticker`
    while (url !== '') {
      const { headers, json } = await t.get(url, t.keyOn('pro'))
      tickers.push(...json().data.map(({ ticker }: { ticker: string }) => ticker))
      url = /<([^>]+)>; rel="next"/.exec(String(headers['link'] ?? ''))?.[1] ?? ''
      if (url !== '') expect(url).toMatch(/^\/v2\/datasets\/institutional-positioning\/cross-section\?date=2026-06-26&.*release=/)
    }
    expect(tickers).toEqual(TICKERS)
  })

  it('release= pins the release of a cross-section', async () => {
    const first = t.releases.current(t.dataset(SLUG)).id
    await t.publish(SLUG, [flow('9999', '2026-06-30'), ...TICKERS.map(ticker => flow(ticker, '2026-06-30'))])
    expect((await read('date=2026-06-30')).json().row_count).toBe(71)
    expect((await read(`date=2026-06-30&release=${first}`)).json().row_count).toBe(70)
  })

  it.each([
    ['not_trading_day', '2026-06-27'],
    ['not_captured', '2026-06-29'],
    ['outside_coverage', '2026-07-01'],
    ['outside_coverage', '1999-01-04'],
    ['past_the_end', '2026-06-26&offset=70'],
  ])('an empty cross-section states %s for date=%s', async (reason, query) => {
    const answer = await read(`date=${query}`)
    expect([answer.statusCode, answer.json().data, answer.headers['x-empty-reason']]).toEqual([200, [], reason])
  })
})

it('the error for a dataset without a cross-section states its path, and an unknown name gets the nearest name', async () => {
  const key = s.keyOn('max')
  const other = await s.get('/v2/datasets/theme-taxonomy/cross-section?date=2026-06-30', key)
  expect([other.statusCode, other.json().error]).toMatchObject([
    404,
    { read_at: '/v2/datasets/theme-taxonomy', allowed: expect.arrayContaining([SLUG]) },
  ])
  const report = await s.get('/v2/datasets/earnings/cross-section?date=2026-06-30', key)
  expect(report.json().error.read_at).toBe('/v1/earnings')
  const wrong = await s.get('/v2/datasets/institutional-positionin/cross-section?date=2026-06-30', key)
  expect([wrong.statusCode, wrong.json().error.did_you_mean]).toEqual([404, SLUG])
})

it('the read of a dataset with a cross-section still requires symbol', async () => {
  const answer = await s.get(`/v2/datasets/${SLUG}?start_date=2026-06-30&end_date=2026-06-30`, s.keyOn('max'))
  expect([answer.statusCode, answer.json().error.blocking_gate]).toEqual([422, 'bounds'])
})

it('a cross-section has its own download file name', async () => {
  const section = await s.get(`/v2/datasets/${SLUG}/cross-section?date=2026-06-30&format=csv`, s.keyOn('max'))
  const series = await s.get(`/v2/datasets/${SLUG}?symbol=2330&format=csv`, s.keyOn('max'))
  const release = section.headers['x-release']
  expect([section, series].map(({ headers }) => headers['content-disposition'])).toEqual([
    `attachment; filename="${SLUG}-cross-section-${release}.csv"`,
    `attachment; filename="${SLUG}-${release}.csv"`,
  ])
})
