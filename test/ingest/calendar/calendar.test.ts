import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  bringCalendar,
  CALENDAR_SHA256,
  calendarDays,
  calendarIsDue,
  isTradingDay,
  publishCalendar,
} from '../../../ingest/calendar/index.ts'
import { createStaging, EMPTY_CALENDAR, publish, stagedColumns, stageRows } from '../../../ingest/publish/index.ts'
import { releaseIds, stored, storedRows } from '../../fixtures/publish/store.ts'
import { service, type TestService } from '../../support.ts'

const CALENDAR = 'trading-calendar'
const days = calendarDays()
const isWeekday = (day: string): boolean => ![0, 6].includes(new Date(`${day}T00:00:00Z`).getUTCDay())
const dayOf = (date: string) => days.find(day => day.date === date)

describe('built-in trading calendar', () => {
  it('the built-in calendar has every day from 2007 to 2027 once', () => {
    expect([days.length, new Set(days.map(({ date }) => date)).size]).toEqual([7_670, 7_670])
    expect([days[0]!.date, days.at(-1)!.date]).toEqual(['2007-01-01', '2027-12-31'])
  })

  it('the built-in calendar has as many trading days a year as the exchange counted', () => {
    const counted = [247, 249, 251, 251, 247, 250, 246, 248, 244, 244, 246, 247, 242, 245, 244, 246, 239, 242]
    const open = Map.groupBy(
      days.filter(({ is_open }) => is_open),
      ({ date }) => Number(date.slice(0, 4)),
    )
    expect(counted.map((_, place) => open.get(2007 + place)!.length)).toEqual(counted)
  })

  it('the built-in calendar gives reasons for closed weekdays and open Saturdays only', () => {
    const announced = days.filter(({ date }) => date < '2027')
    const strange = announced.filter(({ date, is_open }) => isWeekday(date) !== is_open)
    expect(strange.filter(({ reason }) => reason === null)).toEqual([])
    expect(announced.filter(({ reason }) => reason !== null)).toEqual(strange)
    expect([dayOf('2018-12-22'), dayOf('2024-10-31'), dayOf('2024-02-06')]).toEqual([
      { date: '2018-12-22', is_open: true, reason: '補行交易' },
      { date: '2024-10-31', is_open: false, reason: '康芮颱風' },
      { date: '2024-02-06', is_open: false, reason: '市場無交易，僅辦理結算交割作業' },
    ])
  })

  it('the built-in calendar marks every weekday of an unannounced year as derived from rules', () => {
    const foretold = days.filter(({ date }) => date >= '2027' && isWeekday(date))
    expect(foretold.filter(({ reason }) => !reason?.endsWith('（依規則推算，尚未公告）'))).toEqual([])
    expect(foretold.filter(({ is_open }) => !is_open)).toHaveLength(19)
  })

  it('a change of the built-in calendar changes the sha256 in its manifest', () => {
    const rows = days.flatMap(day => ['TPEX', 'TWSE'].map(market => ({ market, ...day })))
    expect(CALENDAR_SHA256).toBe(createHash('sha256').update(JSON.stringify(rows)).digest('hex'))
  })

  it('days outside the built-in calendar follow the fixed holidays', () => {
    expect([isTradingDay('2006-10-10'), isTradingDay('2006-10-11'), isTradingDay('2028-05-01'), isTradingDay('2028-05-02')]).toEqual([
      false,
      true,
      false,
      true,
    ])
  })
})

describe('calendar publication', () => {
  let s: TestService
  beforeAll(async () => {
    s = await service({ examples: false, indexed: false })
  })
  afterAll(() => s.close())
  const releases = () => releaseIds(s.workspace.releases, CALENDAR).length

  it('publishing the built-in calendar writes rows of both markets once', async () => {
    expect(await publishCalendar(s.workspace)).toBe(true)
    const { manifest } = stored(s.workspace.releases, CALENDAR)
    expect([manifest.synthetic, manifest.statistics.rows, manifest.sources[0]!.read_as]).toEqual([false, 15_340, 'project_calendar'])
    expect(manifest.data_as_of).toBe('2026-07-01')
    expect(await publishCalendar(s.workspace)).toBe(false)
    await bringCalendar(s.workspace)
    expect(releases()).toBe(1)
  })

  it('publishing the same calendar again does not rewrite joined.json if no dataset is outdated', async () => {
    const file = join(s.workspace.captures, 'joined.json')
    await bringCalendar(s.workspace)
    const { ino } = statSync(file)
    await bringCalendar(s.workspace)
    expect(statSync(file).ino).toBe(ino)
  })

  it('a key of the free plan reads the calendar with its known gaps', async () => {
    await s.releases.refresh()
    const answer = await s.get(
      `/v2/datasets/${CALENDAR}?market=TWSE&start_date=2024-10-28&end_date=2024-11-01&is_open=false`,
      s.keyOn('free'),
    )
    const body = answer.json()
    expect(body.data).toEqual([{ market: 'TWSE', date: '2024-10-31', is_open: false, reason: '康芮颱風' }])
    expect(body.known_gaps).toContain('compiled_year_2027_follows_rules_not_announcements')
    expect(JSON.stringify(body)).not.toContain('synthetic')
    const february = `/v2/datasets/${CALENDAR}?market=TWSE&start_date=2027-02-01&end_date=2027-02-28&is_open=true&limit=1`
    expect((await s.get(february, s.keyOn('free'))).json().data[0].reason).toBe('交易日（依規則推算，尚未公告）')
  })

  it('the built-in calendar replaces an earlier version of itself', async () => {
    const dataset = s.dataset(CALENDAR)
    const rows = [{ market: 'TWSE', date: '2026-06-19', is_open: true, reason: null }]
    const relation = await createStaging(s.workspace.session, 'raw', stagedColumns(dataset, rows))
    await stageRows(s.workspace.session, dataset, relation, stagedColumns(dataset, rows), 0, rows)
    const sources = [{ name: 'earlier', sha256: 'f'.repeat(64), bytes: 0, read_as: 'project_calendar', url: null }]
    await publish(s.workspace, {
      dataset,
      relation,
      sources,
      synthetic: false,
      accept: [],
      sourceBySource: false,
      calendar: EMPTY_CALENDAR,
    })
    expect(await publishCalendar(s.workspace)).toBe(true)
    const where = "WHERE date = '2026-06-19' AND market = 'TWSE'"
    expect(await storedRows(s.workspace.session, s.workspace.releases, CALENDAR, 'is_open, reason', where)).toEqual([
      { is_open: false, reason: '端午節' },
    ])
  })

  it("the built-in calendar does not replace an operator's calendar", async () => {
    await s.publish(CALENDAR, [{ market: 'TWSE', date: '2026-06-30', is_open: false, reason: '颱風' }])
    expect(await calendarIsDue(s.workspace)).toBe(false)
    const before = releases()
    await bringCalendar(s.workspace)
    expect(releases()).toBe(before)
  })

  it('samples on a closed day of the calendar are refused', async () => {
    const quote = s.dataset('bond-yield-curve').example[0]!
    const rows = [{ ...quote, trade_date: '2026-06-19', as_of: '2026-06-19' }]
    expect(await s.publish('bond-yield-curve', rows, { synthetic: true })).toMatchObject({
      status: 'refused',
      faults: [{ rule: 'closed_day', message: expect.stringContaining('端午節') }],
    })
  })
})
