import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { coverageWords, type Dataset, loadCatalog, PLANS, pathOf, schemaHash, served, versionOf } from '../../catalog/index.ts'
import { DatasetSchema } from '../../src/http/routes/catalog/dataset-schema.ts'
import {
  CatalogStats,
  Coverage,
  CoverageList,
  CoverageOverview,
  DatasetCatalog,
  Freshness,
  ProductList,
  TierList,
} from '../../src/http/routes/catalog/schemas.ts'
import { Health, Metadata } from '../../src/http/routes/platform/schemas.ts'
import { storedRows } from '../fixtures/publish/store.ts'
import { service, type TestService } from '../support.ts'

const catalog = served(await loadCatalog())
let s: TestService
beforeAll(async () => {
  s = await service()
})
afterAll(() => s.close())

interface Held {
  readonly row_count: number
  readonly symbols_count: number
  readonly first_date: string | null
  readonly last_date: string | null
}
const NOTHING: Held = { row_count: 0, symbols_count: 0, first_date: null, last_date: null }

/** What the files of the served release hold, counted without the code that wrote or serves them. */
async function heldOnDisk({ slug, key, grain, date }: Dataset): Promise<Held> {
  const session = await s.engine.connect()
  const ends = date ? `min(${date})::VARCHAR AS first_date, max(${date})::VARCHAR AS last_date` : 'NULL AS first_date, NULL AS last_date'
  const counts = `count(*)::INTEGER AS row_count, count(DISTINCT ${key ?? grain[0]})::INTEGER AS symbols_count`
  const [row] = await storedRows(session, s.workspace.releases, slug, `${counts}, ${ends}`)
  session.close()
  return row as unknown as Held
}

/** An answer that is as declared: nothing missing, and nothing that is not named. */
async function answer<S extends z.ZodType>(url: string, schema: S): Promise<z.output<S>> {
  const response = await s.get(url)
  expect(response.statusCode, response.body).toBe(200)
  const body = response.json()
  expect(schema.parse(body)).toEqual(body)
  return body
}

it('the list of datasets has every dataset that is sold, once, and no other', async () => {
  const { data, data_count } = await answer('/v2/datasets', DatasetCatalog)
  expect(data.map(({ slug }) => slug)).toEqual(catalog.map(({ slug }) => slug))
  expect(data_count).toBe(catalog.length)
})

/** Markets of a dataset that is published market by market and has no example of them. */
const marketsWithoutExample = ({ publish, coverage, example }: Dataset): readonly string[] =>
  publish.slice?.includes('market') ? coverage.markets.filter(market => example.every(row => row['market'] !== market)) : []

describe.each(catalog)('the catalog answers about $slug', dataset => {
  const absent = marketsWithoutExample(dataset).map(market => `market_not_loaded_${market.toLowerCase()}`)
  let held: Held
  beforeAll(async () => {
    held = dataset.planned ? NOTHING : await heldOnDisk(dataset)
  })

  it('state in the list what it is, what it costs and what it holds', async () => {
    const { data } = await answer('/v2/datasets', DatasetCatalog)
    const listed = data.find(({ slug }) => slug === dataset.slug)!
    expect(listed).toMatchObject({
      dataset: dataset.id,
      title: dataset.title,
      title_zh: dataset.titleZh,
      grain: dataset.grain,
      status: dataset.planned ? 'building' : dataset.status,
      minimum_plan: dataset.access!.plan,
      credits_per_call: dataset.access!.credits,
      ...held,
      dataset_version: versionOf(dataset),
      source: { attribution: dataset.lineage.attribution, url: dataset.lineage.url },
      known_gaps: [...Object.keys(dataset.knownGaps), ...absent],
      warnings: [...dataset.warnings, ...absent],
    })
    expect(listed.filters.map(({ name }) => name)).toEqual(Object.keys(dataset.filters))
    expect(listed.links.read).toBe(pathOf(dataset))
  })

  it('link only to paths that answer', async () => {
    const { links } = (await answer('/v2/datasets', DatasetCatalog)).data.find(({ slug }) => slug === dataset.slug)!
    await answer(links.freshness, Freshness)
    await answer(links.schema, DatasetSchema)
    await answer(links.coverage, Coverage)
  })

  it.each(['slug', 'id with underscores'])('give freshness, schema and coverage by its %s', async by => {
    const name = by === 'slug' ? dataset.slug : dataset.slug.replaceAll('-', '_')
    expect((await answer(`/v2/datasets/${name}/freshness`, Freshness)).dataset).toBe(dataset.id)
    expect(await answer(`/v2/datasets/${name}/schema`, DatasetSchema)).toMatchObject({
      dataset: dataset.id,
      schema_hash: schemaHash(dataset),
    })
    expect(await answer(`/v2/coverage/${name}`, Coverage)).toMatchObject({ dataset: dataset.id, ...held })
  })

  it('have every column in the schema, in order', async () => {
    const { columns } = await answer(`/v2/datasets/${dataset.slug}/schema`, DatasetSchema)
    expect(columns.map(({ name }) => name)).toEqual(Object.keys(dataset.columns))
    for (const { label_zh, description } of columns) expect(label_zh && description).toBeTruthy()
  })

  it('have every rule in the schema, in words', async () => {
    const { rules } = await answer(`/v2/datasets/${dataset.slug}/schema`, DatasetSchema)
    expect(rules.map(({ name, description }) => [name, description])).toEqual((dataset.rules ?? []).map(({ name, doc }) => [name, doc]))
    for (const { statement } of rules) expect(statement).not.toMatch(/undefined|\[object|: $/)
  })

  it('state in coverage its scope and type, in snake_case words', async () => {
    const coverage = await answer(`/v2/coverage/${dataset.slug}`, Coverage)
    const { scope, type } = coverageWords(dataset)
    expect(coverage).toMatchObject({ scope, coverage_type: type, ...held })
    for (const word of [scope, type]) expect(word).toMatch(/^[a-z]+(_[a-z]+)*$/)
    expect(coverage.update_timing_zh).toMatch(/[一-鿿]/)
    expect(coverage.update_timing_zh).not.toMatch(/[a-z]|undefined/)
    expect(coverage.start_year).toBe(held.first_date === null ? null : Number(held.first_date.slice(0, 4)))
    expect(coverage.counted_at).toBe(dataset.planned ? null : '2026-07-01T20:00:00.000+08:00')
  })

  it('state its price in the product catalogue', async () => {
    const { data } = await answer('/v2/product/catalog', ProductList)
    expect(data.find(row => row.dataset === dataset.id)).toEqual({
      dataset: dataset.id,
      slug: dataset.slug,
      family: dataset.family,
      title: dataset.title,
      minimum_plan: dataset.access!.plan,
      credits_per_call: dataset.access!.credits,
      status: dataset.planned ? 'building' : dataset.status,
    })
  })

  it('count the same rows in stats and coverage', async () => {
    const { metrics } = await answer('/v2/data-catalog/stats', CatalogStats)
    const counted = metrics.filter(metric => metric.dataset === dataset.id && metric.basis === 'rows').map(({ value }) => value)
    expect(counted).toEqual(dataset.planned ? [] : [held.row_count])
  })
})

it('/v2/coverage and /coverage have a row of each dataset, the latter under exact totals', async () => {
  const { data } = await answer('/v2/coverage', CoverageList)
  const overview = await answer('/coverage', CoverageOverview)
  expect(overview.data).toEqual(data)
  expect(overview).toMatchObject({
    datasets_count: catalog.length,
    datasets_with_rows: catalog.filter(({ planned }) => !planned).length,
    row_count: data.reduce((sum, row) => sum + ('scope' in row ? row.row_count! : 0), 0),
    markets: ['TPEX', 'TWSE'],
    first_date: '2025-09-30',
    last_date: '2026-06-30',
  })
})

it('/v2/tiers lists the plans, lowest first', async () => {
  const { data, data_count } = await answer('/v2/product/tiers', TierList)
  expect([data_count, data.map(tier => tier.plan_id)]).toEqual([3, ['free', 'pro', 'max']])
  expect(data[1]).toMatchObject({
    price: { amount: PLANS.pro.price.amount, currency: 'TWD', period: 'month' },
    included_credits: PLANS.pro.creditsPerMonth,
    row_limit: PLANS.pro.rowLimit,
    rate_limits: { requests_per_minute: PLANS.pro.requestsPerMinute, requests_at_once: PLANS.pro.requestsAtOnce },
  })
})

it('/v2/metadata names the service and its documents', async () => {
  expect(await answer('/metadata', Metadata)).toEqual({
    name: 'twmd',
    api_version: '2.0.0',
    build: expect.stringMatching(/^\d+\.\d+\.\d+/),
    started_at: '2026-07-01T20:00:00.000+08:00',
    datasets_count: catalog.length,
    docs_url: 'http://127.0.0.1/docs',
    openapi_url: 'http://127.0.0.1/openapi.json',
    llms_url: 'http://127.0.0.1/llms.txt',
  })
})

it('health endpoints report the process and its readiness', async () => {
  expect(await answer('/health', Health)).toEqual({
    status: 'ready',
    process: 'ok',
    checks: { state: 'ok', releases: 'ok', preparing: 'ok', draining: 'ok' },
    degraded: [],
    unavailable: [],
  })
})

it('health endpoints answer while reads are refused, and say why', async () => {
  const bare = await service({ examples: false })
  const [health, ready] = [await bare.get('/health'), await bare.get('/readyz?probe=1')]
  await bare.close()
  expect([health.statusCode, ready.statusCode]).toEqual([200, 503])
  expect(Health.parse(health.json())).toEqual({ process: 'ok', ...ready.json() })
  expect(ready.json()).toMatchObject({ status: 'not_ready', checks: { state: 'ok', releases: expect.stringContaining('no dataset') } })
})

it('facts endpoints are reserved for later', async () => {
  const response = await s.get('/fact/earnings/2330/2026-Q1')
  expect([response.statusCode, response.json().error]).toEqual([
    501,
    expect.objectContaining({ error_code: 'reserved_endpoint', blocking_gate: 'dataset_state' }),
  ])
})

it.each(catalog.filter(({ planned }) => !planned))(
  'the schema of $slug says which columns range takes, and reads take these alone',
  async dataset => {
    const { columns } = await answer(`/v2/datasets/${dataset.slug}/schema`, DatasetSchema)
    const key = s.keyOn('max')
    const taken = new Set<string>()
    for (const { name } of columns) {
      const response = await s.get(`${pathOf(dataset)}?range=${name}:0..1&limit=1`, key)
      expect([200, 422]).toContain(response.statusCode)
      const faults: readonly { readonly loc: readonly string[] }[] = response.statusCode === 422 ? response.json().detail : []
      if (!faults.some(({ loc }) => loc.at(-1) === 'range')) taken.add(name)
    }
    expect(columns.filter(({ range_filterable }) => range_filterable).map(({ name }) => name)).toEqual([...taken])
  },
)
