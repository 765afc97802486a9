import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { service, type TestService } from '../support.ts'

const ENDS: Readonly<Record<string, string>> = { Q1: '03-31', Q2: '06-30', Q3: '09-30', Q4: '12-31' }

const row = (ticker: string, period: string, revenue: number) => ({
  ticker,
  fiscal_period: period,
  report_type: period.length > 4 ? 'quarterly' : 'annual',
  announcement_date: null,
  revenue,
  gross_profit: null,
  operating_income: null,
  net_income: null,
  eps: null,
  eps_surprise_pct: null,
  period_end: `${period.slice(0, 4)}-${ENDS[period.slice(5)] ?? '12-31'}`,
})

let s: TestService
beforeAll(async () => {
  s = await service({ examples: false, indexed: false })
  await s.publish('earnings', [
    ...['2025-Q1', '2024-Q4', '2024-Q3', '2024-Q2', '2024-Q1', '2023-Q4', '2024', '2023'].map((period, index) =>
      row('2330', period, index),
    ),
    ...['2025', '2024'].map((period, index) => row('5880', period, index)),
  ])
})
afterAll(() => s.close())

async function periods(query: string): Promise<readonly string[]> {
  const response = await s.get(`/v1/earnings?${query}`, s.keyOn('pro'))
  expect(response.statusCode).toBe(200)
  return response.json().data.map((row: { fiscal_period: string }) => row.fiscal_period)
}

describe('the report_type parameter', () => {
  it('earnings returns quarterly rows by default', async () => {
    expect(await periods('symbol=2330')).toEqual(['2025-Q1', '2024-Q4', '2024-Q3', '2024-Q2', '2024-Q1', '2023-Q4'])
  })

  it('earnings returns annual rows by default for a company without quarters', async () => {
    expect(await periods('symbol=5880')).toEqual(['2025', '2024'])
  })

  it('earnings returns the requested report_type', async () => {
    expect(await periods('symbol=2330&report_type=annual')).toEqual(['2024', '2023'])
    expect(await periods('symbol=5880&report_type=quarterly')).toEqual([])
  })

  it('earnings refuses an unknown report_type', async () => {
    const response = await s.get('/v1/earnings?symbol=2330&report_type=monthly', s.keyOn('pro'))
    expect(response.statusCode).toBe(422)
    expect(response.json().detail).toMatchObject([
      { loc: ['query', 'report_type'], type: 'enum', msg: 'report_type must be one of quarterly, annual' },
    ])
  })
})

describe('the period parameter', () => {
  it.each(['2024-Q1', '2024Q1', '2024q1', '2024-q1'])('period=%s selects the quarter 2024-Q1', async period => {
    expect(await periods(`symbol=2330&period=${period}`)).toEqual(['2024-Q1'])
  })

  it('period=2024 selects the quarters of the year, or its annual row', async () => {
    expect(await periods('symbol=2330&period=2024')).toEqual(['2024-Q4', '2024-Q3', '2024-Q2', '2024-Q1'])
    expect(await periods('symbol=2330&period=2024&report_type=annual')).toEqual(['2024'])
    expect(await periods('symbol=5880&period=2024')).toEqual(['2024'])
  })

  it.each(['2024-Q5', '2024-q5', '2024Q0', '24Q1', '2024-1', '2024-Q', 'Q1', '2024 Q1', '2024-Q1,2024-Q2'])(
    'the service refuses period=%s',
    async period => {
      const response = await s.get(`/v1/earnings?symbol=2330&period=${encodeURIComponent(period)}`, s.keyOn('pro'))
      expect(response.statusCode).toBe(422)
      expect(response.json().detail).toEqual([
        { loc: ['query', 'period'], msg: 'period must look like 2026-Q1', type: 'pattern', input: period },
      ])
    },
  )
})

describe('the latest parameter', () => {
  it.each([
    ['symbol=2330&latest=true', ['2025-Q1']],
    ['symbol=2330&latest=true&report_type=annual', ['2024']],
    ['symbol=2330&latest=true&period=2024', ['2024-Q4']],
    ['symbol=5880&latest=true&limit=7', ['2025']],
    ['symbol=9999&latest=true', []],
  ])('latest=true selects the newest of the rows that match the other parameters: %s', async (query, expected) => {
    expect(await periods(query)).toEqual(expected)
  })

  it('latest=true returns one row without a next page, and refuses an offset', async () => {
    const response = await s.get('/v1/earnings?symbol=2330&latest=true', s.keyOn('pro'))
    expect(response.headers['x-row-count']).toBe('1')
    expect(response.headers).not.toHaveProperty('link')
    const beyond = await s.get('/v1/earnings?symbol=2330&latest=true&offset=1', s.keyOn('pro'))
    expect(beyond.statusCode).toBe(422)
    expect(beyond.json().detail).toMatchObject([{ loc: ['query', 'offset'], input: '1' }])
  })

  it('latest=false returns every period', async () => {
    expect(await periods('symbol=5880&latest=false')).toEqual(['2025', '2024'])
  })

  it.each(['True', 'TRUE', '1', 'yes'])('latest=%s has the effect of latest=true', async value => {
    expect(await periods(`symbol=2330&latest=${value}`)).toEqual(await periods('symbol=2330&latest=true'))
  })

  it('the service refuses latest=2', async () => {
    const response = await s.get('/v1/earnings?symbol=2330&latest=2', s.keyOn('pro'))
    const msg = 'latest must be true or false'
    expect(response.json().detail).toEqual([{ loc: ['query', 'latest'], msg, type: 'bool', input: '2' }])
  })
})
