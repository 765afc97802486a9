import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Row } from '../../../catalog/index.ts'
import { publishCalendar } from '../../../ingest/calendar/index.ts'
import { body, ingest, outcomes, quotesBody, t86Body } from '../../fixtures/ingest/bodies.ts'
import { refusalOf } from '../../fixtures/publish/refusal.ts'
import { quote, trade } from '../../fixtures/publish/rows.ts'
import { stored } from '../../fixtures/publish/store.ts'
import { service, type TestService } from '../../support.ts'

const TRADES = 'institutional-positioning'
const QUOTES = 'daily-prices'
const CALENDAR = 'trading-calendar'
const [THURSDAY, FRIDAY, SATURDAY, SUNDAY, MONDAY] = ['2026-06-25', '2026-06-26', '2026-06-27', '2026-06-28', '2026-06-29']
let s: TestService
beforeEach(async () => {
  s = await service({ examples: false })
})
afterEach(() => s.close())

function partitionFile(rows: readonly Row[]): string {
  const file = join(s.dir, 'rows.ndjson')
  writeFileSync(file, rows.map(row => JSON.stringify(row)).join('\n'))
  return file
}
const session = (date: string, is_open: boolean, market = 'TWSE') => ({ market, date, is_open, reason: is_open ? null : '颱風' })
const accept = (rule: string) => ({ accept: [rule] })

describe('rows of a day on which the market did not trade', () => {
  it('are refused on a Sunday, named with it; accepted by name they are published', async () => {
    for (const [slug, row] of [
      [TRADES, trade],
      [QUOTES, quote],
    ] as const) {
      await s.publish(slug, [row('2330', THURSDAY, 9)])
      const { faults } = await refusalOf(s, slug, [partitionFile([row('2330', SUNDAY, 1), row('1101', SUNDAY, 2), row('2330', MONDAY, 3)])])
      expect(faults).toMatchObject([{ rule: 'closed_day', column: 'trade_date', count: 2, samples: [`TWSE ${SUNDAY}`] }])
      expect(faults[0]!.message).toContain(`TWSE ${SUNDAY} (a Sunday)`)
      expect(await s.publish(slug, [row('2330', SUNDAY, 1)], accept('closed_day'))).toMatchObject({ status: 'published' })
    }
  })

  it('are refused for that day alone out of files of many days', async () => {
    const files = [FRIDAY, SUNDAY, MONDAY].map((day, seed) => body(s, `${day}.json`, t86Body(day, { '2330': [seed + 1, 0, 0] })))
    expect(outcomes(await ingest(s, 'twse-t86', files)).toSorted()).toEqual([
      [`${FRIDAY}.json`, FRIDAY, 'published', null],
      [`${SUNDAY}.json`, SUNDAY, 'refused', 'closed_day'],
      [`${MONDAY}.json`, MONDAY, 'published', null],
    ])
  })

  it('are refused in both tables of a body, also where a dataset is of one market', async () => {
    const { results } = await ingest(s, 'twse-quotes', [body(s, 'sunday.json', quotesBody(SUNDAY, { '2330': 5 }, 17_000))])
    expect(results.map(({ dataset, said }) => [dataset, said])).toEqual([
      [QUOTES, 'closed_day'],
      ['market-indices', 'closed_day'],
    ])
  })

  it('are published on a Saturday, for make-up sessions were held on them', async () => {
    expect(await s.publish(TRADES, [trade('2330', SATURDAY, 1)])).toMatchObject({ status: 'published' })
  })

  it('are refused where the calendar closes that market, and not for the other', async () => {
    await s.publish(CALENDAR, [session(MONDAY, false)])
    await s.publish(TRADES, [trade('2330', THURSDAY, 9)])
    const { faults } = await refusalOf(s, TRADES, [partitionFile([trade('2330', MONDAY, 1), trade('6488', MONDAY, 2, { market: 'TPEX' })])])
    expect(faults).toMatchObject([{ rule: 'closed_day', count: 1, samples: [`TWSE ${MONDAY}`] }])
    expect(faults[0]!.message).toContain(`TWSE ${MONDAY} (颱風)`)
    expect(await s.publish(TRADES, [trade('6488', MONDAY, 2, { market: 'TPEX' })])).toMatchObject({ status: 'published' })
    expect(await s.publish(TRADES, [trade('2330', MONDAY, 1)], accept('closed_day'))).toMatchObject({ status: 'published' })
  })

  it('are kept with a warning where the day is only foretold closed, since nobody has announced it', async () => {
    const [FORETOLD, ANNOUNCED, SUNDAY_THEN] = ['2027-04-30', '2026-06-19', '2027-05-02']
    const then = await service({ examples: false, now: () => new Date('2027-05-03T12:00:00Z') })
    try {
      await publishCalendar(then.workspace)
      const { status, faults, notices } = await then.publish(TRADES, [trade('2330', FORETOLD, 1)])
      expect([status, faults]).toEqual(['published', []])
      expect(notices).toMatchObject([{ rule: 'foretold_closed_day', column: 'trade_date', count: 1, samples: [`TWSE ${FORETOLD}`] }])
      expect(notices[0]!.message).toContain('勞動節補假')
      const { data } = (await then.get(`/v2/datasets/${TRADES}?symbol=2330`, then.keyOn('pro'))).json()
      expect(data.map((row: Row) => row['trade_date'])).toEqual([FORETOLD])
      for (const day of [ANNOUNCED, SUNDAY_THEN]) {
        const file = join(then.dir, `${day}.ndjson`)
        writeFileSync(file, JSON.stringify(trade('2330', day, 2)))
        expect((await refusalOf(then, TRADES, [file])).faults).toMatchObject([{ rule: 'closed_day', samples: [`TWSE ${day}`] }])
      }
    } finally {
      await then.close()
    }
  })

  it('are published where the calendar says that the day was open after all', async () => {
    await s.publish(CALENDAR, [session(SUNDAY, true), session(MONDAY, true)])
    expect(await s.publish(TRADES, [trade('2330', SUNDAY, 1), trade('2330', MONDAY, 2)])).toMatchObject({ status: 'published' })
  })

  it('are published where things happen to companies on any day', async () => {
    const [event] = s.dataset('company-risk-events').example
    expect(await s.publish('company-risk-events', [{ ...event, event_date: SUNDAY }])).toMatchObject({ status: 'published' })
  })
})

describe('a calendar that closes a day', () => {
  it.each([
    [QUOTES, quote],
    [TRADES, trade],
  ])('of which %s has rows is refused, naming day and dataset; accepted by name it is published', async (slug, row) => {
    await s.publish(slug, [row('2330', MONDAY, 1)])
    await s.publish(CALENDAR, [session(THURSDAY, false)])
    const { faults } = await refusalOf(s, CALENDAR, [partitionFile([session(FRIDAY, false), session(MONDAY, false)])])
    expect(faults).toMatchObject([{ rule: 'contradicts_rows', column: 'is_open', count: 1, samples: [{ day: MONDAY }] }])
    expect(faults[0]!.message).toContain(`TWSE ${MONDAY} (${slug})`)
    expect(await s.publish(CALENDAR, [session(MONDAY, false)], accept('contradicts_rows'))).toMatchObject({ status: 'published' })
  })

  it('is published for the other market, for other days, and for a day it opens', async () => {
    await s.publish(TRADES, [trade('2330', MONDAY, 1)])
    await s.publish(CALENDAR, [session(MONDAY, false, 'TPEX'), session(FRIDAY, false), session(MONDAY, true)])
    expect(stored(s.workspace.releases, CALENDAR).manifest.statistics.rows).toBe(3)
  })

  it('is not checked against samples', async () => {
    await s.publish(TRADES, [trade('2330', MONDAY, 1)], { synthetic: true })
    expect(await s.publish(CALENDAR, [session(MONDAY, false)])).toMatchObject({ status: 'published' })
  })
})
