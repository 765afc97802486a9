import { afterAll, beforeAll, expect, it } from 'vitest'
import { publishCalendar } from '../../../ingest/calendar/index.ts'
import { outcomes, quotesBody, t86Body } from '../../fixtures/ingest/bodies.ts'
import { quote, trade } from '../../fixtures/publish/rows.ts'
import { type Publisher, publisher } from './publisher.ts'

const TRADES = 'institutional-positioning'
const QUOTES = 'daily-prices'
const CALENDAR = 'trading-calendar'
/** Thursday to Tuesday. The calendar closes Friday for TWSE and opens the second Sunday. */
const [THURSDAY, FRIDAY, SATURDAY, SUNDAY, MONDAY, TUESDAY] = [25, 26, 27, 28, 29, 30].map(day => `2026-06-${day}`) as [
  string,
  string,
  string,
  string,
  string,
  string,
]
const CLOSED_SUNDAY = '2026-06-21'
const session = (date: string, is_open: boolean, market = 'TWSE') => ({ market, date, is_open, reason: is_open ? null : '颱風' })
let s: Publisher
beforeAll(async () => {
  s = await publisher()
  await s.publish(TRADES, [trade('2330', THURSDAY, 9), trade('2330', MONDAY, 3)])
  await s.publish(QUOTES, [quote('2330', TUESDAY, 9)], { synthetic: true })
  await s.publish(CALENDAR, [session(FRIDAY, false), session(SUNDAY, true)])
})
afterAll(() => s.close())

it.each([
  [TRADES, trade],
  [QUOTES, quote],
] as const)('rows of %s on a Sunday are refused unless closed_day is accepted', async (slug, row) => {
  const rows = [row('2330', CLOSED_SUNDAY, 1), row('1101', CLOSED_SUNDAY, 2), row('2330', TUESDAY, 3)]
  const { faults } = await s.check(slug, rows)
  expect(faults).toMatchObject([{ rule: 'closed_day', column: 'trade_date', count: 2, samples: [`TWSE ${CLOSED_SUNDAY}`] }])
  expect(faults[0]!.message).toContain(`TWSE ${CLOSED_SUNDAY} (a Sunday)`)
  expect(await s.check(slug, rows, ['closed_day'])).toMatchObject({ status: 'publishable' })
})

it('if a report is dated on a Sunday, both of its tables are refused', async () => {
  const file = s.file('sunday.json', quotesBody(CLOSED_SUNDAY, { '2330': 5 }, 17_000))
  const { results } = await s.ingest('twse-quotes', [file])
  expect(results.map(({ dataset, said }) => [dataset, said])).toEqual([
    [QUOTES, 'closed_day'],
    ['market-indices', 'closed_day'],
  ])
})

it('rows on a Saturday are accepted, because make-up sessions are held on Saturdays', async () => {
  expect(await s.check(TRADES, [trade('2330', SATURDAY, 1)])).toMatchObject({ status: 'publishable', faults: [] })
})

it('if the calendar lists a market as closed on a day, rows of that day are refused for that market only', async () => {
  const { faults } = await s.check(TRADES, [trade('2330', FRIDAY, 1), trade('6488', FRIDAY, 2, { market: 'TPEX' })])
  expect(faults).toMatchObject([{ rule: 'closed_day', count: 1, samples: [`TWSE ${FRIDAY}`] }])
  expect(faults[0]!.message).toContain(`TWSE ${FRIDAY} (颱風)`)
})

it('rows on a Sunday that the calendar lists as open are accepted', async () => {
  expect(await s.check(TRADES, [trade('2330', SUNDAY, 1)])).toMatchObject({ status: 'publishable', faults: [] })
})

it('company events may be dated on a Sunday', async () => {
  const [event] = s.dataset('company-risk-events').example
  expect(await s.check('company-risk-events', [{ ...event, event_date: CLOSED_SUNDAY }])).toMatchObject({
    status: 'publishable',
    faults: [],
  })
})

it('a calendar that marks a day with rows as closed is refused unless contradicts_rows is accepted', async () => {
  const { faults } = await s.check(CALENDAR, [session('2026-06-24', false), session(MONDAY, false)])
  expect(faults).toMatchObject([{ rule: 'contradicts_rows', column: 'is_open', count: 1, samples: [{ day: MONDAY }] }])
  expect(faults[0]!.message).toContain(`TWSE ${MONDAY} (${TRADES})`)
  expect(await s.check(CALENDAR, [session(MONDAY, false)], ['contradicts_rows'])).toMatchObject({ status: 'publishable' })
})

it('a calendar may close a day that has only rows of the other market or sample rows, and may open any day with rows', async () => {
  const rows = [session(MONDAY, false, 'TPEX'), session(TUESDAY, false), session(THURSDAY, true)]
  expect(await s.check(CALENDAR, rows)).toMatchObject({ status: 'publishable', faults: [] })
})

it('only the closed day of several ingested days is refused', async () => {
  const files = ['2026-06-18', CLOSED_SUNDAY, '2026-06-22'].map((day, seed) =>
    s.file(`${day}.json`, t86Body(day, { '2330': [seed + 1, 0, 0] })),
  )
  expect(outcomes(await s.ingest('twse-t86', files)).toSorted()).toEqual([
    ['2026-06-18.json', '2026-06-18', 'published', null],
    [`${CLOSED_SUNDAY}.json`, CLOSED_SUNDAY, 'refused', 'closed_day'],
    ['2026-06-22.json', '2026-06-22', 'published', null],
  ])
})

it('rows of a closed day are refused if the closure is announced, and published with a warning if it is a forecast', async () => {
  const [FORECAST, ANNOUNCED, SUNDAY_THEN] = ['2027-04-30', '2026-06-19', '2027-05-02']
  const then = await publisher({ now: () => new Date('2027-05-03T12:00:00Z') })
  await publishCalendar(then.workspace)
  const { faults, notices } = await then.check(TRADES, [trade('2330', FORECAST, 1)])
  expect(faults).toEqual([])
  expect(notices).toMatchObject([{ rule: 'foretold_closed_day', column: 'trade_date', count: 1, samples: [`TWSE ${FORECAST}`] }])
  expect(notices[0]!.message).toContain('勞動節補假')
  const refused = await then.check(TRADES, [trade('2330', ANNOUNCED, 2), trade('2330', SUNDAY_THEN, 2)])
  expect(refused.faults).toMatchObject([{ rule: 'closed_day', samples: [`TWSE ${ANNOUNCED}`, `TWSE ${SUNDAY_THEN}`] }])
  await then.close()
})
