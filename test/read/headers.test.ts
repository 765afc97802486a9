import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Dataset, loadCatalog, pathOf, served } from '../../catalog/index.ts'
import { service, type TestService } from '../support.ts'

let s: TestService
beforeAll(async () => {
  s = await service({ indexed: false })
})
afterAll(() => s.close())

const DATASETS = served(await loadCatalog())
const BARE = '/v2/datasets/institutional-positioning?symbol=2330'

interface Listed {
  readonly slug: string
  readonly data_as_of: string | null
  readonly known_gaps: readonly string[]
  readonly warnings: readonly string[]
}

/** URL of a read of a dataset with its required parameters. */
const urlOf = (dataset: Dataset): string => {
  const required = Object.entries(dataset.filters).flatMap(([name, { required, example }]) => (required ? `${name}=${example}` : []))
  return `${pathOf(dataset)}?${required.join('&')}`
}

it('for every dataset, the headers of GET, HEAD and 304 state the day, gaps and warnings of the catalog', async () => {
  const { data } = (await s.get('/v2/datasets')).json() as { readonly data: readonly Listed[] }
  const key = s.keyOn('max')
  for (const dataset of DATASETS) {
    const { data_as_of, known_gaps, warnings } = data.find(({ slug }) => slug === dataset.slug)!
    for (const method of ['GET', 'HEAD'] as const) {
      const [url, cell] = [urlOf(dataset), `${method} ${dataset.slug}`]
      const first = await s.app.inject({ method, url, headers: { 'x-api-key': key } })
      const again = await s.app.inject({ method, url, headers: { 'x-api-key': key, 'if-none-match': String(first.headers['etag']) } })
      expect.soft([first.statusCode, again.statusCode], `status of ${cell}`).toEqual([200, 304])
      for (const { headers, statusCode } of [first, again]) {
        const label = `${cell}, ${statusCode}`
        expect.soft(headers['x-data-as-of'], `X-Data-As-Of of ${label}`).toBe(data_as_of ?? undefined)
        expect.soft(headers['x-warnings'], `X-Warnings of ${label}`).toBe(warnings.join(', '))
        expect.soft(headers['x-known-gaps'], `X-Known-Gaps of ${label}`).toBe(known_gaps.length > 0 ? known_gaps.join(', ') : undefined)
        for (const name of ['x-warnings', 'x-known-gaps'])
          expect.soft(headers[name] ?? '', `${name} of ${label}`).toMatch(/^[\w ,]{0,1010}$/)
      }
    }
  }
})

it('an empty read of every dataset states its reason in X-Empty-Reason, and a read with rows has no X-Empty-Reason', async () => {
  const key = s.keyOn('max')
  for (const dataset of DATASETS) {
    const empty = await s.get(`${urlOf(dataset)}&offset=1000000`, key)
    const body = empty.json()
    const stated = (body.quality ?? body.envelope?.quality)?.empty_reason
    expect.soft(empty.headers['x-empty-reason'], `header of ${dataset.slug}`).toMatch(/^[a-z_]+$/)
    if (dataset.envelope.kind !== 'A-bare') expect.soft(empty.headers['x-empty-reason'], `body of ${dataset.slug}`).toBe(stated)
    expect.soft((await s.get(urlOf(dataset), key)).headers, `${dataset.slug} with rows`).not.toHaveProperty('x-empty-reason')
  }
})

describe('the bare envelope', () => {
  it('the bare envelope has dataset_id, row_count and data, with or without rows', async () => {
    const made = await service({ examples: false, indexed: false })
    const dataset = made.dataset('institutional-positioning')
    await made.publish('institutional-positioning', dataset.example.map(withoutVolume), { synthetic: true })
    for (const [url, reason] of [
      [BARE, undefined],
      ['/v2/datasets/institutional-positioning?symbol=9999', 'no_match'],
    ] as const) {
      const { headers, body } = await made.get(url, made.keyOn('max'))
      expect(Object.keys(JSON.parse(body))).toEqual(['dataset_id', 'row_count', 'data'])
      expect(headers['x-warnings']).toBe('not_investment_advice, market_not_loaded_tpex, synthetic_sample_data')
      expect(headers['x-known-gaps']).toContain('synthetic_sample_data')
      expect(headers['x-empty-reason']).toBe(reason)
    }
    await made.close()
  })

  it('envelope=full adds envelope A to the bare envelope', async () => {
    const { data, ...around } = (await s.get(`${BARE}&start_date=2026-06-01&envelope=full&limit=7`, s.keyOn('max'))).json()
    const dataset = s.dataset('institutional-positioning')
    expect(data).toEqual(dataset.example)
    expect(around).toMatchObject({
      dataset_id: 'institutional-positioning',
      row_count: 2,
      request_context: {
        scope: 'institutional_net_buying',
        coverage_type: 'daily_time_series',
        filters: { symbol: '2330', start_date: '2026-06-01', end_date: null, limit: 7 },
      },
      quality: { row_count: 2, sensitive_fields_exposed: false },
      lineage: { source_families: dataset.lineage.families, semantics: dataset.lineage.semantics },
      error: null,
      data_count: 2,
      known_gaps: [...Object.keys(dataset.knownGaps), 'market_not_loaded_tpex'],
      warnings: ['not_investment_advice', 'market_not_loaded_tpex'],
      envelope: { dataset_id: 'institutional-positioning', scope: 'institutional_net_buying', row_count: 2 },
    })
    const empty = (await s.get('/v2/datasets/institutional-positioning?symbol=9999&envelope=full', s.keyOn('max'))).json()
    expect(empty).toMatchObject({ row_count: 0, quality: { empty_reason: 'no_match' } })
  })

  it('envelope=full echoes every parameter of the page', async () => {
    const query = 'columns=trade_date,ticker&offset=1&sort_by=trade_date&sort_order=asc&end_date=2026-06-30&envelope=full&limit=7'
    const { json, headers } = await s.get(`${BARE}&${query}`, s.keyOn('max'))
    expect(json().request_context.filters).toEqual({
      symbol: '2330',
      start_date: null,
      end_date: '2026-06-30',
      limit: 7,
      offset: 1,
      range: null,
      sort: null,
      sort_by: 'trade_date',
      sort_order: 'asc',
      columns: 'trade_date,ticker',
      release: headers['x-release'],
    })
  })

  it('envelope=full has its own ETag, and the link to the next page contains envelope=full', async () => {
    const [bare, full] = [await s.get(`${BARE}&limit=1`, s.keyOn('max')), await s.get(`${BARE}&limit=1&envelope=full`, s.keyOn('max'))]
    expect(full.headers['etag']).not.toBe(bare.headers['etag'])
    expect(full.headers['link']).toContain('envelope=full')
    expect((await s.get(`${BARE}&limit=1&envelope=bare`, s.keyOn('max'))).headers['etag']).toBe(bare.headers['etag'])
  })

  it('the service refuses an unknown envelope, and envelope= for other datasets', async () => {
    const wrong = await s.get(`${BARE}&envelope=A`, s.keyOn('max'))
    expect(wrong.statusCode).toBe(422)
    expect(wrong.json().detail).toMatchObject([{ loc: ['query', 'envelope'], type: 'enum', msg: "envelope must be 'bare' or 'full'" }])
    const other = await s.get('/v2/datasets/theme-taxonomy?envelope=full', s.keyOn('max'))
    expect(other.json().detail).toMatchObject([{ loc: ['query', 'envelope'], type: 'unknown_parameter' }])
  })
})

/** Shares of the volume are derived from quotes, which are not published here. */
const withoutVolume = (row: object) => ({ ...row, foreign_pct: null, foreign_pct_percentile: null, inst_share_of_volume: null })
