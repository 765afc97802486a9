import { afterEach, beforeEach, expect, it } from 'vitest'
import { body, ingest, outcomes } from '../../fixtures/ingest/bodies.ts'
import { service, type TestService } from '../../support.ts'

let s: TestService
beforeEach(async () => {
  s = await service({ examples: false })
})
afterEach(() => s.close())

const HEADING = 'recorddate,bond_code,name,maturity_roc,time_to_maturity_years,duration,coupon,yield_pct'

it('a curve read off bonds fills days without an official one, and never replaces one', async () => {
  const dataset = s.dataset('bond-yield-curve')
  const official = dataset.example.filter(({ trade_date }) => trade_date === '2026-06-30')
  await s.publish(dataset.slug, official, { synthetic: false })
  const list = body(s, 'bonds.csv', `${HEADING}\n2026-06-29,A11101,x,120/01/13,10,9,2,1.1\n2026-06-30,A11101,x,120/01/13,10,9,2,1.2\n`)
  expect(outcomes(await ingest(s, 'government-bonds', [list]))).toEqual([
    ['bonds.csv', '2026-06-29', 'published', null],
    ['bonds.csv', '2026-06-30', 'refused', 'stand_in_over_official'],
  ])
  const { data } = (await s.get('/v2/datasets/bond-yield-curve?symbol=TWGB', s.keyOn('max'))).json()
  const roles = data.map((row: Record<string, unknown>) => [row['trade_date'], row['tenor_label'], row['source_role']])
  expect(roles).toEqual([...official.map(row => [row['trade_date'], row['tenor_label'], 'canonical']), ['2026-06-29', '10Y', 'stand_in']])
})
