import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Row } from '../../catalog/index.ts'
import { service, type TestService } from '../support.ts'

let s: TestService
beforeAll(async () => {
  s = await service({ indexed: false })
  const row = (day: string, yield_rate: number): Row => ({
    ...(s.dataset('bond-yield-curve').example[0] as Row),
    trade_date: day,
    as_of: day,
    yield_rate,
  })
  await s.publish('bond-yield-curve', [row('2026-06-22', 1.1), row('2026-06-24', 1.2)])
})
afterAll(() => s.close())

async function read(url: string) {
  const response = await s.get(url.startsWith('/') ? url : `/v2/datasets/${url}`, s.keyOn('max'))
  expect(response.statusCode).toBe(200)
  const body = response.json()
  expect(body.data ?? body.envelope.data).toEqual([])
  expect(response.headers['x-row-count']).toBe('0')
  return { reason: (body.quality ?? body.envelope.quality).empty_reason, charged: Number(response.headers['x-credits-charged']) }
}

const EMPTY: readonly (readonly [reason: string, url: string])[] = [
  ['no_match', 'theme-taxonomy?symbol=9999'],
  ['no_match', 'securities-firm-master?symbol=0000'],
  ['no_match', 'broker-branch-reference?branch_code=585C'],
  ['no_match', 'bond-yield-curve?symbol=30Y'],
  ['past_the_end', 'theme-taxonomy?offset=50'],
  ['past_the_end', 'theme-taxonomy?symbol=2330&offset=2'],
  ['past_the_end', 'index-classification?offset=1000000000'],
  ['no_match', 'theme-taxonomy?symbol=9999&offset=2'],
  ['outside_coverage', 'bond-yield-curve?symbol=TWGB&end_date=2026-06-21&offset=2'],
  ['no_match', 'bond-yield-curve?symbol=10Y&trade_date=2026-06-22'],
  ['no_match', 'bond-yield-curve?symbol=10Y&tenor_label=2Y'],
  ['no_match', 'bond-yield-curve?symbol=TWGB&trade_date=2026-06-24&start_date=2026-06-29'],
  ['no_match', 'bond-yield-curve?symbol=TWGB&trade_date=2026-06-27&start_date=2026-06-29'],
  ['outside_coverage', 'theme-taxonomy?as_of_date=2020-01-02'],
  ['outside_coverage', 'bond-yield-curve?symbol=TWGB&start_date=2026-07-01'],
  ['outside_coverage', 'bond-yield-curve?symbol=TWGB&end_date=2026-06-21'],
  ['outside_coverage', 'company-risk-events?symbol=2330&end_date=2012-01-11'],
  ['outside_coverage', '/v1/earnings?symbol=2330&period=2024'],
  ['outside_coverage', '/v1/earnings?symbol=2330&period=2026-Q2'],
  ['no_match', '/v1/earnings?symbol=9999&period=2026-Q1'],
  ['no_match', '/v1/earnings?symbol=9999&period=2025'],
  ['outside_coverage', '/v1/segments/all?symbol=2330&date=2024-03-31'],
  ['outside_coverage', '/v1/segments/all?symbol=2330&end_date=2024-03-31'],
  ['outside_coverage', '/v1/financial-reports/company-earnings?symbol=2330&date=2026-07-02'],
  ['no_match', '/v1/financial-reports/company-earnings?symbol=2330&date=2026-05-13'],
  ['not_trading_day', 'company-risk-events?symbol=2330&start_date=2026-06-27&end_date=2026-06-28'],
  ['not_trading_day', 'bond-yield-curve?symbol=TWGB&trade_date=2026-06-28'],
  ['not_trading_day', 'bond-yield-curve?symbol=TWGB&start_date=2026-07-04&end_date=2026-07-05'],
  ['not_trading_day', 'bond-yield-curve?symbol=TWGB&trade_date=2026-06-20'],
  ['outside_coverage', 'bond-yield-curve?symbol=TWGB&start_date=2026-07-04&end_date=2026-07-06'],
  ['not_captured', 'bond-yield-curve?symbol=TWGB&trade_date=2026-06-23'],
  ['not_captured', 'bond-yield-curve?symbol=TWGB&start_date=2026-06-25&end_date=2026-06-26'],
  ['not_captured', 'company-risk-events?symbol=9999'],
  ['not_built', 'index-classification?index_code=IX0002'],
  ['not_built', 'index-classification?index_type=sector'],
]

it('an empty response states its reason', async () => {
  for (const [reason, url] of EMPTY) expect.soft((await read(url)).reason, url).toBe(reason)
})

it('an empty response costs the credits of a read', async () => {
  expect((await read('theme-taxonomy?symbol=9999')).charged).toBe(1)
  expect((await read('company-risk-events?symbol=9999')).charged).toBe(3)
})

it('an empty response of an unclassified index is free', async () => {
  expect((await read('index-classification?index_code=IX0002')).charged).toBe(0)
})

it('until its first release, the events calendar returns no rows and costs nothing', async () => {
  const bare = await service({ examples: false, indexed: false })
  const { statusCode, headers } = await bare.get('/v2/datasets/events?symbol=2330', bare.keyOn('pro'))
  expect([statusCode, headers['x-row-count'], headers['x-empty-reason'], headers['x-credits-charged']]).toEqual([
    200,
    '0',
    'not_built',
    '0',
  ])
  await bare.close()
})

it('a response with rows states no empty reason', async () => {
  for (const url of [
    'theme-taxonomy',
    'index-classification',
    'company-risk-events?symbol=2330',
    'bond-yield-curve?symbol=2Y',
    'broker-branch-reference',
  ])
    expect((await s.get(`/v2/datasets/${url}`, s.keyOn('max'))).body, url).not.toContain('empty_reason')
})
