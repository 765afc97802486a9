import { expect, it } from 'vitest'
import { openReleases } from '../../src/releases/index.ts'
import { type ServiceAt, serviceAt } from './service-at.ts'

let s: ServiceAt

const flag = (day: string) => s.like('company-risk-events', { event_date: day })
const state = async () => {
  const { freshness_state, freshness_as_of } = await s.freshness('company-risk-events')
  return [freshness_state, freshness_as_of]
}

it('datasets of sparse events are fresh through the day of the last source check, and a backfill does not count as a source check', async () => {
  s = await serviceAt('2026-06-24 20:00', { inMemory: false })
  await s.publish('company-risk-events', [flag('2026-06-18')])
  expect(await state()).toEqual(['fresh', '2026-06-24'])
  s.setTime('2026-06-25 19:59')
  expect(await state()).toEqual(['fresh', '2026-06-24'])
  await s.publish('company-risk-events', [flag('2026-06-25')])
  expect(await state()).toEqual(['fresh', '2026-06-24'])
  s.setTime('2026-06-25 20:00')
  expect(await state()).toEqual(['due', '2026-06-24'])
  s.setTime('2026-06-26 21:00')
  await s.publish('company-risk-events', [flag('2015-06-10')])
  // At 19:59 on the 25th, no check had found the 25th complete.
  expect(await state()).toEqual(['late', '2026-06-24'])
  await s.close()
})

it('an unchanged publication counts as a source check of a dataset of sparse events, also after a restart', async () => {
  s = await serviceAt('2026-06-24 20:00', { inMemory: false })
  await s.publish('company-risk-events', [flag('2026-06-23'), flag('2026-06-24')])
  s.setTime('2026-06-26 21:00')
  expect(await state()).toEqual(['late', '2026-06-24'])
  expect(await s.publish('company-risk-events', [flag('2026-06-24')])).toMatchObject({ status: 'unchanged' })
  expect(await state()).toEqual(['fresh', '2026-06-26'])
  const again = await openReleases({ root: s.workspace.releases, catalog: s.catalog, log: () => {} })
  expect(again.current(s.dataset('company-risk-events')).completeThrough).toBe('2026-06-26')
  again.close()
  await s.close()
})
