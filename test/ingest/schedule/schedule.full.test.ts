import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readScheduleState, runSchedule } from '../../../ingest/schedule/index.ts'
import { asDay, requestedDayOf } from '../../fixtures/fetch/t86.ts'
import { companyRegister, EMPTY, feeds, holdersBody } from '../../fixtures/ingest/bodies.ts'
import { HOUR, scheduleSetup } from './setup.ts'

let s: Awaited<ReturnType<typeof scheduleSetup>>
beforeEach(async () => {
  s = await scheduleSetup()
})
afterEach(() => s.f.close())

it('the schedule retries a source that does not answer', async () => {
  await s.runFor(1)
  s.f.source.reply((_, response) => void response.destroy())
  const oneTry = s.f.fetcherFor({ tries: 1 })
  await s.runFor(8, {}, oneTry)
  await oneTry.close()
  expect(s.state()).toMatchObject({
    covers: '2026-06-28',
    last_run: {
      outcome: 'unreachable',
      said: expect.stringContaining('No data from'),
      said_zh: expect.stringMatching(/\p{Script=Han}/u),
    },
  })
  s.f.source.reply(asDay)
  await s.runFor(4)
  expect(s.published()).toContain('2026-06-29')
})

it('the schedule fetches the days that an outage missed, and requests each day once', async () => {
  await s.runFor(1)
  s.f.pass(9 * 24 * HOUR)
  await s.runFor(1)
  const days = ['2026-06-26', '2026-06-29', '2026-06-30', '2026-07-01', '2026-07-02', '2026-07-03', '2026-07-06', '2026-07-07']
  expect(s.published()).toEqual(days)
  expect(s.f.source.requests.map(requestedDayOf)).toEqual(days)
})

it('the schedule resumes at the first missing day', async () => {
  await s.runFor(1)
  s.f.pass(3 * 24 * HOUR)
  s.f.source.reply((request, response) => {
    if (requestedDayOf(request) !== '2026-06-30') return asDay(request)
    response.writeHead(404)
    return ''
  })
  await s.runFor(1, { once: true })
  expect(s.state()).toMatchObject({ covers: '2026-06-29', last_run: { outcome: 'unreachable' } })
  s.f.source.reply(asDay)
  await s.runFor(4)
  expect(s.published()).toContain('2026-06-30')
  expect(s.state()?.covers).toBe('2026-07-01')
})

it('the schedule retries a weekly body that still has the rows of last week', async () => {
  s.f.source.reply(() =>
    s.f.clock().getTime() < Date.parse('2026-07-04T20:00:00+08:00') ? holdersBody('2026-06-26', 0) : holdersBody('2026-07-03', 100),
  )
  const times = await s.runFor(6 * 24, { feeds: [feeds.get('tdcc-distribution')!] })
  expect(times).toEqual(['2026-06-29T12:00', ...['18:00', '18:05', '18:15', '18:35', '19:15', '20:35'].map(time => `2026-07-04T${time}`)])
  expect(s.lines.slice(1).map(([, { outcome }]) => outcome)).toEqual(['late', 'late', 'late', 'late', 'late', 'came'])
  expect(readScheduleState(s.f.dir)['tdcc-distribution']).toMatchObject({ covers: '2026-07-03', next_at: '2026-07-11T18:00:00.000+08:00' })
})

it('the schedule recovers when a clock that was a month ahead is set back', async () => {
  await s.runFor(1)
  const asIfPast: typeof asDay = request => (requestedDayOf(request) > '2026-07-01' ? EMPTY : asDay(request))
  s.f.source.reply(asIfPast)
  s.f.pass(31 * 24 * HOUR)
  await s.runFor(1)
  expect(Date.parse(s.state()!.next_at)).toBeGreaterThan(Date.parse('2026-07-30'))
  s.f.pass(-32 * 24 * HOUR)
  s.f.source.reply(asDay)
  expect(await s.runFor(3 * 24)).toEqual(['2026-06-28T14:00', '2026-06-29T18:00', '2026-06-30T18:00'])
  expect(s.published().slice(0, 3)).toEqual(['2026-06-26', '2026-06-29', '2026-06-30'])
  expect(s.state()).toMatchObject({ covers: '2026-06-30', next_at: '2026-07-01T18:00:00.000+08:00', last_run: { outcome: 'came' } })
})

it('the schedule notices a clock change while it waits', async () => {
  const controller = new AbortController()
  const running = runSchedule({ ...s.deps, signal: controller.signal, lookMs: 10 })
  const ran = (): readonly unknown[] => s.lines.map(([, { at }]) => at)
  await expect.poll(ran, { timeout: 20_000 }).toEqual(['2026-06-29T12:00'])
  s.f.pass(24 * HOUR)
  await expect.poll(ran, { timeout: 20_000 }).toEqual(['2026-06-29T12:00', '2026-06-30T12:00'])
  s.f.pass(-23 * HOUR)
  await expect.poll(ran, { timeout: 20_000 }).toEqual(['2026-06-29T12:00', '2026-06-30T12:00', '2026-06-29T13:00'])
  controller.abort()
  await running
  expect(s.published()).toEqual(['2026-06-26', '2026-06-29'])
})

it('the schedule rebuilds an unreadable state without requesting published days', async () => {
  await s.runFor(7)
  const before = s.f.source.requests.length
  writeFileSync(join(s.f.dir, 'fetch/schedule.json'), '{"twse-t86": {')
  await s.runFor(1)
  expect(s.f.source.requests.length).toBe(before)
  expect(s.state()?.covers).toBe('2026-06-29')
})

it('the schedule fetches an undated list once a week', async () => {
  s.f.source.reply(({ path }) => companyRegister(path.endsWith('_L') ? 1 : 9, 500, '1150626'))
  expect(await s.runFor(15 * 24, { feeds: [feeds.get('companies')!] })).toEqual([
    '2026-06-29T12:00',
    '2026-07-06T06:30',
    '2026-07-13T06:30',
  ])
})

it('the schedule waits for the next day after a refusal that no retry can fix, and logs the reason', async () => {
  await s.runFor(1)
  s.f.source.reply(one => asDay(one).replace('"total":2', '"total":2').replace('ALLBUT0999', '24'))
  await s.runFor(8)
  expect(s.lines.at(-1)).toEqual([
    'failed',
    expect.objectContaining({ during: 'fetching twse-t86', error: expect.stringContaining('part "24" of the market') }),
  ])
  expect(s.state()).toMatchObject({ next_at: '2026-06-30T18:00:00.000+08:00', covers: '2026-06-28' })
})
