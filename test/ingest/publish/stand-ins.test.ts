import { afterAll, beforeAll, expect, it } from 'vitest'
import { outcomes } from '../../fixtures/ingest/bodies.ts'
import { type Publisher, publisher } from './publisher.ts'

let s: Publisher
beforeAll(async () => {
  s = await publisher()
})
afterAll(() => s.close())

const HEADING = 'recorddate,bond_code,name,maturity_roc,time_to_maturity_years,duration,coupon,yield_pct'

it('a yield curve derived from bonds fills days without an official curve and never replaces an official curve', async () => {
  const dataset = s.dataset('bond-yield-curve')
  const official = dataset.example.filter(({ trade_date }) => trade_date === '2026-06-30')
  await s.publish(dataset.slug, official)
  const bonds = `${HEADING}\n2026-06-29,A11101,x,120/01/13,10,9,2,1.1\n2026-06-30,A11101,x,120/01/13,10,9,2,1.2\n`
  expect(outcomes(await s.ingest('government-bonds', [s.file('bonds.csv', bonds)]))).toEqual([
    ['bonds.csv', '2026-06-29', 'published', null],
    ['bonds.csv', '2026-06-30', 'refused', 'stand_in_over_official'],
  ])
  const roles = await s.rows(
    dataset.slug,
    'trade_date::VARCHAR AS day, source_role AS role, count(*)::INTEGER AS rows',
    'GROUP BY ALL ORDER BY day',
  )
  expect(roles).toEqual([
    { day: '2026-06-29', role: 'stand_in', rows: 1 },
    { day: '2026-06-30', role: 'canonical', rows: official.length },
  ])
})
