import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { service, type TestService } from '../support.ts'

let s: TestService
beforeAll(async () => {
  s = await service({ indexed: false })
})
afterAll(() => s.close())

const RISK = '/v2/datasets/company-risk-events?symbol=2330'

const DAY = 'start_date must be a day that exists, from 1000-01-01 to 9999-12-31, written YYYY-MM-DD'

async function days(query: string, base = RISK): Promise<readonly string[]> {
  const response = await s.get(`${base}&${query}`, s.keyOn('max'))
  expect(response.statusCode).toBe(200)
  return response.json().envelope.data.map((row: { event_date: string }) => row.event_date)
}

describe('start_date and end_date', () => {
  it.each([
    ['start_date=2026-06-29', ['2026-06-30', '2026-06-29']],
    ['end_date=2026-06-29', ['2026-06-29', '2026-06-26']],
    ['start_date=2026-06-29&end_date=2026-06-29', ['2026-06-29']],
    ['start_date=2026-06-27&end_date=2026-06-28', []],
    ['start_date=1899-01-01&end_date=9999-12-31', ['2026-06-30', '2026-06-29', '2026-06-26']],
    ['start_date=2200-01-01', []],
    ['end_date=1899-12-31', []],
    ['start_date=9999-12-31&end_date=9999-12-31', []],
    ['start_date=1000-01-01&end_date=1000-01-01', []],
    ['start_date=1900-01-01&end_date=2199-12-31', ['2026-06-30', '2026-06-29', '2026-06-26']],
  ])('start_date and end_date are inclusive: %s', async (query, expected) => {
    expect(await days(query)).toEqual(expected)
  })

  it('the service refuses a start_date after end_date', async () => {
    const response = await s.get(`${RISK}&start_date=2026-06-30&end_date=2026-06-29`, s.keyOn('pro'))
    expect(response.statusCode).toBe(422)
    expect(response.json().detail).toEqual([
      { loc: ['query', 'start_date'], msg: 'start_date must not be after end_date', type: 'range', input: '2026-06-30' },
    ])
  })

  it.each([
    '2026-02-30',
    '2026-02-29',
    '0001-01-01',
    '0999-12-31',
    '10000-01-01',
    '1900-02-29',
    '９９９９-12-31',
    '2026-13-01',
    '2026-06-31',
    '20260630',
    '2026-6-3',
    '30/06/2026',
    '115-06-30',
    'today',
    '2026-06-30T00:00:00',
    '2026-06-30 ',
  ])('Q5: the service refuses start_date=%s', async value => {
    const response = await s.get(`${RISK}&start_date=${encodeURIComponent(value)}`, s.keyOn('pro'))
    expect(response.statusCode).toBe(422)
    expect(response.json().detail).toEqual([{ loc: ['query', 'start_date'], msg: DAY, type: 'date', input: value }])
  })

  it.each(['start_date=2200-01-01', 'end_date=1899-12-31', 'start_date=9999-12-31'])(
    'a read outside the covered days states outside_coverage: %s',
    async query => {
      const { envelope } = (await s.get(`${RISK}&${query}`, s.keyOn('max'))).json()
      expect([envelope.data, envelope.quality.empty_reason]).toEqual([[], 'outside_coverage'])
    },
  )

  it('the service accepts the leap day of a leap year', async () => {
    expect(await days('start_date=2024-02-29')).toHaveLength(3)
  })
})

describe('version 1 report dates', () => {
  const daysOf = async (path: string, query: string): Promise<readonly string[]> => {
    const body = (await s.get(`${path}?symbol=2330&${query}`, s.keyOn('pro'))).json()
    return body.data.map((row: { fiscal_period: string }) => row.fiscal_period)
  }
  const EARNINGS = '/v1/financial-reports/company-earnings'

  it('the date parameter matches the end of a fiscal period or its announcement day', async () => {
    expect(await daysOf(EARNINGS, 'date=2026-03-31')).toEqual(['2026-Q1'])
    expect(await daysOf(EARNINGS, 'date=2026-05-14')).toEqual(['2026-Q1'])
    expect(await daysOf(EARNINGS, 'date=2025-12-31')).toEqual(['2025-Q4'])
    expect(await daysOf(EARNINGS, 'date=2026-04-01')).toEqual([])
  })

  it('start_date and end_date bound the date of a report, inclusive', async () => {
    expect(await daysOf(EARNINGS, 'start_date=2026-03-31')).toEqual(['2026-Q1'])
    expect(await daysOf('/v1/segments/all', 'end_date=2025-12-31')).toEqual(['2025-Q4'])
    expect(await daysOf('/v1/segments/all', 'date=2026-05-14&end_date=2025-12-31')).toEqual([])
  })

  it('limit and offset page through version 1 reports', async () => {
    expect(await daysOf(EARNINGS, 'limit=1&offset=1')).toEqual(['2025-Q4'])
    expect(await daysOf('/v1/segments/all', 'limit=2')).toEqual(['2026-Q1', '2026-Q1'])
  })
})
