import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { service, type TestService } from '../support.ts'

const ENDS: Readonly<Record<string, string>> = { Q1: '03-31', Q2: '06-30', Q3: '09-30', Q4: '12-31' }
const PERIODS = ['2025', '2025-Q4', '2025-Q3', '2025-Q2', '2025-Q1'] as const

const row = (ticker: string, period: string) => ({
  ticker,
  fiscal_period: period,
  revenue: period.length > 4 ? 100 : 400,
  net_income: null,
  period_end: `${period.slice(0, 4)}-${ENDS[period.slice(5)] ?? '12-31'}`,
  announcement_date: null,
})

let s: TestService
beforeAll(async () => {
  s = await service({ examples: false, indexed: false })
  // This row is published first, so that its part ends before the days of the other rows.
  await s.publish('company-earnings', [{ ...row('1101', '2020'), eps: null, currency: 'TWD' }])
  await s.publish('all-segments', [{ ...row('1101', '2020'), segment: '水泥' }])
  const rows = [...PERIODS.map(period => row('2330', period)), row('5880', '2025'), row('1101', '2025-Q1')]
  await s.publish(
    'company-earnings',
    rows.map(one => ({ ...one, eps: null, currency: 'TWD' })),
  )
  await s.publish(
    'all-segments',
    rows.map(one => ({ ...one, segment: '晶圓' })),
  )
})
afterAll(() => s.close())

interface Found {
  readonly fiscal_period: string
  readonly report_type: string
  readonly revenue: number
}

describe.each(['/v1/financial-reports/company-earnings', '/v1/segments/all'])('%s', path => {
  const read = async (query: string): Promise<readonly Found[]> => (await s.get(`${path}?${query}`, s.keyOn('pro'))).json().data
  const periods = async (query: string) => (await read(query)).map(({ fiscal_period, report_type }) => [fiscal_period, report_type])

  it(`${path} returns quarterly rows by default, so the rows of a year add up to the annual figure`, async () => {
    const rows = await read('symbol=2330&start_date=2025-01-01&end_date=2025-12-31')
    expect(rows.map(({ report_type }) => report_type)).toEqual(Array(4).fill('quarterly'))
    expect(rows.reduce((sum, { revenue }) => sum + revenue, 0)).toBe(400)
  })

  it(`${path} returns annual rows by default for a company without quarters`, async () => {
    expect(await periods('symbol=5880')).toEqual([['2025', 'annual']])
  })

  it(`${path} chooses the default report_type regardless of the requested days`, async () => {
    expect(await periods('symbol=1101&end_date=2024-12-31')).toEqual([])
    expect(await periods('symbol=1101')).toEqual([['2025-Q1', 'quarterly']])
  })

  it(`${path} returns the requested report_type, and both types for report_type=all`, async () => {
    expect(await periods('symbol=2330&report_type=annual')).toEqual([['2025', 'annual']])
    expect(await periods('symbol=5880&report_type=quarterly')).toEqual([])
    expect((await read('symbol=2330&report_type=all')).map(one => one.fiscal_period).sort()).toEqual([...PERIODS].sort())
    expect(await read('symbol=2330&report_type=annual&columns=report_type')).toEqual([{ report_type: 'annual' }])
  })

  it(`${path} refuses an unknown report_type`, async () => {
    const response = await s.get(`${path}?symbol=2330&report_type=monthly`, s.keyOn('pro'))
    expect(response.json().detail).toMatchObject([{ msg: 'report_type must be one of quarterly, annual, all', type: 'enum' }])
  })
})

describe('computed columns', () => {
  const rowsOf = (report_type: string | null) => [{ ...row('2317', '2025-Q1'), segment: '全部', report_type }]

  it('a publication is refused when its file disagrees with a computed column', async () => {
    const refused = await s.publish('all-segments', rowsOf('annual'))
    expect(refused).toMatchObject({ status: 'refused', faults: [{ rule: 'virtual_column', column: 'report_type', count: 1 }] })
    expect(await s.publish('all-segments', rowsOf(null))).toMatchObject({ status: 'refused', faults: [{ rule: 'virtual_column' }] })
    expect((await s.publish('all-segments', rowsOf('quarterly'))).status).toBe('published')
  })

  it('the schema states the formula of a computed column, and no part stores the column', async () => {
    const { columns } = (await s.get('/v2/datasets/all-segments/schema')).json() as {
      readonly columns: readonly { readonly name: string; readonly formula: string | null; readonly filterable: boolean }[]
    }
    expect(columns.find(({ name }) => name === 'report_type')).toMatchObject({
      formula: expect.stringContaining('fiscal_period'),
      filterable: true,
    })
    const [part] = s.releases.current(s.dataset('all-segments')).manifest.parts
    const release = s.releases.current(s.dataset('all-segments'))
    const stored = await s.workspace.session.rows(`DESCRIBE FROM read_parquet('${release.pathOf(part!)}')`)
    expect(stored.map(one => one['column_name'])).not.toContain('report_type')
  })
})
