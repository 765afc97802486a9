import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Fetcher } from '../../../ingest/fetchers/index.ts'
import { readScheduleState, runSchedule, type ScheduleDeps } from '../../../ingest/schedule/index.ts'
import { taipei } from '../../../src/core/index.ts'
import { type Asked, fetchSetup } from '../../fixtures/fetch/source.ts'
import { EMPTY, feeds, holdersBody, t86Body } from '../../fixtures/ingest/bodies.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
/** Monday at noon in Taipei, before the day's trades are due at 18:00. */
const MONDAY_NOON = new Date('2026-06-29T04:00:00Z')

let f: Awaited<ReturnType<typeof fetchSetup>>
let lines: (readonly [string, Readonly<Record<string, unknown>>])[]
beforeEach(async () => {
  lines = []
  f = await fetchSetup({ reply: asDay, now: MONDAY_NOON })
})
afterEach(() => f.close())

const dayAsked = ({ path }: Asked): string => /date=(\d{4})(\d\d)(\d\d)/.exec(path)!.slice(1).join('-')
const bodyOfDay = (day: string): string => t86Body(day, { '2330': [Number(day.slice(8)), 1, 0], '0050': [0, Number(day.slice(5, 7)), 7] })
function asDay(asked: Asked): string {
  return bodyOfDay(dayAsked(asked))
}
const asked = (): readonly string[] => f.source.asked.map(dayAsked)
/** Days that were published, by the journal of captures. */
const published = (): readonly string[] =>
  readFileSync(join(f.dir, 'captures/twse-t86.ndjson'), 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Record<string, string>)
    .flatMap(({ outcome, date }) => (outcome === 'published' ? [date!] : []))
const state = () => readScheduleState(f.dir)['twse-t86']

/** Runs the schedule for some hours of the clock. @returns when it ran, in Taipei */
async function runFor(hours: number, more: Partial<ScheduleDeps> = {}, by: Fetcher = f.fetcher): Promise<readonly string[]> {
  const controller = new AbortController()
  const end = f.clock().getTime() + hours * HOUR
  const workspace = await f.workspace()
  const from = lines.length
  await runSchedule({
    dataDir: f.dir,
    feeds: [feeds.get('twse-t86')!],
    fetcher: by,
    withWorkspace: work => work(workspace),
    signal: controller.signal,
    log: (event, facts = {}) => void lines.push([event, { ...facts, at: taipei(f.clock()).slice(0, 16) }]),
    clock: f.clock,
    random: () => 0,
    wait: async at => {
      if (at.getTime() >= end) controller.abort()
      f.pass(Math.min(at.getTime(), end) - f.clock().getTime())
    },
    ...more,
  })
  return lines.slice(from).map(([, { at }]) => String(at))
}

it('the schedule runs at the start for due days, then at the due hour of each trading day in Taipei', async () => {
  expect(await runFor(5 * 24)).toEqual([
    '2026-06-29T12:00',
    '2026-06-29T18:00',
    '2026-06-30T18:00',
    '2026-07-01T18:00',
    '2026-07-02T18:00',
    '2026-07-03T18:00',
  ])
  expect(published()).toEqual(['2026-06-26', '2026-06-29', '2026-06-30', '2026-07-01', '2026-07-02', '2026-07-03'])
  // Saturday and Sunday have no data; Monday's is next.
  expect(state()).toMatchObject({
    next_at: '2026-07-06T18:00:00.000+08:00',
    covers: '2026-07-03',
    tries: 0,
    last_run: { outcome: 'came', said: '1 fetched, 2 rows added', said_zh: '取得 1 份，新增 2 列' },
  })
})

it('the schedule retries a late day with growing pauses', async () => {
  await runFor(1)
  f.source.reply(one => (f.clock().getTime() < Date.parse('2026-06-29T19:00:00+08:00') ? EMPTY : asDay(one)))
  expect(await runFor(24)).toEqual(['18:00', '18:05', '18:15', '18:35', '19:15'].map(time => `2026-06-29T${time}`))
  expect(published()).toContain('2026-06-29')
  expect(lines.slice(1, 3).map(([, { outcome, said }]) => [outcome, said])).toEqual([
    ['late', expect.stringContaining('asked for too early')],
    ['late', expect.stringContaining('asked for too early')],
  ])
})

it('the schedule retries a source that does not answer', async () => {
  await runFor(1)
  f.source.reply((_, response) => void response.destroy())
  const oneTry = f.fetcherFor({ tries: 1 })
  await runFor(8, {}, oneTry)
  await oneTry.close()
  expect(state()).toMatchObject({
    covers: '2026-06-28',
    last_run: {
      outcome: 'unreachable',
      said: expect.stringContaining('gives nothing'),
      said_zh: expect.stringMatching(/\p{Script=Han}/u),
    },
  })
  f.source.reply(asDay)
  await runFor(4)
  expect(published()).toContain('2026-06-29')
})

it('the schedule catches up the days of an outage and requests each once', async () => {
  await runFor(1)
  f.pass(9 * 24 * HOUR)
  await runFor(1)
  const days = ['2026-06-26', '2026-06-29', '2026-06-30', '2026-07-01', '2026-07-02', '2026-07-03', '2026-07-06', '2026-07-07']
  expect(published()).toEqual(days)
  expect(asked()).toEqual(days)
})

it('the schedule resumes at the first missing day', async () => {
  await runFor(1)
  f.pass(3 * 24 * HOUR)
  f.source.reply((one, response) => {
    if (dayAsked(one) !== '2026-06-30') return asDay(one)
    response.writeHead(404)
    return ''
  })
  await runFor(1, { once: true })
  expect(state()).toMatchObject({ covers: '2026-06-29', last_run: { outcome: 'unreachable' } })
  f.source.reply(asDay)
  await runFor(4)
  expect(published()).toContain('2026-06-30')
  expect(state()?.covers).toBe('2026-07-01')
})

it('the schedule waits for the next day after a body is refused for good, and logs the reason', async () => {
  await runFor(1)
  f.source.reply(one => asDay(one).replace('"total":2', '"total":2').replace('ALLBUT0999', '24'))
  await runFor(8)
  expect(lines.at(-1)).toEqual([
    'failed',
    expect.objectContaining({ during: 'fetching twse-t86', error: expect.stringContaining('part "24" of the market') }),
  ])
  expect(state()).toMatchObject({ next_at: '2026-06-30T18:00:00.000+08:00', covers: '2026-06-28' })
})

it('the schedule fetches an undated list once a week', async () => {
  const list = JSON.stringify([{ 出表日期: '1150626', 公司代號: '9901', 公司簡稱: '範例', 英文簡稱: 'SAMPLE' }])
  f.source.reply(({ path }) => (path.endsWith('_L') ? list : list.replaceAll('9901', '9902')))
  expect(await runFor(15 * 24, { feeds: [feeds.get('companies')!] })).toEqual(['2026-06-29T12:00', '2026-07-06T06:30', '2026-07-13T06:30'])
})

it("the schedule retries a weekly body that is still last week's", async () => {
  f.source.reply(() =>
    f.clock().getTime() < Date.parse('2026-07-04T20:00:00+08:00') ? holdersBody('2026-06-26', 0) : holdersBody('2026-07-03', 100),
  )
  const times = await runFor(6 * 24, { feeds: [feeds.get('tdcc-distribution')!] })
  expect(times).toEqual(['2026-06-29T12:00', ...['18:00', '18:05', '18:15', '18:35', '19:15', '20:35'].map(time => `2026-07-04T${time}`)])
  expect(lines.slice(1).map(([, { outcome }]) => outcome)).toEqual(['late', 'late', 'late', 'late', 'late', 'came'])
  expect(readScheduleState(f.dir)['tdcc-distribution']).toMatchObject({ covers: '2026-07-03', next_at: '2026-07-11T18:00:00.000+08:00' })
})

it('the schedule recovers when a clock that was a month ahead is set back', async () => {
  await runFor(1)
  const asIfPast: typeof asDay = one => (dayAsked(one) > '2026-07-01' ? EMPTY : asDay(one))
  f.source.reply(asIfPast)
  f.pass(31 * 24 * HOUR)
  await runFor(1)
  expect(Date.parse(state()!.next_at)).toBeGreaterThan(Date.parse('2026-07-30'))
  f.pass(-32 * 24 * HOUR)
  f.source.reply(asDay)
  expect(await runFor(3 * 24)).toEqual(['2026-06-28T14:00', '2026-06-29T18:00', '2026-06-30T18:00'])
  expect(published().slice(0, 3)).toEqual(['2026-06-26', '2026-06-29', '2026-06-30'])
  expect(state()).toMatchObject({ covers: '2026-06-30', next_at: '2026-07-01T18:00:00.000+08:00', last_run: { outcome: 'came' } })
})

it('the schedule notices a clock change while it waits', async () => {
  const controller = new AbortController()
  const workspace = await f.workspace()
  const running = runSchedule({
    dataDir: f.dir,
    feeds: [feeds.get('twse-t86')!],
    fetcher: f.fetcher,
    withWorkspace: work => work(workspace),
    signal: controller.signal,
    log: event => void lines.push([event, { at: taipei(f.clock()).slice(0, 16) }]),
    clock: f.clock,
    random: () => 0,
    lookMs: 10,
  })
  const ran = (): readonly unknown[] => lines.map(([, { at }]) => at)
  await expect.poll(ran, { timeout: 20_000 }).toEqual(['2026-06-29T12:00'])
  f.pass(24 * HOUR)
  await expect.poll(ran, { timeout: 20_000 }).toEqual(['2026-06-29T12:00', '2026-06-30T12:00'])
  f.pass(-23 * HOUR)
  await expect.poll(ran, { timeout: 20_000 }).toEqual(['2026-06-29T12:00', '2026-06-30T12:00', '2026-06-29T13:00'])
  controller.abort()
  await running
  expect(published()).toEqual(['2026-06-26', '2026-06-29'])
})

it('the schedule rebuilds an unreadable state without requesting published days', async () => {
  await runFor(7)
  const before = f.source.asked.length
  writeFileSync(join(f.dir, 'fetch/schedule.json'), '{"twse-t86": {')
  await runFor(1)
  expect(f.source.asked.length).toBe(before)
  expect(state()?.covers).toBe('2026-06-29')
})
