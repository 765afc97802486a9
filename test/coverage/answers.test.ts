import { afterAll, beforeAll, expect, it } from 'vitest'
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
/** Contents of the files of each dataset. */
const onDisk = new Map<string, Contents>()
beforeAll(async () => {
  s = await service({ inMemory: false })
  for (const dataset of catalog) onDisk.set(dataset.slug, await readContents(dataset))
})
afterAll(() => s.close())

interface Contents {
  readonly row_count: number
  readonly symbols_count: number
  readonly first_date: string | null
  readonly last_date: string | null
}

/** Counts the rows of the served files independently of the code that wrote or serves them. */
async function readContents({ slug, key, grain, date }: Dataset): Promise<Contents> {
  const session = await s.engine.connect()
  const ends = date ? `min(${date})::VARCHAR AS first_date, max(${date})::VARCHAR AS last_date` : 'NULL AS first_date, NULL AS last_date'
  const counts = `count(*)::INTEGER AS row_count, count(DISTINCT ${key ?? grain[0]})::INTEGER AS symbols_count`
  const [row] = await storedRows(session, s.workspace.releases, slug, `${counts}, ${ends}`)
  session.close()
  return row as unknown as Contents
}

/** A response that has exactly the declared fields. */
async function answer<S extends z.ZodType>(url: string, schema: S): Promise<z.output<S>> {
  const response = await s.get(url)
  expect(response.statusCode, `${url}: ${response.body}`).toBe(200)
  const body = response.json()
  expect.soft(schema.parse(body), url).toEqual(body)
  return body
}

it('the list of datasets contains every sold dataset once and no other dataset', async () => {
  const { data, data_count } = await answer('/v2/datasets', DatasetCatalog)
  expect(data.map(({ slug }) => slug)).toEqual(catalog.map(({ slug }) => slug))
  expect(data_count).toBe(catalog.length)
})

/** Markets that a dataset publishes separately but that its example lacks. */
const marketsWithoutExample = ({ publish, coverage, example }: Dataset): readonly string[] =>
  publish.slice?.includes('market') ? coverage.markets.filter(market => example.every(row => row['market'] !== market)) : []

it('the list of datasets states title, price, rows and source of each dataset, and links only to existing paths', async () => {
  const { data } = await answer('/v2/datasets', DatasetCatalog)
  for (const dataset of catalog) {
    const absent = marketsWithoutExample(dataset).map(market => `market_not_loaded_${market.toLowerCase()}`)
    const listed = data.find(({ slug }) => slug === dataset.slug)!
    expect.soft(listed, dataset.slug).toMatchObject({
      dataset: dataset.id,
      title: dataset.title,
      title_zh: dataset.titleZh,
      grain: dataset.grain,
      status: dataset.status,
      minimum_plan: dataset.access!.plan,
      credits_per_call: dataset.access!.credits,
      ...onDisk.get(dataset.slug),
      dataset_version: versionOf(dataset),
      source: { attribution: dataset.lineage.attribution, url: dataset.lineage.url },
      known_gaps: [...Object.keys(dataset.knownGaps), ...absent],
      warnings: [...dataset.warnings, ...absent],
      links: { read: pathOf(dataset) },
    })
    expect
      .soft(
        listed.filters.map(({ name }) => name),
        dataset.slug,
      )
      .toEqual(Object.keys(dataset.filters))
    await answer(listed.links.freshness, Freshness)
    await answer(listed.links.schema, DatasetSchema)
    await answer(listed.links.coverage, Coverage)
  }
})

it('freshness, schema and coverage of a dataset accept its slug and the slug with underscores', async () => {
  for (const dataset of catalog)
    for (const name of new Set([dataset.slug, dataset.slug.replaceAll('-', '_')])) {
      const [freshness, schema, coverage] = [
        await answer(`/v2/datasets/${name}/freshness`, Freshness),
        await answer(`/v2/datasets/${name}/schema`, DatasetSchema),
        await answer(`/v2/coverage/${name}`, Coverage),
      ]
      expect.soft(freshness.dataset, `freshness of ${name}`).toBe(dataset.id)
      expect.soft(schema, `schema of ${name}`).toMatchObject({ dataset: dataset.id, schema_hash: schemaHash(dataset) })
      expect.soft(coverage, `coverage of ${name}`).toMatchObject({ dataset: dataset.id, ...onDisk.get(dataset.slug) })
    }
})

it('the schema of a dataset lists its columns in order with labels, and its rules in words', async () => {
  for (const dataset of catalog) {
    const { columns, rules } = await answer(`/v2/datasets/${dataset.slug}/schema`, DatasetSchema)
    expect
      .soft(
        columns.map(({ name }) => name),
        dataset.slug,
      )
      .toEqual(Object.keys(dataset.columns))
    for (const { name, label_zh, description } of columns) expect.soft(label_zh && description, `${dataset.slug}.${name}`).toBeTruthy()
    const declared = (dataset.rules ?? []).map(({ name, doc }) => [name, doc])
    expect
      .soft(
        rules.map(({ name, description }) => [name, description]),
        dataset.slug,
      )
      .toEqual(declared)
    for (const { name, statement } of rules) expect.soft(statement, `${dataset.slug}, rule ${name}`).not.toMatch(/undefined|\[object|: $/)
  }
})

it('the coverage of a dataset states scope and type as snake_case words, and the rows and days of its files', async () => {
  for (const dataset of catalog) {
    const coverage = await answer(`/v2/coverage/${dataset.slug}`, Coverage)
    const { scope, type } = coverageWords(dataset)
    const stored = onDisk.get(dataset.slug)!
    expect.soft(coverage, dataset.slug).toMatchObject({
      scope,
      coverage_type: type,
      ...stored,
      start_year: stored.first_date === null ? null : Number(stored.first_date.slice(0, 4)),
      counted_at: '2026-07-01T20:00:00.000+08:00',
    })
    for (const word of [scope, type]) expect.soft(word, dataset.slug).toMatch(/^[a-z]+(_[a-z]+)*$/)
    expect.soft(coverage.update_timing_zh, dataset.slug).toMatch(/[一-鿿]/)
    expect.soft(coverage.update_timing_zh, dataset.slug).not.toMatch(/[a-z]|undefined/)
  }
})

it('the product catalogue states plan, price and status of every dataset', async () => {
  const { data } = await answer('/v2/product/catalog', ProductList)
  expect(data).toEqual(
    catalog.map(({ id, slug, family, title, access, status }) => ({
      dataset: id,
      slug,
      family,
      title,
      minimum_plan: access!.plan,
      credits_per_call: access!.credits,
      status,
    })),
  )
})

it('stats count the rows in the files of each published dataset', async () => {
  const { metrics } = await answer('/v2/data-catalog/stats', CatalogStats)
  for (const { id, slug } of catalog) {
    const counted = metrics.filter(metric => metric.dataset === id && metric.basis === 'rows').map(({ value }) => value)
    expect.soft(counted, slug).toEqual([onDisk.get(slug)!.row_count])
  }
})

it('/v2/coverage and /coverage list every dataset, and /coverage adds exact totals', async () => {
  const { data } = await answer('/v2/coverage', CoverageList)
  const overview = await answer('/coverage', CoverageOverview)
  expect(overview.data).toEqual(data)
  const days = [...onDisk.values()].flatMap(({ first_date: first, last_date: last }) => [first ?? [], last ?? []].flat()).sort()
  expect(overview).toMatchObject({
    datasets_count: catalog.length,
    datasets_with_rows: catalog.length,
    row_count: data.reduce((sum, row) => sum + ('scope' in row ? row.row_count! : 0), 0),
    markets: ['TAIFEX', 'TPEX', 'TWSE'],
    first_date: days[0],
    last_date: days.at(-1),
  })
})

it('/v2/product/tiers lists the plans, lowest first', async () => {
  const { data, data_count } = await answer('/v2/product/tiers', TierList)
  expect([data_count, data.map(tier => tier.plan_id)]).toEqual([3, ['free', 'pro', 'max']])
  expect(data[1]).toMatchObject({
    price: { amount: PLANS.pro.price.amount, currency: 'TWD', period: 'month' },
    included_credits: PLANS.pro.creditsPerMonth,
    row_limit: PLANS.pro.rowLimit,
    rate_limits: { requests_per_minute: PLANS.pro.requestsPerMinute, requests_at_once: PLANS.pro.requestsAtOnce },
  })
})

it('/metadata names the service and its documents', async () => {
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

it('/health reports the process and its readiness', async () => {
  expect(await answer('/health', Health)).toEqual({
    status: 'ready',
    process: 'ok',
    checks: { state: 'ok', releases: 'ok', preparing: 'ok', draining: 'ok' },
    degraded: [],
    unavailable: [],
    warnings: [],
  })
})

it('/health answers 200 and /readyz 503 while no dataset is served, both with the reason', async () => {
  const bare = await service({ examples: false })
  const [health, ready] = [await bare.get('/health'), await bare.get('/readyz?probe=1')]
  await bare.close()
  expect([health.statusCode, ready.statusCode]).toEqual([200, 503])
  expect(Health.parse(health.json())).toEqual({ process: 'ok', ...ready.json() })
  expect(ready.json()).toMatchObject({ status: 'not_ready', checks: { state: 'ok', releases: expect.stringContaining('no dataset') } })
})

it('/fact paths answer 501 reserved_endpoint', async () => {
  const response = await s.get('/fact/earnings/2330/2026-Q1')
  expect([response.statusCode, response.json().error]).toEqual([
    501,
    expect.objectContaining({ error_code: 'reserved_endpoint', blocking_gate: 'dataset_state' }),
  ])
})

it('the schema marks a column range_filterable if and only if reads accept range on it', async () => {
  const key = s.keyOn('max')
  for (const dataset of catalog) {
    const { columns } = await answer(`/v2/datasets/${dataset.slug}/schema`, DatasetSchema)
    for (const { name, range_filterable } of columns) {
      const { statusCode, ...response } = await s.get(`${pathOf(dataset)}?range=${name}:0..1&limit=1`, key)
      const faults: readonly { readonly loc: readonly string[] }[] = statusCode === 422 ? response.json().detail : []
      const accepted = !faults.some(({ loc }) => loc.at(-1) === 'range')
      expect.soft([200, 422], `${dataset.slug}, range=${name}`).toContain(statusCode)
      expect.soft(accepted, `${dataset.slug}, range=${name}`).toBe(range_filterable)
    }
  }
})
