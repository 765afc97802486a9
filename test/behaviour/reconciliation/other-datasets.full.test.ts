import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { body, ingest } from '../../fixtures/ingest/bodies.ts'
import { service, type TestService } from '../../support.ts'
import { badge, counts } from './badges.ts'

let s: TestService
beforeEach(async () => {
  s = await service({ examples: false, inMemory: false })
})
afterEach(() => s.close())

describe('branches compared with the firm master', () => {
  const BRANCHES = 'broker-branch-reference'
  const FIRMS = 'securities-firm-master'
  const listed = (code: string, name: string) => ({
    出表日期: '1150630',
    證券商代號: code,
    證券商名稱: name,
    開業日: '0831224',
    地址: '範例路1號',
  })
  const branches = (...names: readonly (readonly [string, string])[]) =>
    ingest(s, 'broker-branches', [body(s, 'branches.json', JSON.stringify(names.map(([code, name]) => listed(code, name))))], {
      accept: ['row_count_drift'],
    })
  const firms = (...names: readonly (readonly [id: string, name: string])[]) =>
    s.publish(
      FIRMS,
      names.map(([broker_id, broker_name]) => ({ ...s.dataset(FIRMS).example[0], broker_id, broker_name })),
    )
  const parents = () => counts(s, BRANCHES, 'parent_in_firm_master')
  const LIST = [
    ['9100', '範金'],
    ['9131', '範金-民權'],
    ['1042', '臺範-臺南'],
    ['7001', '無名-桃園'],
  ] as const

  it('branches without a firm master are reported as uncompared and their badge is partial', async () => {
    await branches(...LIST)
    expect(await badge(s, BRANCHES)).toMatchObject({
      badge: 'partial',
      method: 'source_rows',
      unchecked: ['parent_in_firm_master'],
      rows_compared: 3,
      matched: 3,
    })
  })

  it('unchanged branches are compared again with each new release of the firm master', async () => {
    await branches(...LIST.slice(0, 2))
    await firms(['9100', '範金'])
    const [before] = (await badge(s, BRANCHES)).methods.filter(({ method }) => method === 'parent_in_firm_master')
    await firms(['9100', '別名'])
    const [after] = (await badge(s, BRANCHES)).methods.filter(({ method }) => method === 'parent_in_firm_master')
    expect(after!.release_version).toBe(before!.release_version)
    expect(after!.against_release).toBe(s.releases.current(s.dataset(FIRMS)).id)
    expect([before!.badge, after!.badge, after!.mismatched]).toEqual(['verified', 'mismatch', 1])
    expect(await badge(s, BRANCHES)).toMatchObject({ badge: 'mismatch', method: 'parent_in_firm_master' })
  })

  it('branches are not compared with a firm master of samples', async () => {
    await branches(...LIST.slice(0, 2))
    await s.publish(FIRMS, [{ ...s.dataset(FIRMS).example[0]!, broker_id: '9100', broker_name: '範金' }], { synthetic: true })
    expect(await parents()).toEqual([1, 0, 0])
  })
})

describe('earnings compared with filings', () => {
  const HEAD =
    'ticker,name,market,fiscal_period,industry_schema,revenue_k,gross_profit_k,operating_income_k,net_income_k,net_income_parent_k,eps'
  const filed = (period: string, k: number) =>
    ingest(s, 'mops-eps', [
      body(s, `${period}-${k}.csv`, [HEAD, `2330,範例,TWSE,${period},ci,${k},${k / 2},${k / 4},${k / 5},${k / 10},1`, ''].join('\n')),
    ])
  const addUp = () => counts(s, 'earnings', 'quarters_add_up_to_filed')
  const row = (dataset: string, period: string, revenue: number) => ({
    ...s.dataset(dataset).example[0],
    ticker: '2330',
    fiscal_period: period,
    revenue,
    net_income: revenue / 10,
    eps: 1,
    period_end: '2025-06-30',
    announcement_date: null,
  })

  it('earnings and company-earnings show a mismatch from the first quarter that differs from its filing', async () => {
    await filed('2025-Q1', 1_000)
    await filed('2025-Q2', 2_400)
    await filed('2025-Q3', 3_300)
    await s.publish('earnings', [{ ...row('earnings', '2025-Q2', 1_500_000), report_type: 'quarterly' }])
    expect(await addUp()).toEqual([3, 3, 1])
    expect((await badge(s, 'earnings')).badge).toBe('mismatch')
    // The other report did not change, but its comparison with the published one was repeated.
    expect(await counts(s, 'company-earnings', 'equals_earnings')).toEqual([3, 3, 2])
    expect(await badge(s, 'company-earnings')).toMatchObject({ badge: 'mismatch', method: 'equals_earnings' })
  })

  it('earnings without a filing are reported as uncompared', async () => {
    await s.publish('earnings', [{ ...row('earnings', '2025-Q2', 1_500_000), report_type: 'quarterly' }])
    expect(await badge(s, 'earnings')).toMatchObject({ badge: 'partial', unchecked: ['quarters_add_up_to_filed'] })
  })
})
