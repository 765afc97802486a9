import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { service, type TestService } from '../support.ts'

let s: TestService
beforeAll(async () => {
  s = await service({ indexed: false })
})
afterAll(() => s.close())

const read = async (url: string) => (await s.get(url, s.keyOn('max'))).json()

/** Paging, order, columns and release, as a read without these parameters echoes them. */
const page = async (dataset: string, order: object) => {
  const { headers } = await s.get(dataset, s.keyOn('max'))
  return { limit: 50, offset: 0, ...order, columns: null, release: headers['x-release'] }
}

describe('bond-yield-curve', () => {
  it('envelope A of bond-yield-curve has exactly the fields of the specification', async () => {
    const { data, ...around } = await read('/v2/datasets/bond-yield-curve?symbol=TWGB')
    expect(data).toEqual(s.dataset('bond-yield-curve').example)
    expect(around).toEqual({
      dataset_id: 'bond_yield_curve',
      request_context: {
        scope: 'government_bond_curve',
        coverage_type: 'daily_time_series',
        filters: {
          symbol: 'TWGB',
          start_date: null,
          end_date: null,
          trade_date: null,
          curve_type: null,
          tenor_label: null,
          date_from: null,
          date_to: null,
          ...(await page('/v2/datasets/bond-yield-curve?symbol=TWGB', {
            range: null,
            sort: null,
            sort_by: 'trade_date',
            sort_order: 'desc',
          })),
        },
        min_trade_date: '2026-06-29',
        max_trade_date: '2026-06-30',
      },
      quality: {
        row_count: 3,
        sensitive_fields_exposed: false,
        tenors_present: ['2Y', '10Y'],
        trade_days_in_page: 2,
        freshness_state: 'due',
        freshness_as_of: '2026-06-30',
      },
      lineage: { source_families: ['tpex_government_bond'], semantics: 'benchmark_yield_by_day_and_tenor' },
      error: null,
      data_count: 3,
      known_gaps: ['no_scheduled_producer', 'stale_max_trade_date_means_gap', 'government_bonds_only'],
      warnings: ['not_investment_advice'],
      envelope: { dataset_id: 'bond_yield_curve', scope: 'government_bond_curve', row_count: 3 },
    })
  })

  it('envelope A echoes each filter under the name that was sent and under its name in the specification', async () => {
    const sent = 'symbol=10Y&start_date=2026-06-01&end_date=2026-06-30&trade_date=2026-06-30&curve_type=government_benchmark&limit=7'
    const { request_context } = await read(`/v2/datasets/bond-yield-curve?${sent}`)
    expect(request_context.filters).toMatchObject({
      symbol: '10Y',
      start_date: '2026-06-01',
      end_date: '2026-06-30',
      tenor_label: '10Y',
      date_from: '2026-06-01',
      date_to: '2026-06-30',
      trade_date: '2026-06-30',
      curve_type: 'government_benchmark',
      limit: 7,
    })
  })

  it('date_from and date_to bound the yield curve as start_date and end_date do, and are echoed', async () => {
    const bounded = await read('/v2/datasets/bond-yield-curve?symbol=TWGB&date_from=2026-06-30&date_to=2026-06-30')
    const same = await read('/v2/datasets/bond-yield-curve?symbol=TWGB&start_date=2026-06-30&end_date=2026-06-30')
    expect(bounded.data).toEqual(same.data)
    expect(bounded.request_context.filters).toMatchObject({ date_from: '2026-06-30', date_to: '2026-06-30', start_date: null })
    expect((await read('/v2/datasets/bond-yield-curve?symbol=TWGB&date_from=2026-07-01')).data).toEqual([])
    const backwards = await s.get('/v2/datasets/bond-yield-curve?symbol=TWGB&date_from=2026-06-30&date_to=2026-06-29', s.keyOn('max'))
    expect([backwards.statusCode, backwards.json().detail[0].msg]).toEqual([422, 'date_from must not be after date_to'])
  })

  it('envelope A echoes each of several contradicting filters with its own value', async () => {
    const { request_context, data } = await read('/v2/datasets/bond-yield-curve?symbol=10Y&tenor_label=2Y')
    expect(data).toEqual([])
    expect(request_context.filters).toMatchObject({ tenor_label: '2Y', symbol: '10Y' })
    const agreed = await read('/v2/datasets/bond-yield-curve?symbol=10Y&tenor_label=10y')
    expect(agreed.request_context.filters).toMatchObject({ tenor_label: '10Y', symbol: '10Y' })
    const curve = await read('/v2/datasets/bond-yield-curve?symbol=TWGB&tenor_label=2Y')
    expect(curve.request_context.filters).toMatchObject({ tenor_label: '2Y', symbol: 'TWGB' })
  })

  it('quality figures of envelope A describe the page, and the days of envelope A describe the release', async () => {
    const { request_context, quality } = await read('/v2/datasets/bond-yield-curve?symbol=TWGB&limit=1')
    expect(quality).toMatchObject({ row_count: 1, tenors_present: ['2Y'], trade_days_in_page: 1 })
    expect(request_context).toMatchObject({ min_trade_date: '2026-06-29', max_trade_date: '2026-06-30' })
  })

  it('quality figures of envelope A include columns that were not requested', async () => {
    const { data, quality } = await read('/v2/datasets/bond-yield-curve?symbol=TWGB&columns=yield_rate')
    expect(data).toEqual([{ yield_rate: 1.512 }, { yield_rate: 1.724 }, { yield_rate: 1.719 }])
    expect(quality).toMatchObject({ tenors_present: ['2Y', '10Y'], trade_days_in_page: 2 })
  })
})

describe('securities-firm-master', () => {
  it('envelope A of securities-firm-master has exactly the fields of the specification', async () => {
    const { data, ...around } = await read('/v2/datasets/securities-firm-master')
    const order = { range: null, sort: null, sort_by: 'broker_id', sort_order: 'asc' }
    const filters = { symbol: null, broker_id: null, ...(await page('/v2/datasets/securities-firm-master', order)) }
    expect(data).toEqual(s.dataset('securities-firm-master').example)
    expect(around).toEqual({
      dataset_id: 'securities_firm_master',
      request_context: { scope: 'securities_firm', coverage_type: 'current_snapshot', filters },
      quality: {
        row_count: 2,
        sensitive_fields_exposed: false,
        firm_count: 2,
        freshness_state: 'fresh',
        freshness_as_of: '2026-06-30',
      },
      lineage: { source_families: ['twse_open_data'], semantics: 'securities_firm_registration_as_last_printed' },
      error: null,
      data_count: 2,
      known_gaps: ['business_status_has_no_public_source', 'current_snapshot_only_no_history'],
      warnings: ['not_investment_advice'],
      envelope: { dataset_id: 'securities_firm_master', scope: 'securities_firm', row_count: 2 },
    })
  })

  it.each(['symbol', 'broker_id'])('envelope A of securities-firm-master echoes %s as broker_id', async name => {
    const { request_context, data } = await read(`/v2/datasets/securities-firm-master?${name}=9998&limit=3`)
    expect(request_context.filters).toMatchObject({ symbol: name === 'symbol' ? '9998' : null, broker_id: '9998', limit: 3 })
    expect(data.map((row: { broker_id: string }) => row.broker_id)).toEqual(['9998'])
  })
})
