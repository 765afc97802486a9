import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { addDays } from '../../src/core/index.ts'
import { serviceAt } from '../calendar/service-at.ts'
import { operatorOf } from './operator.ts'

const TAIFEX = 'taifex-futures-institutional'

/** A service with a manual clock, and the days at risk of a feed. */
async function serviceWithFeeds(start: string) {
  const s = await serviceAt(start, { indexed: false, inMemory: false })
  const { read } = operatorOf(s)
  return {
    ...s,
    entryOf: async (name: string) => (await read('feeds')).data.find(({ feed }: { readonly feed: string }) => feed === name),
    async riskOf(name: string) {
      return (await this.entryOf(name)).at_risk
    },
  }
}

it('GET /v2/admin/feeds states for how long the source of a feed keeps past publications', async () => {
  const s = await serviceWithFeeds('2026-07-01 20:00')
  expect(await s.entryOf('tdcc-distribution')).toMatchObject({ history: 'newest', history_days: null })
  expect(await s.entryOf(TAIFEX)).toMatchObject({ history: 'days', history_days: 1_095 })
  // Without consent to the site, its past days can still be downloaded by hand.
  expect(await s.entryOf('twse-margin')).toMatchObject({ history: 'all', history_days: null })
  await s.close()
})

it('a missing week is at risk after half of the time until the source replaces it with the next week', async () => {
  const s = await serviceWithFeeds('2026-06-20 20:00')
  expect(await s.riskOf('tdcc-distribution')).toBeNull()
  const week = (day: string, holders: number) => [s.like('shareholder-distribution', { week_date: day, holders })]
  await s.publish('shareholder-distribution', week('2026-06-18', 1))
  expect(await s.riskOf('tdcc-distribution')).toBeNull()
  // The week of 2026-06-26 is due on Saturday 2026-06-27 at 18:00.
  s.setTime('2026-06-30 20:00')
  expect(await s.riskOf('tdcc-distribution')).toBeNull()
  s.setTime('2026-07-01 20:00')
  expect(await s.riskOf('tdcc-distribution')).toEqual({ day: '2026-06-26', days: 1, lost_at: '2026-07-04T18:00:00.000+08:00' })
  await s.publish('shareholder-distribution', week('2026-06-26', 2))
  expect(await s.riskOf('tdcc-distribution')).toBeNull()
  await s.close()
})

it('the newest final settlement is at risk if the schedule did not fetch it before the next trading day', async () => {
  const s = await serviceWithFeeds('2026-07-01 20:00')
  await s.publish('final-settlement', [s.like('final-settlement', { settlement_date: '2026-07-01' })])
  s.setTime('2026-07-02 20:00')
  expect(await s.riskOf('taifex-final-settlement')).toBeNull()
  s.setTime('2026-07-03 10:00')
  expect(await s.riskOf('taifex-final-settlement')).toEqual({ day: '2026-07-02', days: 1, lost_at: '2026-07-03T18:00:00.000+08:00' })
  await s.close()
})

it('if the schedule fetched a day and found no new rows, the day is not at risk', async () => {
  const s = await serviceWithFeeds('2026-07-01 20:30')
  await s.publish('company-risk-events', [s.like('company-risk-events', { event_date: '2026-06-24' })])
  s.setTime('2026-07-02 10:00')
  const last_run = { at: '2026-07-01T20:05:00.000+08:00', outcome: 'came', said: '1 fetched, 0 rows added' }
  const state = (covers: string) => ({ next_at: '2026-07-02T20:00:00.000+08:00', covers, tries: 0, last_run })
  mkdirSync(join(s.dir, 'fetch'))
  writeFileSync(
    join(s.dir, 'fetch', 'schedule.json'),
    JSON.stringify({ 'tpex-attention': state('2026-07-01'), 'tpex-disposition': state('2026-06-30') }),
  )
  expect(await s.riskOf('tpex-attention')).toBeNull()
  expect(await s.riskOf('tpex-disposition')).toEqual({ day: '2026-07-01', days: 1, lost_at: '2026-07-02T20:00:00.000+08:00' })
  await s.close()
})

it('gaps in the last days of a limited history are at risk, but days before the first release are not', async () => {
  const s = await serviceWithFeeds('2026-07-01 20:00')
  const oldest = addDays('2026-07-01', -1_095)
  const day = (trade_date: string, times: number) =>
    s
      .dataset('futures-institutional')
      .example.map(row =>
        Object.fromEntries(
          Object.entries({ ...row, trade_date }).map(([name, value]) => [name, typeof value === 'number' ? value * times : value]),
        ),
      )
  // 2023-07-04 and 2023-07-05 were trading days.
  await s.publish('futures-institutional', day('2023-07-03', 1))
  await s.publish('futures-institutional', day('2023-07-06', 2), { accept: ['missing_days'] })
  const { day: first, days, lost_at } = await s.riskOf(TAIFEX)
  expect([oldest, first, lost_at]).toEqual(['2023-07-02', '2023-07-04', '2026-07-04T00:00:00.000+08:00'])
  expect(days).toBe(22 - 2)
  s.setTime('2026-07-05 20:00')
  expect(await s.riskOf(TAIFEX)).toMatchObject({ day: '2023-07-07' })
  await s.close()
})
