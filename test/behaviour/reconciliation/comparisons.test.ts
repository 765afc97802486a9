import { afterAll, beforeAll, expect, it } from 'vitest'
import { body, ingest, type Net, t86Body } from '../../fixtures/ingest/bodies.ts'
import { quote } from '../../fixtures/publish/rows.ts'
import { service, type TestService } from '../../support.ts'
import { badge, counts, verdicts } from './badges.ts'

let s: TestService
beforeAll(async () => {
  s = await service({ examples: false, inMemory: false })
})
afterAll(() => s.close())

const SLUG = 'institutional-positioning'
const netsOf = (date: string): Readonly<Record<string, Net>> => ({
  '2330': [100, 10, -5],
  '2317': [-40, 0, 0],
  '0050': [7, 7, Number(date.slice(-2))],
})
const t86 = (date: string) => ingest(s, 'twse-t86', [body(s, `${date}.json`, t86Body(date, netsOf(date)))])

it('the net shares of a row are compared with its volume, and are a mismatch if they exceed the volume', async () => {
  await t86('2026-06-29')
  expect([await counts(s, SLUG, 'net_within_volume'), (await badge(s, SLUG)).unchecked]).toEqual([[3, 0, 0], ['net_within_volume']])
  await s.publish('daily-prices', [quote('2330', '2026-06-29', 1_000), quote('2317', '2026-06-29', 39), quote('0050', '2026-06-29', 0)])
  expect(await counts(s, SLUG, 'net_within_volume')).toEqual([3, 2, 1])
  expect(await badge(s, SLUG)).toMatchObject({
    badge: 'mismatch',
    method: 'net_within_volume',
    rows: 3,
    rows_compared: 2,
    matched: 1,
    mismatched: 1,
    match_ratio: 0.5,
  })
})

/** A T86 response whose last row lacks its last cell, as rows of bond funds do. */
function shortened(date: string): string {
  const answer = JSON.parse(t86Body(date, netsOf(date))) as { data: string[][] }
  answer.data.at(-1)!.pop()
  return JSON.stringify(answer)
}

it('the source_rows comparison is partial while a row of a body is unreadable, and verified otherwise', async () => {
  expect(await counts(s, SLUG, 'source_rows')).toEqual([3, 3, 3])
  expect(await counts(s, SLUG, 'printed_total')).toEqual([3, 3, 3])
  await ingest(s, 'twse-t86', [body(s, 'short.json', shortened('2026-06-30'))])
  expect(await counts(s, SLUG, 'source_rows')).toEqual([6, 5, 5])
  expect(verdicts(await badge(s, SLUG))).toContainEqual(['source_rows', 'partial'])
  await t86('2026-06-30')
  expect(await counts(s, SLUG, 'source_rows')).toEqual([6, 6, 6])
})

it('branches match the firm master by code and name, whichever list is published first', async () => {
  const [BRANCHES, FIRMS] = ['broker-branch-reference', 'securities-firm-master']
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
  const LIST = [
    ['9100', '範金'],
    ['9131', '範金-民權'],
    ['1042', '臺範-臺南'],
    ['7001', '無名-桃園'],
  ] as const
  await branches(...LIST)
  await firms(['9100', '範金'], ['1040', '台範'])
  const after = await badge(s, BRANCHES)
  await firms(['9100', '範金'], ['1040', '台範'], ['5850', '統一'])
  await branches(...LIST, ['9132', '範金-中正'])
  expect(after).toMatchObject({
    badge: 'partial',
    method: 'parent_in_firm_master',
    rows: 3,
    rows_compared: 2,
    matched: 2,
    match_ratio: 1,
  })
  expect(await counts(s, BRANCHES, 'parent_in_firm_master')).toEqual([4, 3, 3])
})

it('earnings are verified if the quarters add up to each filing', async () => {
  const HEAD =
    'ticker,name,market,fiscal_period,industry_schema,revenue_k,gross_profit_k,operating_income_k,net_income_k,net_income_parent_k,eps'
  const filed = (period: string, k: number) =>
    ingest(s, 'mops-eps', [
      body(s, `${period}-${k}.csv`, [HEAD, `2330,範例,TWSE,${period},ci,${k},${k / 2},${k / 4},${k / 5},${k / 10},1`, ''].join('\n')),
    ])
  await filed('2025-Q1', 1_000)
  await filed('2025-Q2', 2_400)
  await filed('2025-Q3', 3_300)
  await filed('2025-Q4', 5_000)
  expect(await counts(s, 'earnings', 'quarters_add_up_to_filed')).toEqual([5, 5, 5])
  expect(await counts(s, 'company-earnings', 'equals_earnings')).toEqual([5, 5, 5])
  expect(verdicts(await badge(s, 'earnings')).map(([, verdict]) => verdict)).toEqual(['verified', 'verified'])
  expect((await badge(s, 'company-earnings')).badge).toBe('verified')
})
