import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { crossSections, type Dataset, FORMATS, PLANS, pathOf, type Row, served } from '../../../catalog/index.ts'
import { recordRetired } from '../../fixtures/publish/store.ts'
import { NOW, service } from '../../support.ts'
import { holder, spend, usageOf } from '../../usage/ledger.ts'
import { dryRun, expectEstimate, MANY_ROWS, publishManyRows } from './dry-runs.ts'

const s = await service()
recordRetired(s.workspace.releases, 'securities-firm-master', '20200101T000000000Z')
afterAll(() => s.close())
const max = holder(s, 'max', 'dry@example.test', NOW)

const ask = (url: string, key = max.key, headers: Record<string, string> = {}) => dryRun(s, url, key, headers)

function urlOf(dataset: Dataset): string {
  const required = Object.entries(dataset.filters).filter(([, filter]) => filter.required)
  return `${pathOf(dataset)}?${new URLSearchParams(required.map(([name, { example }]) => [name, example!]))}`
}
const readable = [...served(s.catalog), ...crossSections(s.catalog)]

it('dry_run reports rows and price of a read of every dataset and uses no credits', async () => {
  for (const dataset of readable) {
    const url = urlOf(dataset)
    const before = usageOf(s.dir, max.accountId)
    const dry = await ask(url)
    expect.soft(usageOf(s.dir, max.accountId), `usage after dry_run of ${url}`).toEqual(before)
    const read = await s.get(url, max.key)
    expect.soft(dry, `dry_run of ${url}`).toMatchObject({
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
  }
})

describe('thousands of rows', () => {
  beforeAll(() => publishManyRows(s))

  it('dry_run estimates the size of hundreds of rows in every format, and of thousands in JSON', async () => {
    await expectEstimate(s, `${MANY_ROWS}&limit=4000`, max.key)
    for (const format of FORMATS) await expectEstimate(s, `${MANY_ROWS}&limit=700&format=${format}`, max.key)
  })

  it('dry_run applies limit and offset', async () => {
    for (const [query, rows] of [
      ['limit=7', 7],
      ['limit=100&offset=4792', 10],
      ['offset=5000', 0],
    ] as const)
      expect(await ask(`${MANY_ROWS}&${query}`)).toMatchObject({ rows, rows_are: 'exact' })
  })

  it('dry_run applies the row limit of the plan and reports that the rows are limited', async () => {
    const { key } = holder(s, 'pro', 'limited@example.test', NOW)
    expect(PLANS.pro.rowLimit).toBeGreaterThan(4_800)
    expect(await ask(`${MANY_ROWS}&limit=100000`, key)).toMatchObject({ rows: 4_802, limited: false, row_limit: PLANS.pro.rowLimit })
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

describe('dry runs of refused reads', () => {
  const free = holder(s, 'free', 'free-dry@example.test', NOW)

  it.each([
    ['a plan that is too low', '/v2/datasets/institutional-positioning?symbol=2330', 403, 'plan_required', 'plan'],
    ['limit=0', '/v2/datasets/securities-firm-master?limit=0', 422, 'invalid_parameter', null],
    ['an unknown parameter', '/v2/datasets/securities-firm-master?colour=red', 422, 'invalid_parameter', null],
    ['a retired release', '/v2/datasets/securities-firm-master?release=20200101T000000000Z', 410, 'release_retired', null],
  ])('dry_run reports the refusal for %s as the read would', async (_, url, status, code, gate) => {
    const dry = await ask(url, free.key)
    const read = await s.get(url, free.key)
    const same = (body: object) => JSON.parse(JSON.stringify(body).replaceAll(/req_\w{26}/g, 'req'))
    expect(dry).toMatchObject({ would_be_refused: true, credits: 0, refusal: { status, error: { error_code: code, blocking_gate: gate } } })
    expect(same({ detail: dry.refusal.detail, error: dry.refusal.error })).toEqual(same(read.json()))
    expect(read.statusCode).toBe(status)
  })

  it('dry_run reports a read without a required filter as unbounded', async () => {
    const dry = await ask('/v2/datasets/institutional-positioning')
    expect(dry).toMatchObject({ rows: null, estimated_bytes: null, refusal: { status: 422, error: { blocking_gate: 'bounds' } } })
  })

  it('dry_run of an account without remaining credits reports the rows of the read and the refusal', async () => {
    const poor = holder(s, 'free', 'poor@example.test', NOW)
    const hold = s.gate.reserveCredits(s.gate.authenticate(poor.key, '203.0.113.9'), {
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

  it('dry_run reports a refusal in the language of Accept-Language', async () => {
    const dry = await ask('/v2/datasets/institutional-positioning', max.key, { 'accept-language': 'zh-TW' })
    expect(dry.refusal.error.error_message).toMatch(/[一-鿿]/)
  })

  it('usage counts each of four refused reads as an error, but does not count a refused dry run', async () => {
    await expect.poll(() => usageOf(s.dir, free.accountId).errors).toBe(4)
    expect(usageOf(s.dir, max.accountId).errors).toBe(0)
  })

  it('dry_run requires a key and refuses values that are not booleans', async () => {
    expect((await s.get('/v2/datasets/securities-firm-master?dry_run=true')).statusCode).toBe(401)
    for (const value of ['maybe', '2', ''])
      expect((await s.get(`/v2/datasets/securities-firm-master?dry_run=${value}`, max.key)).json().detail[0].loc).toEqual([
        'query',
        'dry_run',
      ])
    expect((await s.get('/v2/datasets/securities-firm-master?dry_run=false&limit=1', max.key)).headers['x-row-count']).toBe('1')
  })
})

it('dry_run estimates an upper bound for the size of a field query in every format', async () => {
  for (const [format, minimal] of FORMATS.flatMap(format => [true, false].map(minimal => [format, minimal] as const))) {
    const url = `/v2/query?entity_type=company&entity_ids=2330,2317&fields=theme.industry,theme.names,earnings.eps,institutional.foreign_net_buy&minimal_fields=${minimal}&format=${format}`
    const [dry, read] = [await ask(url), await s.get(url, max.key)]
    expect
      .soft(dry.estimated_bytes, `estimated bytes, format=${format}, minimal_fields=${minimal}`)
      .toBeGreaterThanOrEqual(read.rawPayload.length)
  }
})

it('dry_run of a field query reports its price, its maximum rows, and fields that the plan does not include', async () => {
  const QUERY = '/v2/query?entity_type=company&entity_ids=2330,2317&fields='
  expect(await ask(`${QUERY}theme.industry`)).toMatchObject({ dataset: 'query', rows: 2, rows_are: 'at_most', credits: 1, refusal: null })
  const free = holder(s, 'free', 'free-query@example.test', NOW)
  expect(await ask(`${QUERY}institutional.foreign_net_buy`, free.key)).toMatchObject({
    // Row counts are hidden from accounts that may not read the rows.
    rows: null,
    estimated_bytes: null,
    credits: 0,
    would_be_refused: true,
    refusal: { status: 403, error: { error_code: 'plan_required' } },
  })
  expect(usageOf(s.dir, free.accountId).errors).toBe(0)
})

describe('dry runs of a dataset without data for an index', () => {
  const UNBUILT = '/v2/datasets/index-classification?index_code=IX9999'

  it('dry_run and read of an index without data are free, even without remaining credits', async () => {
    const poor = holder(s, 'free', 'unbuilt@example.test', NOW)
    for (const left of ['some', 'none']) {
      if (left === 'none') await spend(s, poor, PLANS.free.creditsPerMonth, 0, NOW)
      const [dry, read] = [await ask(UNBUILT, poor.key), await s.get(UNBUILT, poor.key)]
      expect(dry).toMatchObject({ rows: 0, credits: 0, would_be_refused: false, refusal: null })
      expect([read.statusCode, read.headers['x-empty-reason'], read.headers['x-credits-charged']]).toEqual([200, 'not_built', '0'])
    }
  })

  it('if no credits remain, a read of existing rows gets 402 with the dataset name, as its dry run reports', async () => {
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
