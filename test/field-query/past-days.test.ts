import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Row } from '../../catalog/index.ts'
import { quarter } from '../fixtures/fields/quarterly.ts'
import { trade, weekdays } from '../fixtures/publish/rows.ts'
import { service, type TestService } from '../support.ts'

const DAYS = weekdays('2026-05-04', 30)
const TICKERS = ['1101', '2330', '2454', '9999']
const FIELDS = [
  'foreign_net_buy',
  'buy_streak',
  'risk_types',
  'risk_descriptions',
  'shareholders.holders',
  'large_shareholders.percent',
  'earnings.eps',
  'annual_earnings.eps',
  'company_earnings.eps',
  'annual_company_earnings.eps',
]

/** 1101 is not traded in the last ten days, and 2454 is traded only from the tenth day. */
const trades = (days: readonly string[]): readonly Row[] =>
  days.flatMap(day =>
    TICKERS.slice(0, 3)
      .filter(ticker => (ticker === '1101' ? day < DAYS[20]! : ticker !== '2454' || day >= DAYS[10]!))
      .map(ticker => trade(ticker, day, Number(day.slice(-2)) * 10 + Number(ticker))),
  )

const risk = (symbol: string, event_date: string, risk_type: string): Row => ({
  symbol,
  event_date,
  risk_type,
  description: `${risk_type} "${event_date}"`,
  source_role: 'official',
  lineage: JSON.stringify({ authority: 'TWSE', day: event_date }),
})

const holders = (week: string): readonly Row[] =>
  ['2330', '2454'].flatMap(ticker =>
    Array.from({ length: 17 }, (_, index) => ({
      ticker,
      week_date: week,
      level: index + 1,
      holders: Number(week.slice(-2)) + index,
      shares: 1_000,
      percent: 1.5,
    })),
  )

const annual = (year: string, eps: number, announced: string | null): Row => ({
  ...quarter(`${year}-Q4`, eps, announced),
  fiscal_period: year,
  report_type: 'annual',
})

/** Publishes several releases of each dataset, some of which change earlier rows. */
async function publishHistory(s: TestService, setDay: (day: string) => void): Promise<void> {
  const publish = async (day: string, slug: string, rows: readonly Row[]): Promise<void> => {
    setDay(day)
    const { faults } = await s.publish(slug, rows, { accept: ['row_count_drift', 'duplicate_body', 'dates_backwards', 'derived_differs'] })
    expect(faults).toEqual([])
  }
  await publish('2026-06-01', 'institutional-positioning', trades(DAYS.slice(0, 20)))
  for (const day of DAYS.slice(20)) await publish('2026-06-20', 'institutional-positioning', trades([day]))
  await publish('2026-06-01', 'company-risk-events', [
    risk('2330', DAYS[2]!, 'disposition'),
    risk('2330', DAYS[2]!, 'attention'),
    risk('2454', DAYS[7]!, 'attention'),
  ])
  await publish('2026-06-20', 'company-risk-events', [risk('2330', DAYS[25]!, 'attention'), risk('2330', DAYS[25]!, 'suspension')])
  for (const week of ['2026-05-08', '2026-05-15', '2026-06-05']) await publish('2026-06-10', 'shareholder-distribution', holders(week))
  await publish('2026-05-20', 'earnings', [
    quarter('2025-Q3', 3, '2025-11-13'),
    quarter('2025-Q4', 4, '2026-02-26'),
    quarter('2026-Q1', 1, '2026-05-14'),
    quarter('2026-Q1', 9, null, '2454'),
    annual('2024', 10, '2025-02-27'),
    annual('2025', 12, '2026-02-26'),
  ])
  await publish('2026-06-03', 'earnings', [quarter('2025-Q4', 4.5, '2026-06-02'), quarter('2025-Q2', 2, '2025-08-13', '1101')])
  await publish('2026-06-18', 'earnings', [quarter('2026-Q1', 1.5, '2026-05-14'), quarter('2026-Q1', 9.5, '2026-06-16', '2454')])
  setDay('2026-07-01')
}

const ASKED = [...weekdays('2026-04-20', 52), '2019-01-02', '2025-08-13', '2025-12-31', '2026-02-25', '2026-02-26']

/**
 * Answers of all entities together and of single entities, on each day. Request ids and sizes are
 * removed.
 */
async function answers(s: TestService): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  const key = s.keyOn('max')
  for (const day of ASKED)
    for (const ids of [TICKERS.join(), '2330', '1101']) {
      const url = `/v2/query?entity_type=company&entity_ids=${ids}&fields=${FIELDS}&as_of_date=${day}`
      const { statusCode, body } = await s.get(url, key)
      expect(statusCode, body).toBe(200)
      found.set(`${day} ${ids}`, body.replace(/"request_id":"[^"]*"/, ''))
    }
  return found
}

async function opened(cacheBytes: number): Promise<TestService> {
  let today = '2026-05-01'
  const s = await service({ examples: false, indexed: false, inMemory: false, cacheBytes, now: () => new Date(`${today}T12:00:00Z`) })
  await publishHistory(s, day => {
    today = day
  })
  return s
}

let expected: ReadonlyMap<string, string>
beforeAll(async () => {
  const s = await opened(0)
  expected = await answers(s)
  await s.close()
})

describe.each([
  ['all rows', 2 ** 26],
  ['the newest rows of each key', 40_000],
])('%s in memory', (_name, cacheBytes) => {
  let s: TestService
  beforeAll(async () => {
    s = await opened(cacheBytes)
    await s.columns.refresh()
    await s.newest.refresh()
  })
  afterAll(() => s.close())

  it('a field query as of past days has the same values as without a cache', async () => {
    const found = await answers(s)
    expect([...found.values()].filter(body => body.includes('"value"')).length).toBeGreaterThan(found.size / 2)
    for (const [query, body] of found) expect.soft(body, query).toBe(expected.get(query))
  })
})

it('if all rows of a series are in memory, a field query as of past days does not use the engine', async () => {
  const s = await opened(2 ** 26)
  try {
    await s.columns.refresh()
    await s.newest.refresh()
    const reads = vi.spyOn(s.pool, 'read')
    const fields = FIELDS.slice(0, 6)
    const url = `/v2/query?entity_type=company&entity_ids=${TICKERS}&fields=${fields}&as_of_date=${DAYS[15]}`
    const { data } = (await s.get(url, s.keyOn('max'))).json()
    expect(Object.keys(data.find(({ entity_id }: { entity_id: string }) => entity_id === '2330').fields)).toEqual(fields)
    expect(reads).not.toHaveBeenCalled()
  } finally {
    await s.close()
  }
})
