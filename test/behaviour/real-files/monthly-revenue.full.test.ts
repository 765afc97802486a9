import { readFileSync } from 'node:fs'
import iconv from 'iconv-lite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ingest } from '../../fixtures/ingest/bodies.ts'
import { service, type TestService } from '../../support.ts'
import { counts } from '../reconciliation/badges.ts'
import { real, realFilesThere } from './files.ts'

const PAGES = ['twse', 'tpex'].map(market => real('mops', `mops-${market}-stocks-revenue.html`))

/** The text of a cell as the page contains it: characters outside Big5 are numeric references. */
const written = (cell: string): string =>
  cell
    .replace(/<.*/s, '')
    .replace('&nbsp;', '')
    .replace(/&#(\d+);/g, (_, number) => String.fromCodePoint(Number(number)))
    .trim()

/**
 * Cells of every company's row, parsed without the feed: code, name, eight numbers and the remark.
 */
function linesOf(path: string): readonly (readonly string[])[] {
  const page = iconv.decode(readFileSync(path), 'cp950')
  return page
    .split(/<tr align=right>/)
    .slice(1)
    .map(row =>
      row
        .split('</tr>')[0]!
        .split(/<t[dh][^>]*>/i)
        .slice(1),
    )
    .map(cells => cells.map(written))
    .filter(([code = '']) => /^\w{4,8}$/.test(code))
}

const amount = (cell: string): number | null => (cell === '' ? null : Number(cell.replaceAll(',', '')) * 1_000)
const percent = (cell: string): number | null => (cell === '' ? null : Number(cell.replaceAll(',', '')) + 0)

describe.skipIf(!realFilesThere)('real monthly revenue', () => {
  let s: TestService
  beforeAll(async () => {
    s = await service({ examples: false, now: () => new Date('2026-11-20T12:00:00Z') })
    await ingest(s, 'mops-revenue', PAGES, { requestedDay: '2023-01-31' })
  })
  afterAll(() => s.close())

  it.each(PAGES.map((path, at) => [['TWSE', 'TPEX'][at]!, path, [916, 786][at]!] as const))(
    'the API serves every cell of the real monthly revenue page of %s: %s',
    async (market, path, rows) => {
      const { data } = (
        await s.get(`/v2/datasets/monthly-revenue/cross-section?date=2023-01-31&market=${market}&limit=2000`, s.keyOn('max'))
      ).json().envelope
      const served = data.map((row: Record<string, unknown>) => [
        ...[row['ticker'], row['name'], row['revenue'], row['last_month_revenue'], row['last_year_revenue']],
        ...[row['printed_mom_pct'], row['printed_yoy_pct'], row['cumulative_revenue'], row['last_year_cumulative_revenue']],
        ...[row['printed_cumulative_yoy_pct'], row['remark']],
      ])
      const printed = linesOf(path).map(([code, name, now, month, year, mom, yoy, soFar, yearSoFar, sinceYear, remark]) => [
        ...[code, name!.normalize('NFKC'), amount(now!), amount(month!), amount(year!), percent(mom!), percent(yoy!)],
        ...[amount(soFar!), amount(yearSoFar!), percent(sinceYear!), /^[-.]?$/.test(remark!) ? null : remark],
      ])
      expect(printed).toHaveLength(rows)
      expect(served).toEqual(printed.toSorted((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1)))
    },
  )

  it('real monthly revenue agrees with the printed totals and growth', async () => {
    expect(await counts(s, 'monthly-revenue', 'source_totals')).toEqual([1_702, 1_702, 1_702])
    expect(await counts(s, 'monthly-revenue', 'january_begins_the_year')).toEqual([1_702, 1_702, 1_702])
    expect(await counts(s, 'monthly-revenue', 'growth_as_printed')).toEqual([1_702, 1_701, 1_701])
  })

  it('real monthly revenue is known as of its filing deadline', async () => {
    const path = '/v2/query?entity_type=company&entity_id=2330&fields=monthly_revenue.revenue&as_of_date='
    const rowsOf = async (day: string) => (await s.get(path + day, s.keyOn('max'))).json().data
    const revenue = { value: 200_050_544_000, period: '2023-01', announced_at: '2023-02-10' }
    expect(await rowsOf('2023-02-10')).toMatchObject([{ entity_id: '2330', fields: { 'monthly_revenue.revenue': revenue } }])
    expect(await rowsOf('2023-02-09')).toEqual([])
  })
})
