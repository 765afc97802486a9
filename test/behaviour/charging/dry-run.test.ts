import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { crossSections, type Dataset, FORMATS, PLANS, pathOf, type Row, served } from '../../../catalog/index.ts'
import { holder, spend, usageOf } from '../../accounts/usage/ledger.ts'
import { weekdays } from '../../fixtures/publish/rows.ts'
import { NOW, service } from '../../support.ts'

const s = await service()
afterAll(() => s.close())
const max = holder(s, 'max', 'dry@example.test', NOW)

const ask = async (url: string, key = max.key, headers: Record<string, string> = {}) => {
  const response = await s.get(`${url}${url.includes('?') ? '&' : '?'}dry_run=true`, key, headers)
  expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'application/json; profile=dry_run; charset=utf-8'])
  expect(response.headers['x-credits-charged']).toBe('0')
  return response.json()
}

function urlOf(dataset: Dataset): string {
  const required = Object.entries(dataset.filters).filter(([, filter]) => filter.required)
  return `${pathOf(dataset)}?${new URLSearchParams(required.map(([name, { example }]) => [name, example!]))}`
}
const reads = [...served(s.catalog), ...crossSections(s.catalog)].map(dataset => ({ name: pathOf(dataset), dataset, url: urlOf(dataset) }))

it.each(reads)('$name: rows and price are those of the read, and nothing is used', async ({ dataset, url }) => {
  const before = usageOf(s.dir, max.accountId)
  const dry = await ask(url)
  expect(usageOf(s.dir, max.accountId)).toEqual(before)
  const read = await s.get(url, max.key)
  expect(dry).toMatchObject({
    dry_run: true,
    dataset: dataset.id,
    slug: dataset.slug,
    format: 'json',
    release: read.headers['x-release'] ?? null,
    rows: Number(read.headers['x-row-count']),
    rows_are: 'exact',
    credits: Number(read.headers['x-credits-charged']),
    row_limit: PLANS.max.rowLimit,
    limited: false,
    would_be_refused: false,
    refusal: null,
  })
})

describe('of many rows', () => {
  beforeAll(async () => {
    const rows = ['2330', '2317', '2454'].flatMap(ticker =>
      weekdays('2015-01-01', 2_400).map(
        (trade_date, day): Row => ({
          ...{
            ticker,
            market: 'TWSE',
            trade_date,
            foreign_net_buy: Math.imul(day + 1, 2_654_435),
            investment_trust_net_buy: Math.imul(day, 40_503),
            dealer_net_buy: 7,
          },
        }),
      ),
    )
    await s.publish('institutional-positioning', rows, { accept: ['row_count_drift'] })
  })
  const URL = '/v2/datasets/institutional-positioning?symbol=2330,2317'

  it.each(FORMATS)('bytes of %s are about those of the read', async format => {
    for (const [limit, rows] of [
      [4_000, 4_000],
      [700, 700],
    ] as const) {
      const url = `${URL}&limit=${limit}&format=${format}`
      const [dry, read] = [await ask(url), await s.get(url, max.key)]
      expect(dry).toMatchObject({ format, rows })
      expect(dry.estimated_bytes / read.rawPayload.length).toBeGreaterThan(0.5)
      expect(dry.estimated_bytes / read.rawPayload.length).toBeLessThan(2)
    }
  })

  it.each(FORMATS)('bytes of %s are about those of the read where texts are long, and where every row is alike', async format => {
    const branch = s.dataset('broker-branch-reference').example[0] as Row
    const days = weekdays('2019-01-01', 1_500).map(date => ({ ...(s.dataset('trading-calendar').example[0] as Row), date }))
    await s.publish(
      'broker-branch-reference',
      Array.from({ length: 300 }, (_, index) => ({
        ...branch,
        branch_code: `Z${100 + index}`,
        address: `臺北市中正區重慶南路一段${index}號`.repeat(4),
      })),
      { accept: ['row_count_drift'] },
    )
    await s.publish('trading-calendar', days, { accept: ['row_count_drift'] })
    for (const path of ['broker-branch-reference', 'trading-calendar']) {
      const url = `/v2/datasets/${path}?limit=5000&format=${format}`
      const [dry, read] = [await ask(url), await s.get(url, max.key)]
      expect(dry.rows).toBeGreaterThan(200)
      expect(dry.estimated_bytes / read.rawPayload.length).toBeGreaterThan(0.5)
      expect(dry.estimated_bytes / read.rawPayload.length).toBeLessThan(2)
    }
  })

  it('limit and offset count', async () => {
    for (const [query, rows] of [
      ['limit=7', 7],
      ['limit=100&offset=4792', 10],
      ['offset=5000', 0],
    ] as const)
      expect(await ask(`${URL}&${query}`)).toMatchObject({ rows, rows_are: 'exact' })
  })

  it('the plan’s row limit counts, and is told', async () => {
    const { key } = holder(s, 'pro', 'limited@example.test', NOW)
    expect(PLANS.pro.rowLimit).toBeGreaterThan(4_800)
    expect(await ask(`${URL}&limit=100000`, key)).toMatchObject({ rows: 4_802, limited: false, row_limit: PLANS.pro.rowLimit })
    const free = holder(s, 'free', 'free-limited@example.test', NOW)
    const [entry] = s.dataset('theme-taxonomy').example as readonly Row[]
    await s.publish(
      'theme-taxonomy',
      Array.from({ length: 1_500 }, (_, index) => ({ ...entry, symbol: String(10_000 + index) })),
      {
        accept: ['row_count_drift'],
      },
    )
    const dry = await ask('/v2/datasets/theme-taxonomy?limit=1400', free.key)
    expect(dry).toMatchObject({ rows: PLANS.free.rowLimit, rows_are: 'exact', limited: true, credits: 1 })
  })
})

describe('of what would be refused', () => {
  const free = holder(s, 'free', 'free-dry@example.test', NOW)

  it.each([
    ['a plan too low', '/v2/datasets/institutional-positioning?symbol=2330', 403, 'plan_required', 'plan'],
    ['no bound', '/v2/datasets/securities-firm-master?limit=0', 422, 'invalid_parameter', null],
    ['a parameter that is none', '/v2/datasets/securities-firm-master?colour=red', 422, 'invalid_parameter', null],
    ['a release there is not', '/v2/datasets/securities-firm-master?release=20200101T000000000Z', 410, 'release_retired', null],
  ])('%s is told as the read would be, and not counted', async (_, url, status, code, gate) => {
    const dry = await ask(url, free.key)
    const read = await s.get(url, free.key)
    const same = (body: object) => JSON.parse(JSON.stringify(body).replaceAll(/req_\w{26}/g, 'req'))
    expect(dry).toMatchObject({ would_be_refused: true, credits: 0, refusal: { status, error: { error_code: code, blocking_gate: gate } } })
    expect(same({ detail: dry.refusal.detail, error: dry.refusal.error })).toEqual(same(read.json()))
    expect(read.statusCode).toBe(status)
  })

  it('a read that names no key is unbounded', async () => {
    const dry = await ask('/v2/datasets/institutional-positioning')
    expect(dry).toMatchObject({ rows: null, estimated_bytes: null, refusal: { status: 422, error: { blocking_gate: 'bounds' } } })
  })

  it('credits that are used up are told with the rows there would be', async () => {
    const poor = holder(s, 'free', 'poor@example.test', NOW)
    const hold = s.gate.holdCredits(s.gate.authenticate(poor.key, '203.0.113.9'), {
      slug: 'all',
      id: 'all',
      access: { plan: 'free', credits: PLANS.free.creditsPerMonth },
    })
    const dry = await ask('/v2/datasets/securities-firm-master?limit=1', poor.key)
    expect(dry).toMatchObject({
      rows: 1,
      credits: 0,
      would_be_refused: true,
      refusal: { status: 402, error: { error_code: 'credits_exhausted' } },
    })
    hold.release()
    expect(await ask('/v2/datasets/securities-firm-master?limit=1', poor.key)).toMatchObject({ credits: 1, would_be_refused: false })
  })

  it('sentences are in the language asked for', async () => {
    const dry = await ask('/v2/datasets/institutional-positioning', max.key, { 'accept-language': 'zh-TW' })
    expect(dry.refusal.error.error_message).toMatch(/[一-鿿]/)
  })

  it('none of it counted as an error, while the reads themselves did', async () => {
    await expect.poll(() => usageOf(s.dir, free.accountId).errors).toBe(4)
    expect(usageOf(s.dir, max.accountId).errors).toBe(0)
  })

  it('needs a key, and true or false', async () => {
    expect((await s.get('/v2/datasets/securities-firm-master?dry_run=true')).statusCode).toBe(401)
    for (const value of ['1', 'yes', ''])
      expect((await s.get(`/v2/datasets/securities-firm-master?dry_run=${value}`, max.key)).json().detail[0].loc).toEqual([
        'query',
        'dry_run',
      ])
    expect((await s.get('/v2/datasets/securities-firm-master?dry_run=false&limit=1', max.key)).headers['x-row-count']).toBe('1')
  })
})

it.each(FORMATS)('bytes of a field query in %s are a rough upper bound', async format => {
  for (const minimal of [true, false]) {
    const url = `/v2/query?entity_type=company&entity_ids=2330,2317&fields=theme.industry,theme.names,earnings.eps,institutional.foreign_net_buy&minimal_fields=${minimal}&format=${format}`
    const [dry, read] = [await ask(url), await s.get(url, max.key)]
    expect(dry.estimated_bytes).toBeGreaterThanOrEqual(read.rawPayload.length)
  }
})

it('a field query says its price, its most rows, and whether its fields are in the plan', async () => {
  const QUERY = '/v2/query?entity_type=company&entity_ids=2330,2317&fields='
  expect(await ask(`${QUERY}theme.industry`)).toMatchObject({ dataset: 'query', rows: 2, rows_are: 'at_most', credits: 1, refusal: null })
  const free = holder(s, 'free', 'free-query@example.test', NOW)
  expect(await ask(`${QUERY}institutional.foreign_net_buy`, free.key)).toMatchObject({
    // How many rows there are is told to those who may read them.
    rows: null,
    estimated_bytes: null,
    credits: 0,
    would_be_refused: true,
    refusal: { status: 403, error: { error_code: 'plan_required' } },
  })
  expect(usageOf(s.dir, free.accountId).errors).toBe(0)
})

describe('of what is not built', () => {
  const UNBUILT = '/v2/datasets/index-classification?index_code=IX9999'

  it('costs nothing, as the read does, also with no credits left', async () => {
    const poor = holder(s, 'free', 'unbuilt@example.test', NOW)
    for (const left of ['some', 'none']) {
      if (left === 'none') await spend(s, poor, PLANS.free.creditsPerMonth, 0, NOW)
      const [dry, read] = [await ask(UNBUILT, poor.key), await s.get(UNBUILT, poor.key)]
      expect(dry).toMatchObject({ rows: 0, credits: 0, would_be_refused: false, refusal: null })
      expect([read.statusCode, read.headers['x-empty-reason'], read.headers['x-credits-charged']]).toEqual([200, 'not_built', '0'])
    }
  })

  it('is not to be confused with rows: they are refused without credits, in the name of their dataset, and nothing is charged', async () => {
    const poor = holder(s, 'free', 'built@example.test', NOW)
    await spend(s, poor, PLANS.free.creditsPerMonth, 0, NOW)
    const url = '/v2/datasets/index-classification?index_code=IX0001'
    const [dry, read] = [await ask(url, poor.key), await s.get(url, poor.key)]
    expect(read.statusCode).toBe(402)
    for (const error of [dry.refusal.error, read.json().error])
      expect(error).toMatchObject({ error_code: 'credits_exhausted', dataset: 'index_classification', slug: 'index-classification' })
    expect(usageOf(s.dir, poor.accountId).entries).toHaveLength(1)
    expect((await s.get('/v2/query?entity_type=company&entity_id=2330', poor.key)).json().error.dataset).toBe('query')
  })
})
