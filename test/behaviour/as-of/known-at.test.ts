import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FORMATS, type Row } from '../../../catalog/index.ts'
import { quarter } from '../../fixtures/fields/quarterly.ts'
import { openSession } from '../../fixtures/formats/session.ts'
import { parsers } from '../../formats/parsing.ts'
import { service, type TestService } from '../../support.ts'
import { rowsOf } from './revised.ts'

/** Runs for both sources of rows (memory and engine), because each filters separately. */
describe.each([
  ['memory', true],
  ['the parts', false],
])('rows read from %s', (_, inMemory) => {
  let s: TestService
  let key = ''
  let now = new Date('2026-06-02T12:00:00Z')
  const report = (period: string, end: string, announced: string | null, revenue: number): Row => ({
    ticker: '2330',
    fiscal_period: period,
    revenue,
    net_income: null,
    eps: null,
    currency: 'TWD',
    period_end: end,
    announcement_date: announced,
  })
  const revenue = (ticker: string, report_date: string): Row => {
    const { announced_by: _, ...example } = s.dataset('monthly-revenue').example[0] as Row
    return { ...example, ticker, report_date }
  }
  const publish = async (slug: string, rows: readonly Row[]): Promise<void> => {
    expect((await s.publish(slug, rows)).faults).toEqual([])
  }
  beforeAll(async () => {
    s = await service({ examples: false, inMemory, now: () => now })
    key = s.keyOn('max')
    await publish('monthly-revenue', [revenue('2330', '2026-06-08'), revenue('1101', '2026-06-03')])
    now = new Date('2026-06-20T12:00:00Z')
    // A file may contain reports that are announced on a later day than its publication.
    await publish('earnings', [
      quarter('2025-Q3', 3, null),
      quarter('2025-Q4', 4, '2026-02-26'),
      quarter('2026-Q1', 1, '2026-06-20'),
      quarter('2025-Q2', 2, '2026-06-25'),
      quarter('2026-Q1', 9, '2026-06-25', '2317'),
    ])
    await publish('company-earnings', [report('2025', '2025-12-31', '2026-03-10', 400), report('2025-Q4', '2025-12-31', '2026-06-25', 100)])
    now = new Date('2026-06-30T12:00:00Z')
  })
  afterAll(() => s.close())

  const get = (path: string) => s.get(path, key)
  const periods = async (query: string): Promise<readonly unknown[]> =>
    rowsOf((await get(`/v1/earnings?symbol=2330&${query}`)).json()).map(({ fiscal_period }) => fiscal_period)

  it('a read with as_of omits a row that was announced later, and includes a row without an announcement date', async () => {
    expect(await periods('as_of=2026-06-24')).toEqual(['2026-Q1', '2025-Q4', '2025-Q3'])
    expect(await periods('as_of=2026-06-24T10:00:00%2B08:00')).toEqual(['2026-Q1', '2025-Q4', '2025-Q3'])
    expect(await periods('as_of=2026-06-25')).toEqual(['2026-Q1', '2025-Q4', '2025-Q3', '2025-Q2'])
    expect(await periods('')).toEqual(['2026-Q1', '2025-Q4', '2025-Q3', '2025-Q2'])
  })

  it('a read with as_of has the same rows in every format, and can be sorted, filtered by range and paged', async () => {
    const session = await openSession()
    const parse = parsers(session.session, session.dir)
    const path = '/v1/earnings?symbol=2330&as_of=2026-06-24'
    const expected = rowsOf((await get(path)).json())
    expect(expected).toHaveLength(3)
    for (const format of FORMATS)
      if (format !== 'json')
        expect
          .soft(await parse[format]((await get(`${path}&format=${format}`)).rawPayload, s.dataset('earnings').columns), format)
          .toEqual(expected)
    expect(await periods('as_of=2026-06-24&sort=eps')).toEqual(['2026-Q1', '2025-Q3', '2025-Q4'])
    expect(await periods('as_of=2026-06-24&range=eps:2..3.5')).toEqual(['2025-Q3'])
    expect(await periods('as_of=2026-06-24&limit=1&offset=1')).toEqual(['2025-Q4'])
    await session.close()
  })

  it('a read as of a day before all announcements of a company returns no rows', async () => {
    const { body, headers } = await get('/v1/earnings?symbol=2317&as_of=2026-06-24')
    expect([rowsOf(JSON.parse(body)), headers['x-empty-reason']]).toEqual([[], 'no_match'])
  })

  it('by default, a read with as_of selects a report type that was announced by that day', async () => {
    const types = async (query: string) =>
      rowsOf((await get(`/v1/financial-reports/company-earnings?symbol=2330${query}`)).json()).map(({ report_type }) => report_type)
    expect(await types('')).toEqual(['quarterly'])
    expect(await types('&as_of=2026-06-24')).toEqual(['annual'])
    expect(await types('&as_of=2026-06-25')).toEqual(['quarterly'])
  })

  it('cross-sections, profiles and dry runs omit rows that were announced after as_of', async () => {
    const later = '2026-06-24'
    const profile = (await get(`/v2/datasets/earnings/profile?symbol=2330&columns=eps&as_of=${later}`)).json()
    expect([profile.row_count, profile.data[0].max]).toEqual([3, 4])
    expect((await get(`/v1/earnings?symbol=2330&as_of=${later}&dry_run=true`)).json()).toMatchObject({ rows: 3, rows_are: 'exact' })
    const tickers = async (asOf: string) =>
      rowsOf((await get(`/v2/datasets/monthly-revenue/cross-section?date=2026-05-31&as_of=${asOf}`)).json()).map(({ ticker }) => ticker)
    expect(await tickers('2026-06-04')).toEqual(['1101'])
    expect(await tickers('2026-06-08')).toEqual(['1101', '2330'])
  })
})
