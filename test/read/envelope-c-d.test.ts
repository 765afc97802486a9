import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { service, type TestService } from '../support.ts'

let s: TestService
beforeAll(async () => {
  s = await service({ indexed: false })
})
afterAll(() => s.close())

async function read(url: string) {
  const response = await s.get(url, s.keyOn('pro'))
  return { body: response.json(), requestId: response.headers['x-request-id'], release: response.headers['x-release'] }
}

describe('envelope C', () => {
  it('envelope C of broker-branch-reference has exactly the fields of the specification', async () => {
    const { body, requestId, release } = await read('/v2/datasets/broker-branch-reference')
    const dataset = s.dataset('broker-branch-reference')
    expect(body).toEqual({
      api_version: 'v2',
      dataset: 'broker_branch_reference',
      dataset_version: dataset.version,
      release_version: release,
      release_date: '2026-07-01',
      data_as_of: '2026-06-30',
      request_context: {
        ticker: null,
        as_of_date: '2026-06-30',
        family: 'market_structure',
        field_group_type: 'reference',
        dataset_view: 'reference_snapshot',
        scope: 'broker_branch',
        coverage_type: 'current_snapshot',
        supported_sort_by: ['parent_broker_code', 'branch_code'],
        supported_filter_fields: Object.keys(dataset.filters),
        parent_broker_count: 1,
        branch_count: 2,
        market_filter: null,
        source_provider_filter: null,
        source_role_filter: null,
        source_family_filter: null,
        filters: {
          ...Object.fromEntries(Object.keys(dataset.filters).map(name => [name, null])),
          limit: 50,
          offset: 0,
          range: null,
          sort: null,
          sort_by: 'parent_broker_code',
          sort_order: 'asc',
          columns: null,
          release,
        },
      },
      data: dataset.example,
      quality: { freshness_state: 'fresh', freshness_as_of: '2026-06-30', completeness_ratio: 11 / 12, quality_status: 'reference' },
      lineage: {
        source_role: 'canonical',
        selected_source: 'twse_brk02',
        fallback_chain: ['twse_broker_list_sheet'],
        policy_notes: ['parent_found_by_name_not_by_code_prefix', 'branch_codes_are_case_sensitive'],
      },
      error: { error_code: null, error_message: null, blocking_gate: null, dataset: 'broker_branch_reference', request_id: requestId },
      dataset_id: 'broker_branch_reference',
      data_count: 2,
      known_gaps: ['address_missing', 'broker_id_unresolved_fallback_key', 'current_snapshot_only_no_history'],
      warnings: ['not_investment_advice'],
    })
  })

  it('envelope C counts rows over the whole release and echoes the filters', async () => {
    const { body } = await read(
      '/v2/datasets/broker-branch-reference?branch_code=585b&market=TWSE&source_provider=twse&source_role=canonical&source_family=twse_open_data',
    )
    expect(body.data_count).toBe(1)
    expect(body.request_context).toMatchObject({
      parent_broker_count: 1,
      branch_count: 2,
      market_filter: 'TWSE',
      source_provider_filter: 'twse',
      source_role_filter: 'canonical',
      source_family_filter: 'twse_open_data',
      filters: { branch_code: '585b', market: 'TWSE', parent_broker_code: null, source_provider: 'twse', limit: 50 },
    })
  })
})

describe('envelope D', () => {
  const AT = '2026-07-01T20:00:00.000+08:00'

  it('envelope D of earnings omits freshness and states provider and trace id', async () => {
    const { body, requestId } = await read('/v1/earnings?symbol=2330')
    const { example, knownGaps } = s.dataset('earnings')
    expect(body).toEqual({
      dataset: 'earnings',
      source_role: 'canonical',
      lineage: { provider: 'mops_income_statements', ingested_at: AT, trace_id: requestId },
      data: example,
      quality: { freshness_state: 'fresh', freshness_as_of: '2026-03-31' },
      known_gaps: Object.keys(knownGaps),
      warnings: ['not_investment_advice'],
    })
  })

  it.each([
    ['all-segments', '/v1/segments/all', 'all_segments', 'company_financial_reports'],
    ['company-earnings', '/v1/financial-reports/company-earnings', 'company_earnings', 'mops_income_statements'],
  ])('envelope D of %s states its freshness with the Taipei offset', async (slug, path, id, provider) => {
    const { body, requestId } = await read(`${path}?symbol=2330`)
    const { example, knownGaps } = s.dataset(slug)
    expect(body).toEqual({
      dataset: id,
      source_role: 'canonical',
      freshness: AT,
      lineage: { provider, ingested_at: AT, trace_id: requestId },
      data: example,
      quality: { freshness_state: 'fresh', freshness_as_of: '2026-03-31' },
      known_gaps: Object.keys(knownGaps),
      warnings: ['not_investment_advice'],
    })
  })

  it('envelope D states why it has no rows', async () => {
    const { body } = await read('/v1/earnings?symbol=9999')
    expect(body).toMatchObject({ data: [], quality: { empty_reason: 'no_match' } })
  })
})
