import { expect, it } from 'vitest'
import { twmd } from '../fixtures/cli/twmd.ts'
import { type ServiceAt, serviceAt } from './service-at.ts'

let s: ServiceAt

const flag = (day: string) => s.like('company-risk-events', { event_date: day })
const state = async () => {
  const { freshness_state, freshness_as_of } = await s.freshness('company-risk-events')
  return [freshness_state, freshness_as_of]
}

it('datasets of sparse events stay fresh without new rows: ex-rights days for four months, risk flags for a week', async () => {
  const checkedAt = '2026-06-26 21:00'
  s = await serviceAt(checkedAt)
  // The id is derived from the day.
  const { event_id: _, ...exDay } = s.like('ex-rights', { ex_date: '2026-05-05' })
  const old = {
    'ex-rights': exDay,
    'company-risk-events': flag('2026-05-05'),
  }
  for (const [slug, row] of Object.entries(old))
    expect(await s.publish(slug, [row], { accept: ['derived_as_given'] })).toMatchObject({ status: 'published' })
  const states = Object.keys(old).map(async slug => (await s.freshness(slug)).freshness_state)
  expect(await Promise.all(states)).toEqual(['fresh', 'late'])
  await s.close()
})

it.each([
  ['a correction of an old row', '2026-06-12', { description: '更正' }],
  ['a correction of the newest row', '2026-06-24', { description: '更正' }],
  ['an old row published again', '2026-06-12', {}],
])('%s does not count as a source check of a dataset of sparse events', async (_, day, values) => {
  s = await serviceAt('2026-06-24 20:00', { inMemory: false })
  await s.publish('company-risk-events', [flag('2026-06-12'), flag('2026-06-24')])
  s.setTime('2026-06-26 21:00')
  await s.publish('company-risk-events', [{ ...flag(day), ...values }])
  expect(await state()).toEqual(['late', '2026-06-24'])
  await s.close()
})

it('the source check of a withdrawn release does not count, even after the next publication', async () => {
  s = await serviceAt('2026-06-24 20:00', { inMemory: false })
  const { release } = await s.publish('company-risk-events', [flag('2026-06-12'), flag('2026-06-24')])
  s.setTime('2026-06-26 21:00')
  await s.publish('company-risk-events', [flag('2026-06-26')])
  expect(await state()).toEqual(['fresh', '2026-06-26'])
  expect(await twmd(s.dir, 'releases', 'serve', 'company-risk-events', release!)).toMatchObject({ code: 0 })
  await s.releases.refresh()
  expect(await state()).toEqual(['late', '2026-06-24'])
  await s.publish('company-risk-events', [{ ...flag('2026-06-12'), description: '更正' }])
  expect(await state()).toEqual(['late', '2026-06-24'])
  await s.close()
})

it('if the newest row of a list is more than a week old, republishing the list does not count as a source check', async () => {
  s = await serviceAt('2026-06-24 20:00', { inMemory: false })
  await s.publish('company-risk-events', [flag('2026-06-24')])
  for (const now of ['2026-07-01 20:00', '2026-07-02 20:00', '2026-07-03 20:00']) {
    s.setTime(now)
    await s.publish('company-risk-events', [flag('2026-06-24')])
  }
  expect(await state()).toEqual(['late', '2026-07-01'])
  await s.close()
})

it('old real rows that replace samples do not count as a source check', async () => {
  s = await serviceAt('2026-06-24 20:00', { inMemory: false })
  await s.publish('company-risk-events', [flag('2026-06-24')], { synthetic: true })
  expect(await state()).toEqual(['fresh', '2026-06-24'])
  await s.publish('company-risk-events', [flag('2015-06-10')])
  expect(await state()).toEqual(['late', '2015-06-10'])
  await s.close()
})
