import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Row } from '../../../catalog/index.ts'
import { twmd } from '../../fixtures/cli/in-process.ts'
import { change, exDay } from '../../fixtures/ingest/events.ts'
import { stored } from '../../fixtures/publish/store.ts'
import { service, type TestService } from '../../support.ts'
import { changesOf } from './adjusted.ts'

let s: TestService
beforeAll(async () => {
  s = await service({ examples: false, indexed: false })
})
afterAll(() => s.close())

const publish = (slug: string, rows: readonly Row[], options = {}) =>
  s.publish(slug, rows, { accept: ['row_count_drift', 'same_body', 'closed_day'], ...options })
const manifest = (slug = 'events') => stored(join(s.dir, 'releases'), slug).manifest

/** Rows of a security as date, type, title and English title, oldest first. */
async function eventsOf(symbol: string, more = ''): Promise<readonly (readonly unknown[])[]> {
  const { envelope } = (await s.get(`/v2/datasets/events?symbol=${symbol}&sort_order=asc${more}`, s.keyOn('pro'))).json()
  return envelope.data.map((row: Row) => [row['event_date'], row['event_type'], row['title'], row['title_en']])
}

const meeting = (ticker: string, meeting_date: string, meeting_type = 'annual'): Row => ({
  ticker,
  market: 'TWSE',
  meeting_date,
  meeting_type,
  name: '範例',
  location: null,
  director_election: null,
  agent: null,
  e_voting: null,
})
const conference = (ticker: string, day: string, time: string, summary: string | null): Row => ({
  ticker,
  market: 'TWSE',
  conference_start: day,
  time,
  conference_end: day,
  location: null,
  summary,
})
const delisting = (ticker: string, delisting_date: string, market: string, reason: string | null): Row => ({
  ticker,
  market,
  delisting_date,
  company_name: '範例',
  reason,
})

const EX_DIVIDEND = ['2026-06-23', 'ex_dividend', '除息', 'Ex-dividend']
const MEETING = ['2026-06-24', 'shareholders_meeting', '股東常會', 'Annual shareholders’ meeting']

it('the events calendar has rows once one of its lists is published', async () => {
  const published = await publish('ex-rights', [
    exDay('1101', '2026-06-23', 40, 38),
    { ...exDay('1102', '2026-06-23', 40, 38), kind: 'rights' },
  ])
  expect(changesOf(published)).toMatchObject({ events: { rows_added: 2 } })
  expect(await eventsOf('1101')).toEqual([EX_DIVIDEND])
  expect(await eventsOf('1102')).toEqual([['2026-06-23', 'ex_rights', '除權', 'Ex-rights']])
  const { headers } = await s.get('/v2/datasets/events?symbol=1101', s.keyOn('pro'))
  expect([headers['x-credits-charged'], headers['x-release']]).toEqual(['1', manifest().release])
})

it('a list that is published later adds its events to the calendar, including future events', async () => {
  const rows = [meeting('1101', '2026-06-24'), meeting('1101', '2027-05-20', 'extraordinary')]
  expect(changesOf(await publish('shareholder-meetings', rows))).toMatchObject({
    events: { rows_added: 2, rows_changed: 0, rows_removed: 0 },
  })
  expect(await eventsOf('1101')).toEqual([
    EX_DIVIDEND,
    MEETING,
    ['2027-05-20', 'shareholders_meeting', '股東臨時會', 'Extraordinary shareholders’ meeting'],
  ])
  expect(manifest().sources.map(({ name }) => name)).toEqual([
    `ex-rights ${manifest('ex-rights').release}`,
    `shareholder-meetings ${manifest('shareholder-meetings').release}`,
    'SQL of events',
  ])
})

it('event titles contain the printed subject or reason, and conferences with the same day and subject are one event', async () => {
  await publish('investor-conferences', [
    conference('2317', '2026-07-16', '08:00', '受邀參加投資人會議'),
    conference('2317', '2026-07-16', '14:00', '受邀參加投資人會議'),
    conference('2317', '2026-07-17', '09:00', null),
  ])
  await publish('capital-changes', [
    change('2317', '2026-06-22', 10, 20),
    change('2317', '2026-06-29', 10, 20, { change_type: 'par_value_change', reason: null }),
  ])
  await publish('delistings', [delisting('2317', '2026-08-03', 'TPEX', '轉上市'), delisting('2317', '2026-08-04', 'TWSE', null)])
  expect(await eventsOf('2317')).toEqual([
    ['2026-06-22', 'capital_reduction', '減資後恢復買賣（彌補虧損）', 'Trading resumes after a capital reduction'],
    ['2026-06-29', 'par_value_change', '變更面額後恢復買賣', 'Trading resumes after a par value change'],
    ['2026-07-16', 'investor_conference', '法人說明會（受邀參加投資人會議）', 'Investor conference'],
    ['2026-07-17', 'investor_conference', '法人說明會', 'Investor conference'],
    ['2026-08-03', 'delisting', '終止上櫃（轉上市）', 'Delisting'],
    ['2026-08-04', 'delisting', '終止上市', 'Delisting'],
  ])
  expect(await eventsOf('2317', '&event_type=delisting&end_date=2026-08-03')).toEqual([
    ['2026-08-03', 'delisting', '終止上櫃（轉上市）', 'Delisting'],
  ])
})

it('an event of material information has the announced subject and day; equal subjects of a day are one event', async () => {
  const announced = (day: string, announced_time: string, subject: string): Row => ({
    ticker: '3008',
    market: 'TWSE',
    announced_on: day,
    announced_time,
    subject,
    name: '範例',
    clause: '第51款',
    event_date: '2026-06-01',
    description: null,
  })
  await publish('announcements', [
    announced('2026-06-22', '07:00:12', '公告本公司處分不動產'),
    announced('2026-06-22', '18:30:00', '公告本公司處分不動產'),
    announced('2026-06-22', '18:31:00', '澄清媒體報導'),
    announced('2026-06-23', '09:00:00', '公告本公司處分不動產'),
  ])
  expect(await eventsOf('3008', '&event_type=material_information')).toEqual([
    ['2026-06-22', 'material_information', '公告本公司處分不動產', 'Material information'],
    ['2026-06-22', 'material_information', '澄清媒體報導', 'Material information'],
    ['2026-06-23', 'material_information', '公告本公司處分不動產', 'Material information'],
  ])
})

it('a change of a list changes only the events of its days, and serving the previous release of the list restores them', async () => {
  const before = manifest('shareholder-meetings').release
  const moved = await publish('shareholder-meetings', [meeting('1101', '2026-06-25', 'extraordinary')])
  expect(changesOf(moved)).toMatchObject({ events: { rows_added: 1, rows_changed: 0, rows_removed: 0 } })
  const { code, stdout, stderr } = await twmd(s.dir, 'releases', 'serve', 'shareholder-meetings', before)
  expect([code, stdout], stderr).toEqual([0, expect.stringContaining('published events: 0 rows added, 0 changed, 1 removed')])
  await s.releases.refresh()
  await s.columns.refresh()
  expect(await eventsOf('1101', '&end_date=2026-12-31')).toEqual([EX_DIVIDEND, MEETING])
})

it('samples of a list are not added to a calendar of real rows', async () => {
  const other = await service({ examples: false, indexed: false })
  await other.publish('ex-rights', [exDay('1101', '2026-06-23', 40, 38)], { accept: ['closed_day'] })
  await other.publish('shareholder-meetings', [meeting('1101', '2026-06-24')], { synthetic: true })
  const { envelope } = (await other.get('/v2/datasets/events?symbol=1101', other.keyOn('pro'))).json()
  expect(envelope.data.map((row: Row) => row['event_type'])).toEqual(['ex_dividend'])
  await other.close()
})

it('a read with as_of returns only events from lists that were published by that day', async () => {
  let time = new Date('2026-06-23T12:00:00Z')
  const other = await service({ examples: false, indexed: false, now: () => time })
  await other.publish('ex-rights', [exDay('1101', '2026-06-23', 40, 38)])
  time = new Date('2026-06-24T12:00:00Z')
  await other.publish('shareholder-meetings', [meeting('1101', '2026-06-30')])
  const asOf = (day: string) => other.get(`/v2/datasets/events?symbol=1101&as_of=${day}`, other.keyOn('pro'))
  const typesOn = async (day: string) => (await asOf(day)).json().envelope.data.map((row: Row) => row['event_type'])
  expect(await typesOn('2026-06-23')).toEqual(['ex_dividend'])
  expect(await typesOn('2026-06-24')).toEqual(['shareholders_meeting', 'ex_dividend'])
  expect((await asOf('2026-06-22')).statusCode).toBe(422)
  await other.close()
})
