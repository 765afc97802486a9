import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Row } from '../../../catalog/index.ts'
import { isTradingDay } from '../../../ingest/calendar/index.ts'
import { publishSamples } from '../../../ingest/samples/index.ts'
import { stored } from '../../fixtures/publish/store.ts'
import { type Publisher, publisher } from '../publish/publisher.ts'

const UNTIL = '2026-06-30'
const SLUGS = [
  'balance-sheet',
  'market-breadth',
  'market-margin',
  'money-market-rates',
  'profitability',
  'put-call-ratio',
  'shareholder-meetings',
]
let s: Publisher
beforeAll(async () => {
  s = await publisher()
  await publishSamples(
    s.workspace,
    SLUGS,
    () => UNTIL,
    () => {},
  )
})
afterAll(() => s.close())

const rows = (slug: string, columns: string): Promise<readonly Row[]> => s.rows(slug, columns)

it('samples made from example rows pass the rules of their datasets and are marked as synthetic', () => {
  for (const slug of SLUGS) expect(stored(s.workspace.releases, slug).manifest, slug).toMatchObject({ synthetic: true, data_as_of: UNTIL })
})

it('a sample of trading days has a row of each series on 125 trading days, and the figures differ between the days', async () => {
  const found = await rows('put-call-ratio', 'trade_date::VARCHAR AS day, put_volume, volume_ratio')
  expect(found).toHaveLength(125)
  expect(found.filter(({ day }) => !isTradingDay(String(day)))).toEqual([])
  expect(new Set(found.map(row => row['put_volume'])).size).toBeGreaterThan(50)
  expect(new Set(found.map(row => row['volume_ratio']))).toEqual(new Set([85]))
  expect(await rows('market-margin', "count(*)::INTEGER AS rows, count(*) FILTER (item = 'short')::INTEGER AS short")).toEqual([
    { rows: 375, short: 125 },
  ])
})

it('a sample of months has the last day of each month, up to the last month that has ended', async () => {
  const months = await rows('money-market-rates', 'month, period_end::VARCHAR AS day, item')
  const calls = months.filter(({ item }) => item === 'interbank_call_loan')
  expect(calls).toHaveLength(36)
  expect(calls.map(({ month, day }) => [month, day])).toEqual(
    expect.arrayContaining([
      ['2026-06', '2026-06-30'],
      ['2024-02', '2024-02-29'],
    ]),
  )
})

it('a sample of quarters has the last day of each quarter, and its columns still add up', async () => {
  const found = await rows(
    'balance-sheet',
    'ticker, period_end::VARCHAR AS day, total_assets - total_liabilities - total_equity AS difference',
  )
  const days = found.filter(({ ticker }) => ticker === '2330').map(({ day }) => String(day))
  expect(days).toHaveLength(12)
  expect(days).toEqual(expect.arrayContaining(['2026-06-30', '2026-03-31', '2023-09-30']))
  expect(new Set(found.map(({ difference }) => Number(difference)))).toEqual(new Set([0]))
})

it('a sample of events moves all days of the examples by the same number of days', async () => {
  const days = (await rows('shareholder-meetings', 'meeting_date::VARCHAR AS day')).map(({ day }) => day)
  expect(days.toSorted()).toEqual(['2026-02-06', '2026-06-30'])
})
