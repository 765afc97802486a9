import { describe, expect, it } from 'vitest'
import { openReleases } from '../../src/releases/index.ts'
import { twmd } from '../fixtures/cli/twmd.ts'
import { type ServiceAt, serviceAt } from './service-at.ts'

let s: ServiceAt

describe('events, which many days do not have, due at 20:00', () => {
  const flag = (day: string) => s.like('company-risk-events', { event_date: day })
  const state = async () => {
    const { freshness_state, freshness_as_of } = await s.freshness('company-risk-events')
    return [freshness_state, freshness_as_of]
  }

  it('are up to date with the day of the last source check, whatever their newest day is; a backfill checks no source', async () => {
    s = await serviceAt('2026-06-24 20:00')
    await s.publish('company-risk-events', [flag('2026-06-18')])
    expect(await state()).toEqual(['fresh', '2026-06-24'])
    s.at('2026-06-25 19:59')
    expect(await state()).toEqual(['fresh', '2026-06-24'])
    await s.publish('company-risk-events', [flag('2026-06-25')])
    expect(await state()).toEqual(['fresh', '2026-06-24'])
    s.at('2026-06-25 20:00')
    expect(await state()).toEqual(['due', '2026-06-24'])
    s.at('2026-06-26 21:00')
    await s.publish('company-risk-events', [flag('2015-06-10')])
    // At 19:59 on the 25th nobody had seen the 25th complete.
    expect(await state()).toEqual(['late', '2026-06-24'])
    await s.close()
  })

  it('stay up to date while the source is checked and has nothing new, and a restart of the service forgets no source check', async () => {
    s = await serviceAt('2026-06-24 20:00')
    await s.publish('company-risk-events', [flag('2026-06-23'), flag('2026-06-24')])
    s.at('2026-06-26 21:00')
    expect(await state()).toEqual(['late', '2026-06-24'])
    expect(await s.publish('company-risk-events', [flag('2026-06-24')])).toMatchObject({ status: 'unchanged' })
    expect(await state()).toEqual(['fresh', '2026-06-26'])
    const again = await openReleases({ root: s.workspace.releases, catalog: s.catalog, log: () => {} })
    expect(again.current(s.dataset('company-risk-events')).completeThrough).toBe('2026-06-26')
    again.close()
    await s.close()
  })

  it('stay up to date for as long as their source may have nothing to say: ex-days for four months, flags for a week', async () => {
    const at = '2026-06-26 21:00'
    s = await serviceAt(at)
    // The id follows from the day.
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
    ['an old row brought again', '2026-06-12', {}],
  ])('are not made up to date by %s, and what was looked at stays so', async (_, day, values) => {
    s = await serviceAt('2026-06-24 20:00')
    await s.publish('company-risk-events', [flag('2026-06-12'), flag('2026-06-24')])
    s.at('2026-06-26 21:00')
    await s.publish('company-risk-events', [{ ...flag(day), ...values }])
    expect(await state()).toEqual(['late', '2026-06-24'])
    await s.close()
  })

  it('are not made up to date by the source check of a withdrawn release, whatever is published after it', async () => {
    s = await serviceAt('2026-06-24 20:00')
    const { release } = await s.publish('company-risk-events', [flag('2026-06-12'), flag('2026-06-24')])
    s.at('2026-06-26 21:00')
    await s.publish('company-risk-events', [flag('2026-06-26')])
    expect(await state()).toEqual(['fresh', '2026-06-26'])
    expect(await twmd(s.dir, 'releases', 'serve', 'company-risk-events', release!)).toMatchObject({ code: 0 })
    await s.releases.refresh()
    expect(await state()).toEqual(['late', '2026-06-24'])
    await s.publish('company-risk-events', [{ ...flag('2026-06-12'), description: '更正' }])
    expect(await state()).toEqual(['late', '2026-06-24'])
    await s.close()
  })

  it('are not made up to date by the same stale list, day after day', async () => {
    s = await serviceAt('2026-06-24 20:00')
    await s.publish('company-risk-events', [flag('2026-06-24')])
    for (const now of ['2026-07-01 20:00', '2026-07-02 20:00', '2026-07-03 20:00']) {
      s.at(now)
      await s.publish('company-risk-events', [flag('2026-06-24')])
    }
    expect(await state()).toEqual(['late', '2026-07-01'])
    await s.close()
  })

  it('are not made up to date by real rows of long ago that take the place of samples', async () => {
    s = await serviceAt('2026-06-24 20:00')
    await s.publish('company-risk-events', [flag('2026-06-24')], { synthetic: true })
    expect(await state()).toEqual(['fresh', '2026-06-24'])
    await s.publish('company-risk-events', [flag('2015-06-10')])
    expect(await state()).toEqual(['late', '2015-06-10'])
    await s.close()
  })
})
