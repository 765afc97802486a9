import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ingest } from '../../fixtures/ingest/bodies.ts'
import { service, type TestService } from '../../support.ts'
import { badge, counts } from '../reconciliation/badges.ts'
import { real, realFilesThere } from './files.ts'

describe.skipIf(!realFilesThere)('reconciliation of real files', () => {
  const TRADES = 'institutional-positioning'
  let s: TestService
  beforeAll(async () => {
    s = await service({ examples: false, now: () => new Date('2026-11-20T12:00:00Z') })
  })
  afterAll(() => s.close())

  it('every real institutional trade agrees with its printed total', async () => {
    const era = ['-origin', '-without-foreign-dealers', ''].map(name => real('twse', `twse-stocks-institutional${name}.json`))
    await ingest(s, 'twse-t86', [...era, real('t86', 't86_twse_only.csv')])
    await ingest(s, 'tpex-institutional', [real('tpex', 'tpex-stocks-institutional.json')])
    expect(await counts(s, TRADES, 'source_rows')).toEqual([9_817, 9_817, 9_817])
    expect(await counts(s, TRADES, 'printed_total')).toEqual([9_817, 9_817, 9_817])
    expect(await badge(s, TRADES)).toMatchObject({ badge: 'partial', unchecked: ['net_within_volume'] })
  })

  it("real volumes add up to the market's total, and no net trade exceeds them", async () => {
    await ingest(s, 'twse-quotes', [real('twse', 'twse-stocks-historical.json')])
    await ingest(s, 'tpex-quotes', [real('tpex', 'tpex-stocks-historical.json')])
    expect(await counts(s, TRADES, 'net_within_volume')).toEqual([9_817, 1_120 + 740, 1_120 + 740])
    const { methods, unchecked } = await badge(s, TRADES)
    expect(methods.find(({ method }) => method === 'source_totals')).toMatchObject({
      dataset: 'daily_prices',
      badge: 'partial',
      rows: 1_182 + 7_281,
      rows_compared: 1_182 + 811,
      matched: 1_182 + 811,
    })
    expect(unchecked).toEqual([])
  })

  it('real branches agree with the firm master on parent codes and names', async () => {
    await ingest(s, 'broker-branches', [real('broker', 'broker_list_about2024.csv')], { requestedDay: '2025-03-30' })
    await ingest(s, 'securities-firms', [real('broker', 't187ap18_sample_transcribed.json')], { accept: ['row_count_drift'] })
    expect(await badge(s, 'broker-branch-reference')).toMatchObject({ badge: 'partial', method: 'parent_in_firm_master', mismatched: 0 })
    expect(await counts(s, 'broker-branch-reference', 'source_rows')).toEqual([776, 776, 776])
    expect(await counts(s, 'broker-branch-reference', 'parent_in_firm_master')).toEqual([776, 50, 50])
  })

  it('earnings of 2023-Q1 agree with the real filings', async () => {
    const pages = ['mops-twse-stocks-eps.html', 'mops-tpex-stocks-eps.html'].map(name => real('mops', name))
    await ingest(s, 'mops-eps', pages, { requestedDay: '2023-03-31' })
    expect(await counts(s, 'earnings', 'quarters_add_up_to_filed')).toEqual([1_810, 1_810, 1_810])
    expect(await counts(s, 'company-earnings', 'equals_earnings')).toEqual([1_810, 1_810, 1_810])
    expect([(await badge(s, 'earnings')).badge, (await badge(s, 'company-earnings')).badge]).toEqual(['verified', 'verified'])
  })
})
