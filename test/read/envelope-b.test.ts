import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { service, type TestService } from '../support.ts'

let s: TestService
beforeAll(async () => {
  s = await service({ indexed: false })
})
afterAll(() => s.close())

async function read(url: string, plan: 'free' | 'pro' | 'max', from: TestService = s) {
  const response = await from.get(url, from.keyOn(plan))
  return { body: response.json(), requestId: response.headers['x-request-id'], release: response.headers['x-release'] }
}

const PRESENT = ['api_version', 'data', 'data_as_of']
const NONE = { error_code: null, error_message: null, blocking_gate: null }

describe('envelope B', () => {
  it('envelope B of theme-taxonomy has exactly the fields of the specification', async () => {
    const { body, requestId, release } = await read('/v2/datasets/theme-taxonomy', 'free')
    const dataset = s.dataset('theme-taxonomy')
    expect(body).toEqual({
      api_version: 'v2',
      endpoint: '/v2/datasets/theme-taxonomy',
      request_id: requestId,
      plan_id: 'free',
      dataset: 'theme_taxonomy',
      query: {
        symbol: null,
        theme: null,
        taxonomy_type: null,
        market: null,
        as_of_date: '2026-06-30',
        limit: 50,
        offset: 0,
        range: null,
        sort: null,
        sort_by: 'as_of_date',
        sort_order: 'desc',
        columns: null,
        release,
        legacy_alias_ticker: null,
        legacy_alias_theme_primary: null,
      },
      meta: { rows_returned: 2, mandatory_contract_fields_present: PRESENT, plan: 'free', row_limit: 1_000, is_limited: false },
      envelope: {
        api_version: 'v2',
        dataset: 'theme_taxonomy',
        dataset_version: dataset.version,
        release_version: release,
        release_date: '2026-07-01',
        data_as_of: '2026-06-30',
        request_context: {
          ticker: null,
          as_of_date: '2026-06-30',
          family: 'market_structure',
          field_group_type: 'classification',
          dataset_view: 'reference_snapshot',
          supported_sort_by: ['as_of_date'],
          supported_filter_fields: Object.keys(dataset.filters),
        },
        data: dataset.example,
        quality: { freshness_state: 'static', freshness_as_of: '2026-06-30', completeness_ratio: 1, quality_status: 'reference' },
        lineage: {
          source_role: 'reference',
          selected_source: 'classification_map',
          fallback_chain: [],
          policy_notes: ['only_explicit_map_entries', 'no_inference_from_names_prices_or_news'],
        },
        error: { ...NONE, dataset: 'theme_taxonomy', request_id: requestId },
      },
      known_gaps: [...Object.keys(dataset.knownGaps), 'market_not_loaded_tpex'],
      warnings: [...dataset.warnings, 'market_not_loaded_tpex'],
    })
  })

  it('every dataset has its rows in the field that docs/formats.md states for its envelope', async () => {
    const table = readFileSync('docs/formats.md', 'utf8').matchAll(/^\| ([A-D]) \| `([\w.]+)` \| (.*) \|$/gm)
    const listed = (await s.get('/v2/datasets')).json().data as { slug: string; envelope: string; links: { read: string } }[]
    const documented = [...table].flatMap(([, letter, place, slugs]) => slugs!.split(', ').map(slug => ({ slug, letter, place: place! })))
    expect(documented.map(({ slug, letter }) => [slug, letter]).sort()).toEqual(listed.map(({ slug, envelope }) => [slug, envelope]).sort())
    for (const { slug, place } of documented) {
      const needed = Object.entries(s.dataset(slug).filters).flatMap(([name, { required, example }]) =>
        required ? `${name}=${example}` : [],
      )
      const { body } = await read(`${listed.find(one => one.slug === slug)!.links.read}?${needed.join('&')}`, 'max')
      expect([slug, Array.isArray(place.split('.').reduce((inside, name) => inside[name], body))]).toEqual([slug, true])
    }
  })

  it('envelope B echoes parameters, also under their legacy names', async () => {
    const sent = 'symbol=2330&theme=industry_24&taxonomy_type=industry&market=twse&as_of_date=2026-06-30&limit=3&offset=0&sort_order=asc'
    const { body, release } = await read(`/v2/datasets/theme-taxonomy?${sent}`, 'free')
    expect(body.query).toEqual({
      symbol: '2330',
      theme: 'industry_24',
      taxonomy_type: 'industry',
      market: 'TWSE',
      as_of_date: '2026-06-30',
      limit: 3,
      offset: 0,
      range: null,
      sort: null,
      sort_by: 'as_of_date',
      sort_order: 'asc',
      columns: null,
      release,
      legacy_alias_ticker: '2330',
      legacy_alias_theme_primary: 'industry_24',
    })
    expect(body.envelope.request_context.ticker).toBe('2330')
  })

  it('envelope B of index-classification echoes its own filters and no legacy names', async () => {
    const { body, release } = await read('/v2/datasets/index-classification?index_code=ix0001', 'max')
    expect(body.query).toEqual({
      index_code: 'IX0001',
      market: null,
      index_type: null,
      as_of_date: '2026-06-30',
      limit: 50,
      offset: 0,
      range: null,
      sort: null,
      sort_by: 'as_of_date',
      sort_order: 'desc',
      columns: null,
      release,
    })
    expect(body.envelope.request_context).toMatchObject({
      supported_sort_by: ['as_of_date', 'index_code'],
      supported_filter_fields: ['index_code', 'market', 'index_type'],
    })
    expect(body.meta).toEqual({
      rows_returned: 1,
      mandatory_contract_fields_present: PRESENT,
      plan: 'max',
      row_limit: 100_000,
      is_limited: false,
    })
  })

  it('envelope B marks the versions of a preview dataset', async () => {
    const { body, release } = await read('/v2/datasets/company-risk-events?symbol=2330', 'pro')
    expect(body.envelope.dataset_version).toBe(`${s.dataset('company-risk-events').version}-preview`)
    expect(body.envelope.release_version).toMatch(/^\d{8}T\d{9}Z-preview$/)
    expect(body.envelope.release_version).toBe(release)
    expect(body.envelope.quality.quality_status).toBe('preview')
    expect(body.warnings).toContain('preview_schema_may_change')
  })

  it('without a release, envelope B of a preview marks versions, has null for release fields and lists present fields', async () => {
    const bare = await service({ examples: false, indexed: false })
    const { body, requestId } = await read('/v2/datasets/events?symbol=2330&start_date=2026-01-01', 'pro', bare)
    await bare.close()
    expect(body).toMatchObject({
      dataset: 'events',
      query: { symbol: '2330', start_date: '2026-01-01', end_date: null, as_of_date: null, limit: 50 },
      meta: { rows_returned: 0, mandatory_contract_fields_present: ['api_version', 'data'] },
      envelope: {
        dataset_version: `${s.dataset('events').version}-preview`,
        release_version: 'unreleased-preview',
        release_date: null,
        data_as_of: null,
        data: [],
        quality: {
          freshness_state: 'building',
          freshness_as_of: null,
          completeness_ratio: 0,
          quality_status: 'building',
          empty_reason: 'not_built',
        },
        error: { ...NONE, dataset: 'events', request_id: requestId },
      },
    })
  })

  it('completeness_ratio ignores columns that do not apply to a row', async () => {
    const { body } = await read('/v2/datasets/index-classification', 'free')
    expect(body.envelope.data[0]).toMatchObject({ index_type: 'broad_market', sector: null, parent_index_code: null, theme_primary: null })
    expect(body.envelope.quality.completeness_ratio).toBe(1)
    const { data } = (await s.get('/v2/coverage')).json() as { readonly data: readonly Record<string, unknown>[] }
    expect(data.find(({ dataset }) => dataset === 'index_classification')).toMatchObject({ completeness_ratio: 1 })
  })
})
