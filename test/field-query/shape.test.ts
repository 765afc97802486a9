import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { QueryAnswer } from '../../src/http/routes/query/schemas.ts'
import { service, type TestService } from '../support.ts'

let s: TestService
beforeAll(async () => {
  s = await service({ indexed: false })
})
afterAll(() => s.close())

const get = (query: string, key = s.keyOn('max')) => s.get(`/v2/query?${query}`, key)

describe('field query answers', () => {
  it('a field query states the source of every value and has only declared properties', async () => {
    const response = await get('entity_type=company&entity_id=2330&fields=foreign_net_buy,earnings.eps,industry')
    expect(response.statusCode).toBe(200)
    expect(response.headers['x-credits-charged']).toBe('1')
    const release = (slug: string) => s.releases.served(s.dataset(slug))!.id
    const [flows, reports, themes] = ['institutional-positioning', 'earnings', 'theme-taxonomy'].map(release)
    expect(QueryAnswer.parse(response.json())).toEqual({
      api_version: 'v2',
      endpoint: '/v2/query',
      request_id: response.headers['x-request-id'],
      plan_id: 'max',
      entity_type: 'company',
      as_of_date: '2026-07-01',
      data_count: 1,
      data: [
        {
          entity_id: '2330',
          fields: {
            foreign_net_buy: {
              value: 3_000_000,
              unit: 'shares',
              as_of_date: '2026-06-30',
              period: null,
              announced_at: null,
              dataset: 'institutional-positioning',
              slug: 'institutional-positioning',
              source_role: s.dataset('institutional-positioning').lineage.role,
              release_version: flows,
            },
            'earnings.eps': {
              value: 15,
              unit: 'TWD per share',
              as_of_date: '2026-03-31',
              period: '2026-Q1',
              announced_at: '2026-05-14',
              dataset: 'earnings',
              slug: 'earnings',
              source_role: 'canonical',
              release_version: reports,
            },
            industry: {
              value: '半導體業',
              unit: null,
              as_of_date: '2026-06-30',
              period: null,
              announced_at: null,
              dataset: 'theme_taxonomy',
              slug: 'theme-taxonomy',
              source_role: 'official_classification',
              release_version: themes,
            },
          },
        },
      ],
      missing: [],
      known_gaps: expect.arrayContaining(['no_rows_before_2012_05_02', 'market_not_loaded_tpex', 'no_concept_themes']),
      warnings: ['not_investment_advice', 'market_not_loaded_tpex', 'theme_definitions_may_be_revised'],
    })
    expect(Object.keys(response.json().data[0].fields)).toEqual(['foreign_net_buy', 'earnings.eps', 'industry'])
  })

  it('minimal_fields=true returns plain values', async () => {
    const body = (await get('entity_type=company&entity_id=2330&fields=themes,buy_streak,foreign_pct&minimal_fields=true')).json()
    expect(body.data).toEqual([{ entity_id: '2330', fields: { themes: ['半導體業', '電子科技'], buy_streak: 1, foreign_pct: 0.1 } }])
  })

  it('a field query returns entities and fields in the requested order, each once', async () => {
    const query =
      'entity_type=branch&entity_id=585b&entity_ids=585B,585b&fields[]=market&fields=branch_name&fields[]=market&minimal_fields=true'
    expect((await get(query)).json().data).toEqual([
      { entity_id: '585b', fields: { branch_name: '內湖', market: 'TWSE' } },
      { entity_id: '585B', fields: { branch_name: '永和', market: 'TWSE' } },
    ])
  })

  it('a field query matches company codes in either case', async () => {
    await s.publish('theme-taxonomy', [
      ...s.dataset('theme-taxonomy').example,
      { ...s.dataset('theme-taxonomy').example[0]!, symbol: '00632R' } as never,
    ])
    const body = (await get('entity_type=company&entity_ids=00632r,00632R&fields=market&minimal_fields=true')).json()
    expect(body.data).toEqual([{ entity_id: '00632R', fields: { market: 'TWSE' } }])
  })

  it('a field query states a reason for every field without a value', async () => {
    const body = (await get('entity_type=branch&entity_ids=585b,9999,585B&fields=address,branch_name')).json()
    expect(body.missing).toEqual([
      { entity_id: '585b', field: 'address', reason: 'no_value' },
      { entity_id: '9999', field: 'address', reason: 'no_such_entity' },
      { entity_id: '9999', field: 'branch_name', reason: 'no_such_entity' },
    ])
    expect(body.data_count).toBe(2)
  })

  it('a field query distinguishes an unknown company from a company without captured rows', async () => {
    const theme = { ...s.dataset('theme-taxonomy').example[0]!, symbol: '2412' } as never
    await s.publish('theme-taxonomy', [...s.dataset('theme-taxonomy').example, theme])
    const body = (await get('entity_type=company&entity_ids=2412,8888&fields=risk_types,buy_streak,earnings.eps')).json()
    expect(body.missing.map(({ entity_id, reason }: { entity_id: string; reason: string }) => [entity_id, reason])).toEqual([
      ['2412', 'not_captured'],
      ['2412', 'no_value'],
      ['2412', 'no_value'],
      ['8888', 'no_such_entity'],
      ['8888', 'no_such_entity'],
      ['8888', 'no_such_entity'],
    ])
    expect(body.data).toEqual([])
  })

  it('a list field contains every flag of the newest day', async () => {
    const [flag] = s.dataset('company-risk-events').example as readonly object[]
    await s.publish('company-risk-events', [{ ...flag, risk_type: 'attention' }])
    const body = (await get('entity_type=company&entity_id=2330&fields=risk_types')).json()
    expect(body.data[0].fields.risk_types).toMatchObject({ value: ['attention', 'disposition'], as_of_date: '2026-06-30' })
  })
})

describe('unpublished datasets', () => {
  it('a field query costs nothing while its dataset has no release', async () => {
    const empty = await service({ examples: false, indexed: false })
    const response = await empty.get('/v2/query?entity_type=broker&entity_id=9800&fields=broker_name', empty.keyOn('free'))
    expect([response.statusCode, response.headers['x-credits-charged']]).toEqual([200, '0'])
    expect(response.json()).toMatchObject({ data: [], missing: [{ entity_id: '9800', field: 'broker_name', reason: 'dataset_building' }] })
    await empty.close()
  })
})

describe('field values', () => {
  it('a field value equals the column of a dataset read, for every type', async () => {
    for (const [type, id, slug] of [
      ['broker', '9997', 'securities-firm-master'],
      ['broker', '9998', 'securities-firm-master'],
      ['branch', '585b', 'broker-branch-reference'],
      ['index', 'IX0043', 'index-classification'],
    ] as const) {
      const read = (await s.get(`/v2/datasets/${slug}?limit=100`, s.keyOn('free'))).json()
      const rows = (read.data ?? read.envelope.data) as Record<string, unknown>[]
      const row = rows.find(each => Object.values(each).includes(id))!
      const { names } = s.dataset(slug).fields![0]!
      const body = (await get(`entity_type=${type}&entity_id=${id}&fields=${Object.keys(names).join(',')}&minimal_fields=true`)).json()
      const sent = Object.entries(names).map(([name, column]) => [name, row[column]])
      expect(body.data[0].fields, slug).toEqual(Object.fromEntries(sent.filter(([, value]) => value !== null)))
      expect(body.missing.map(({ field }: { field: string }) => field)).toEqual(
        sent.filter(([, value]) => value === null).map(([name]) => name),
      )
    }
  })
})

it('a field value from sample rows has source_role synthetic_sample', async () => {
  const made = await service({ examples: false, indexed: false })
  await made.publish('earnings', made.dataset('earnings').example, { synthetic: true })
  const response = await made.get('/v2/query?entity_type=company&entity_id=2330&fields=earnings.eps', made.keyOn('max'))
  expect(response.json().data[0].fields['earnings.eps']).toMatchObject({ dataset: 'earnings', source_role: 'synthetic_sample' })
  await made.close()
})
