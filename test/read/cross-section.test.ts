import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { crossSections, type Dataset, loadCatalog, pathOf, type Row, served } from '../../catalog/index.ts'
import { addDays } from '../../src/core/index.ts'
import { holder } from '../accounts/usage/ledger.ts'
import { NOW, service, type TestService } from '../support.ts'

const SLUG = 'institutional-positioning'
const PATH = `/v2/datasets/${SLUG}/cross-section`
const catalog = await loadCatalog()
/** Those that have rows, since a planned one has none. */
const SECTIONS = crossSections(catalog).filter(({ planned }) => !planned)

let s: TestService
beforeAll(async () => {
  s = await service()
})
afterAll(() => s.close())

const rowsOf = (body: { readonly data?: readonly Row[]; readonly envelope?: { readonly data: readonly Row[] } }): readonly Row[] =>
  body.data ?? body.envelope!.data
/** Everything an answer says but the rows: the ids of the request differ, and so do the parameters. */
const keysOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, ['filters', 'query'].includes(name) ? true : keysOf(inner)]))
    : true
const dayOf = ({ example, date }: Dataset): string => String((example[0] as Row)[date!])

it('is there for each served dataset of which key and day are in the grain, and for no other', () => {
  expect(crossSections(catalog).map(({ slug }) => slug)).toEqual([
    'adjusted-prices',
    'bond-yield-curve',
    'capital-changes',
    'company-risk-events',
    'daily-prices',
    'events',
    'ex-rights',
    'foreign-holding',
    'institutional-positioning',
    'margin-trading',
    'market-indices',
    'monthly-revenue',
    'securities-lending',
    'shareholder-distribution',
    'trading-calendar',
    'valuation',
  ])
  for (const { key, date, grain } of crossSections(catalog)) expect(grain).toEqual(expect.arrayContaining([key, date]))
})

describe.each(SECTIONS)('the cross-section of $slug', section => {
  const { sectionOf: dataset, key, date, path } = section
  const day = dayOf(dataset)
  const url = `${path}?date=${day}`
  const required = Object.entries(dataset.filters).flatMap(([name, { required, all, example }]) =>
    required ? `${name}=${all ?? example}` : [],
  )

  it('has the rows of the day, of every key, by key', async () => {
    const wanted = dataset.example.filter(row => (row as Row)[date!] === day)
    const rows = rowsOf((await s.get(url, s.keyOn('max'))).json())
    expect(rows).toHaveLength(wanted.length)
    expect(rows).toEqual(expect.arrayContaining([...wanted]))
    expect(rows.map(row => String(row[key!]))).toEqual(rows.map(row => String(row[key!])).toSorted())
  })

  it('answers in the envelope of its dataset, under the same headers', async () => {
    const [one, other] = [await s.get(url, s.keyOn('max')), await s.get(`${pathOf(dataset)}?${required.join('&')}`, s.keyOn('max'))]
    expect([one.statusCode, other.statusCode]).toEqual([200, 200])
    expect(keysOf(one.json())).toEqual(keysOf(other.json()))
    const same = [
      'x-release',
      'x-data-as-of',
      'x-known-gaps',
      'x-warnings',
      'x-row-limit',
      'last-modified',
      'x-credits-charged',
      'x-dataset',
    ]
    for (const name of same) expect([name, one.headers[name]]).toEqual([name, other.headers[name]])
    expect(one.headers['etag']).not.toBe(other.headers['etag'])
  })

  it('costs what a read costs, is counted under the dataset, and asks for the same plan', async () => {
    const { access, slug } = dataset
    const buyer = holder(s, 'max', `${slug}-section@example.test`, NOW)
    const answer = await s.get(url, buyer.key)
    expect(Number(answer.headers['x-credits-limit']) - Number(answer.headers['x-credits-remaining'])).toBe(access!.credits)
    const usage = (await s.get('/v2/account/usage-summary', buyer.key)).body
    expect(usage).toContain(slug)
    if (access!.plan !== 'free') {
      const refused = await s.get(url, s.keyOn('free'))
      expect([refused.statusCode, refused.json().error]).toMatchObject([403, { error_code: 'plan_required', dataset: dataset.id }])
    }
  })

  it('echoes the day, and neither the key nor a range of days', async () => {
    const full = section.envelope.kind === 'A-bare' ? '&envelope=full' : ''
    const body = (await s.get(`${url}&limit=1${full}`, s.keyOn('max'))).json()
    const echo = body.query ?? body.request_context.filters
    expect(echo).toMatchObject({ date: day, limit: 1, offset: 0, sort_by: key, sort_order: 'asc' })
    const dropped = Object.entries(dataset.filters).filter(([name, { column }]) => [key, date].includes(column) && name !== 'date')
    for (const [name] of dropped) expect(echo).not.toHaveProperty(name)
  })

  it('takes the other filters of its dataset, and refuses those of the key and of the days', async () => {
    for (const [name, { column, example, op }] of Object.entries(dataset.filters)) {
      if (name === 'date') continue
      const answer = await s.get(`${url}&${name}=${op === 'latest' ? 'true' : example}`, s.keyOn('max'))
      const isFixed = [key, date].includes(column)
      expect([name, answer.statusCode]).toEqual([name, isFixed ? 422 : 200])
      if (isFixed) {
        expect(answer.json().detail).toMatchObject([{ loc: ['query', name], type: 'unknown_parameter' }])
        expect(answer.json().detail[0].msg).toContain(`${dataset.slug}/cross-section`)
      }
    }
  })

  it('says that the date is missing, malformed, or sent twice', async () => {
    for (const [query, type] of [
      ['', 'missing'],
      ['?date=', 'missing'],
      ['?date=2026-02-30', 'date'],
      ['?date=yesterday', 'date'],
    ]) {
      const answer = await s.get(`${path}${query}`, s.keyOn('max'))
      expect([answer.statusCode, answer.json().error.error_code, answer.json().error.blocking_gate]).toEqual([
        422,
        'invalid_parameter',
        null,
      ])
      expect(answer.json().detail[0]).toMatchObject({ loc: ['query', 'date'], type })
    }
    expect((await s.get(`${url}&date=${day}`, s.keyOn('max'))).statusCode).toBe(422)
  })

  it('is answered 304 to its own tag, and to HEAD with the headers of GET, free of charge', async () => {
    const key = s.keyOn('max')
    const { headers } = await s.get(url, key)
    const again = await s.get(url, key, { 'if-none-match': String(headers['etag']) })
    const head = await s.app.inject({ method: 'HEAD', url, headers: { 'x-api-key': key } })
    expect([again.statusCode, head.statusCode, head.body]).toEqual([304, 200, ''])
    expect([again.headers['etag'], head.headers['etag']]).toEqual([headers['etag'], headers['etag']])
    expect([again.headers['x-credits-charged'], head.headers['x-credits-charged']]).toEqual(['0', '0'])
    const elsewhere = await s.get(`${path}?date=${addDays(day, -1)}`, key, { 'if-none-match': String(headers['etag']) })
    expect(elsewhere.statusCode).toBe(200)
  })

  it('is linked to from the catalog and answered under the id of the dataset as under its slug', async () => {
    const { data } = (await s.get('/v2/datasets')).json()
    expect(data.find(({ slug }: { slug: string }) => slug === dataset.slug).links.cross_section).toBe(path)
    const byId = await s.get(url.replace(dataset.slug, dataset.id), s.keyOn('max'))
    expect(rowsOf(byId.json())).toEqual(rowsOf((await s.get(url, s.keyOn('max'))).json()))
  })
})

const TICKERS = Array.from({ length: 70 }, (_, index) => String(1_101 + index))
const flow = (ticker: string, trade_date: string): Row => ({
  ...{ ticker, market: 'TWSE', trade_date, foreign_net_buy: Number(ticker) + Number(trade_date.slice(-2)) },
  ...{ investment_trust_net_buy: 1, dealer_net_buy: -1 },
})

describe('a cross-section of seventy tickers', () => {
  let t: TestService
  beforeAll(async () => {
    t = await service({ examples: false })
    await t.publish(
      SLUG,
      ['2026-06-25', '2026-06-26', '2026-06-30'].flatMap(day => TICKERS.map(ticker => flow(ticker, day))),
    )
  })
  afterAll(() => t.close())
  const read = async (query: string, plan: 'pro' | 'max' = 'pro') => t.get(`${PATH}?${query}`, t.keyOn(plan))

  it('is whole where no limit is named', async () => {
    const answer = await read('date=2026-06-26')
    expect(answer.json().data.map(({ ticker }: { ticker: string }) => ticker)).toEqual(TICKERS)
    expect(answer.headers).toMatchObject({ 'x-row-count': '70', 'x-row-limit': '20000' })
    expect(answer.headers).not.toHaveProperty('link')
  })

  it('is read by pages, which the Link header leads through and no row is twice on', async () => {
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

  it('can be read of an earlier release', async () => {
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
  ])('without rows says %s: %s', async (reason, query) => {
    const answer = await read(`date=${query}`)
    expect([answer.statusCode, answer.json().data, answer.headers['x-empty-reason']]).toEqual([200, [], reason])
  })
})

it('is cut at the row limit of the plan, as a read is', async () => {
  const t = await service({ examples: false })
  const { example } = t.dataset('trading-calendar')
  expect(served(catalog).find(({ slug }) => slug === 'trading-calendar')!.access!.plan).toBe('free')
  await t.publish('trading-calendar', example as readonly Row[])
  const answer = await t.get(`/v2/datasets/trading-calendar/cross-section?date=2026-06-19&limit=100000`, t.keyOn('free'))
  expect(answer.headers).toMatchObject({ 'x-row-count': '2', 'x-row-limit': '1000' })
  await t.publish(
    SLUG,
    Array.from({ length: 20_010 }, (_, index) => flow(String(10_000 + index), '2026-06-30')),
  )
  const cut = await t.get(`${PATH}?date=2026-06-30`, t.keyOn('pro'))
  expect(cut.headers).toMatchObject({
    'x-row-count': '20000',
    'x-row-limit': '20000; limited',
    link: expect.stringContaining('offset=20000'),
  })
  await t.close()
})

it('says where to read a dataset whose rows are no series by day, and the nearest name of one that is not there', async () => {
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

it('leaves the bounded read of the dataset its required symbol', async () => {
  const answer = await s.get(`/v2/datasets/${SLUG}?start_date=2026-06-30&end_date=2026-06-30`, s.keyOn('max'))
  expect([answer.statusCode, answer.json().error.blocking_gate]).toEqual([422, 'bounds'])
})

it('is saved under another name than the series', async () => {
  const section = await s.get(`/v2/datasets/${SLUG}/cross-section?date=2026-06-30&format=csv`, s.keyOn('max'))
  const series = await s.get(`/v2/datasets/${SLUG}?symbol=2330&format=csv`, s.keyOn('max'))
  const release = section.headers['x-release']
  expect([section, series].map(({ headers }) => headers['content-disposition'])).toEqual([
    `attachment; filename="${SLUG}-cross-section-${release}.csv"`,
    `attachment; filename="${SLUG}-${release}.csv"`,
  ])
})
