import { afterEach, beforeEach, expect, it } from 'vitest'
import { asDay } from '../../fixtures/fetch/t86.ts'
import { EMPTY } from '../../fixtures/ingest/bodies.ts'
import { scheduleSetup } from './setup.ts'

let s: Awaited<ReturnType<typeof scheduleSetup>>
beforeEach(async () => {
  s = await scheduleSetup()
})
afterEach(() => s.f.close())

it('the schedule runs at the start for due days, then at the due hour of each trading day in Taipei', async () => {
  expect(await s.runFor(5 * 24)).toEqual([
    '2026-06-29T12:00',
    '2026-06-29T18:00',
    '2026-06-30T18:00',
    '2026-07-01T18:00',
    '2026-07-02T18:00',
    '2026-07-03T18:00',
  ])
  expect(s.published()).toEqual(['2026-06-26', '2026-06-29', '2026-06-30', '2026-07-01', '2026-07-02', '2026-07-03'])
  // Saturday and Sunday have no data; Monday's data is next.
  expect(s.state()).toMatchObject({
    next_at: '2026-07-06T18:00:00.000+08:00',
    covers: '2026-07-03',
    tries: 0,
    last_run: { outcome: 'came', said: '1 fetched, 2 rows added', said_zh: '下載 1 個檔案，新增 2 列' },
  })
})

it('the schedule retries a late day with growing pauses', async () => {
  await s.runFor(1)
  s.f.source.reply(one => (s.f.clock().getTime() < Date.parse('2026-06-29T19:00:00+08:00') ? EMPTY : asDay(one)))
  expect(await s.runFor(24)).toEqual(['18:00', '18:05', '18:15', '18:35', '19:15'].map(time => `2026-06-29T${time}`))
  expect(s.published()).toContain('2026-06-29')
  expect(s.lines.slice(1, 3).map(([, { outcome, said }]) => [outcome, said])).toEqual([
    ['late', expect.stringContaining('has not published them yet')],
    ['late', expect.stringContaining('has not published them yet')],
  ])
})
