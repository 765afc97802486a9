import { readFileSync } from 'node:fs'
import iconv from 'iconv-lite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ingest, outcomes } from '../../fixtures/ingest/bodies.ts'
import { service, type TestService } from '../../support.ts'
import { real, realFilesThere } from './files.ts'

type Row = Readonly<Record<string, unknown>>

/** The pages, by the end of their quarter, with their encoding. */
const PAGES = {
  '2015-03-31': ['mops-t164sb05-2330-2015Q1.html', 'utf8'],
  '2014-09-30': ['mops-t164sb01-2330-2014Q3.html', 'cp950'],
} as const

/** Column → its line in the pages. */
const LINES: Readonly<Record<string, string>> = {
  operating_cash_flow: '營業活動之淨現金流入（流出）',
  investing_cash_flow: '投資活動之淨現金流入（流出）',
  financing_cash_flow: '籌資活動之淨現金流入（流出）',
  exchange_rate_effect: '匯率變動對現金及約當現金之影響',
  net_change_in_cash: '本期現金及約當現金增加（減少）數',
  beginning_cash: '期初現金及約當現金餘額',
  ending_cash: '期末現金及約當現金餘額',
  balance_sheet_cash: '資產負債表帳列之現金及約當現金',
  other_cash_equivalents: '其他符合國際會計準則第七號現金及約當現金定義之項目',
  depreciation: '折舊費用',
  amortization: '攤銷費用',
  capital_expenditure: '取得不動產、廠房及設備',
}

/** The first amount of a line in TWD, read without the feed. Null if the page lacks the line. */
function printed(page: string, line: string): number | null {
  const [, cell] = new RegExp(`>[　 ]*${line}</td>\\s*<td[^>]*>\\s*(-?[\\d,]+)<`).exec(page) ?? []
  return cell === undefined ? null : 1_000 * Number(cell.replaceAll(',', ''))
}

describe.skipIf(!realFilesThere)('real statements of MOPS', () => {
  let s: TestService
  let key: string

  beforeAll(async () => {
    s = await service({ examples: false, now: () => new Date('2026-11-20T12:00:00Z') })
    key = s.keyOn('max')
    for (const [name] of Object.values(PAGES)) {
      const found = outcomes(await ingest(s, 'mops-cash-flow', [real('statements', name)]))
      expect(found.map(([, , outcome]) => outcome)).toEqual(['published'])
    }
    await s.columns.refresh()
  }, 120_000)
  afterAll(() => s.close())

  const served = async (query = ''): Promise<readonly Row[]> =>
    (await s.get(`/v2/datasets/cash-flow?symbol=2330${query}`, key)).json().envelope.data

  it('cash flows of both kinds of pages are served as printed, in TWD', async () => {
    expect((await served()).map(row => row['period_end'])).toEqual(Object.keys(PAGES))
    for (const [end, [name, encoding]] of Object.entries(PAGES)) {
      const page = iconv.decode(readFileSync(real('statements', name)), encoding)
      const amounts = Object.fromEntries(Object.entries(LINES).map(([column, line]) => [column, printed(page, line)]))
      expect(amounts).toMatchObject({ operating_cash_flow: expect.any(Number), depreciation: expect.any(Number) })
      expect(await served(`&start_date=${end}&end_date=${end}`)).toMatchObject([{ ticker: '2330', basis: 'consolidated', ...amounts }])
    }
  })

  it('cash flows are in queries, SQL, search and coverage', async () => {
    const { data } = (await s.get('/v2/query?entity_type=company&entity_id=2330&fields=cash_flow.operating', key)).json()
    expect(data[0].fields['cash_flow.operating'].value).toBe(156_000_661_000)
    const sql = `SELECT period_end::VARCHAR AS quarter, free_cash_flow FROM cash_flow WHERE ticker = '2330' ORDER BY period_end`
    expect((await s.get(`/v2/sql?${new URLSearchParams({ q: sql })}`, key)).json().data).toEqual([
      { quarter: '2014-09-30', free_cash_flow: 267_854_884_000 - 236_115_030_000 },
      { quarter: '2015-03-31', free_cash_flow: 156_000_661_000 - 48_875_682_000 },
    ])
    expect((await s.get('/v2/search?q=2330', key)).json().data).toMatchObject([{ type: 'symbol', id: '2330', datasets: ['cash_flow'] }])
    expect(JSON.stringify((await s.get('/v2/coverage?symbol=2330', key)).json())).toContain('"cash-flow"')
  })

  it.each([
    ['wrong_table', 'mops-legacy-cashflow-2330-2010Q3.html'],
    ['wrong_table', 'mops-t164sb04-2330-2015Q1.html'],
  ])('a page of another statement or in an older form is refused as %s: %s', async (rule, name) => {
    const refused = await ingest(s, 'mops-cash-flow', [real('statements', name)])
    expect(outcomes(refused)).toEqual([expect.arrayContaining(['refused'])])
    expect(JSON.stringify(refused)).toContain(rule)
  })
})
