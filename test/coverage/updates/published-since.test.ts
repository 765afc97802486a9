import { afterAll, beforeAll, expect, it } from 'vitest'
import { serviceAt } from '../../calendar/service-at.ts'
import { day } from '../../fixtures/publish/rows.ts'

const TRADES = 'institutional-positioning'
const QUARTERS = 'company-earnings'
let s: Awaited<ReturnType<typeof serviceAt>>
beforeAll(async () => {
  s = await serviceAt('2026-06-30 18:00')
  await s.publish(TRADES, day('2026-06-30', 1))
  s.setTime('2026-07-01 09:00')
  await s.publish(QUARTERS, [s.like(QUARTERS, { fiscal_period: '2026-Q1', period_end: '2026-03-31' })])
})
afterAll(() => s.close())

const feed = async (query = '') => (await s.get(`/v2/updates${query}`)).json()
const datasets = async (query: string) => (await feed(query)).data.map(({ dataset }: { dataset: string }) => dataset)

it('the updates feed reports how many publications its date range omits', async () => {
  expect(await feed('?since=2026-06-30')).toMatchObject({ since: '2026-06-30', published_since: null, data_count: 1, omitted_count: 1 })
  expect(await feed('?category=capital_flows')).toMatchObject({ data_count: 1, omitted_count: 0 })
  expect(await feed('?since=2026-03-31')).toMatchObject({ data_count: 2, omitted_count: 0 })
})

it('the updates feed starts each category at its own newest day unless since is sent', async () => {
  const newest = { capital_flows: '2026-06-30', financial_statements: '2026-03-31' }
  expect(await feed()).toMatchObject({ since: '2026-06-30', since_by_category: newest, data_count: 2, omitted_count: 0 })
  const quarters = await feed('?category=financial_statements')
  expect(quarters).toMatchObject({ since: '2026-03-31', since_by_category: { financial_statements: '2026-03-31' }, empty_reason: null })
  expect(quarters.data).toMatchObject([{ dataset: 'company_earnings', data_as_of: '2026-03-31' }])
})

it.each([
  ['?category=monthly_revenue', 'nothing_published'],
  ['?category=macroeconomics', 'nothing_published'],
  ['?published_since=2026-07-02', 'nothing_published'],
  ['?category=financial_statements&since=2026-06-30', 'data_before_since'],
  ['?limit=1', null],
])('the updates feed reports empty_reason for %s: %s', async (query, reason) => {
  expect((await feed(query)).empty_reason).toBe(reason)
})

it.each([
  ['2026-07-01T09:00:00.000%2B08:00', 1],
  ['2026-07-01T09:00:00+08:00', 1],
  ['2026-07-01T01:00:00Z', 1],
  ['2026-07-01T09:00', 1],
  ['2026-07-01', 1],
  ['2026-07-01T01:00:00.001Z', 0],
  ['2026-06-30', 2],
])('published_since=%s lists %i publications, regardless of their days', async (time, count) => {
  expect(await datasets(`?published_since=${time}`)).toEqual(['company_earnings', 'institutional-positioning'].slice(0, count))
})

it('published_since replaces the default of since and combines with an explicit since', async () => {
  expect(await feed('?published_since=2026-07-01')).toMatchObject({
    since: null,
    published_since: '2026-07-01T00:00:00.000+08:00',
    omitted_count: 0,
  })
  expect(await feed('?published_since=2026-06-30&since=2026-06-01')).toMatchObject({ data_count: 1, omitted_count: 1 })
})

it('the updates feed pages by published_since and refuses the cursor with another time', async () => {
  const first = await feed('?published_since=2026-06-30T00:00:00+08:00&limit=1')
  const { headers } = await s.get('/v2/updates?published_since=2026-06-30T00:00:00+08:00&limit=1')
  const [, next] = /^<(.+)>; rel="next"$/.exec(String(headers['link']))!
  for (const path of [next!, `/v2/updates?cursor=${first.next_cursor}`])
    expect((await s.get(path)).json()).toMatchObject({ data: [{ dataset: 'institutional-positioning' }], has_more: false })
  const other = await s.get(`/v2/updates?published_since=2026-06-29&cursor=${first.next_cursor}`)
  expect(other.json().error.error_code).toBe('invalid_cursor')
})

it.each(['yesterday', '2026-02-30', '2026-07-01T25:00', '2026-07-01T09:00:00+99:00', '20260701', '1782867600'])(
  'the updates feed refuses published_since=%s',
  async time => {
    const { error } = (await s.get(`/v2/updates?published_since=${time}`)).json()
    expect(error).toMatchObject({ error_code: 'invalid_parameter' })
    expect(JSON.stringify(error)).toContain('published_since must be an RFC 3339 timestamp')
  },
)

it('the default of since ignores the future days of the trading calendar', async () => {
  await s.publish('trading-calendar', s.dataset('trading-calendar').example)
  await s.publish(
    'theme-taxonomy',
    s.dataset('theme-taxonomy').example.map(row => ({ ...row, as_of_date: '2026-06-17' })),
  )
  const { since_by_category, data } = await feed('?category=market_structure')
  expect(since_by_category).toEqual({ market_structure: '2026-06-17' })
  expect(data.map(({ dataset }: { dataset: string }) => dataset)).toEqual(['trading_calendar', 'theme_taxonomy'])
})

it('since= lists a publication of the trading calendar if its last changed day is not before this day', async () => {
  const [example] = s.dataset('trading-calendar').example
  await s.publish(
    'trading-calendar',
    ['2026-07-01', '2027-10-29'].map(date => ({ ...example, date })),
  )
  const ahead = await feed('?dataset=trading-calendar&since=2027-10-29')
  expect(ahead).toMatchObject({ since: '2027-10-29', data_count: 1, omitted_count: 1, empty_reason: null })
  expect(ahead.data).toMatchObject([{ data_as_of: '2026-07-01', data_date_to: '2027-10-29' }])
  expect(await feed('?since=2027-10-30')).toMatchObject({ data_count: 0, omitted_count: 5, empty_reason: 'data_before_since' })
  expect((await feed()).since_by_category).toMatchObject({ market_structure: '2026-06-17' })
})
