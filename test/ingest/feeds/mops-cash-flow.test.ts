import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import feed from '../../../ingest/feeds/mops-cash-flow.ts'
import { bodyOf, refusalOf, rowsOf } from '../../fixtures/feeds/bodies.ts'
import { body, ingest, outcomes } from '../../fixtures/ingest/bodies.ts'
import { service, type TestService } from '../../support.ts'

const FLOWS = `　　　折舊費用|500|400
　　　攤銷費用|20|10
營業活動之淨現金流入（流出）|1,000|900
投資活動之現金流量||
　　取得不動產、廠房及設備|-600|-450
投資活動之淨現金流入（流出）|-700|-500
籌資活動之淨現金流入（流出）|-200|-100
匯率變動對現金及約當現金之影響|-30|10
本期現金及約當現金增加（減少）數|70|310
期初現金及約當現金餘額|2,000|1,690
期末現金及約當現金餘額|2,070|2,000
資產負債表帳列之現金及約當現金|2,080|2,000
其他符合國際會計準則第七號現金及約當現金定義之項目|-10|0`

const linesOf = (flows: string): string =>
  flows
    .split('\n')
    .map(line => `<tr><td>${line.split('|').join("</td><td align='right'>     ")}</td></tr>`)
    .join('\n')

/** A page of the query, with the company in its links. */
const page = (flows = FLOWS, period = '114年01月01日至114年06月30日'): string => `<html><body>
  <h2 align='center'><font color='blue'>合併現金流量表</font></h2>
  <table><tr><td><a href='/server-java/t164sb01?step=1&CO_ID=9958&SYEAR=2025&SSEASON=2&REPORT_ID=C'>XBRL</a>
  <a href='http://doc.twse.com.tw/server-java/t57sb01?step=1&co_id=9958&year=114'>PDF</a></td></tr></table>
  <table><tr><th colspan='7'>民國114年第2季</tr><tr><th colspan='7'>單位：新台幣仟元</tr>
  <tr><th>會計項目</th><th>${period}</th><th>113年01月01日至113年06月30日</th></tr>
  <tr><th>&nbsp;</th><th>金額</th><th>金額</th></tr>${linesOf(flows)}</table></body></html>`

/** A page of the XBRL viewer, with the company in its form and a stray closing tag of a table. */
const viewer = (kind: string): string => `<html><body><form>
  <input type = 'text' name = 'CO_ID' id = 'CO_ID' value = '9958' maxLength = '6'>
  <select name = 'REPORT_ID'><option value = 'C'${kind === '合併' ? " selected = 'selected'" : ''} > 合併財報 </option>
  <option value = 'A'${kind === '個別' ? " selected = 'selected'" : ''} > 個別財報 </option>
  <option value = 'B'${kind === '個體' ? " selected = 'selected'" : ''} > 個體財報 </option></select></form>
  <html><head></head><body><div>單位：新臺幣仟元</div><table><tr><th>會計項目</th><th>2025年01月01日至2025年06月30日</th><th>2024年01月01日至2024年06月30日</th></tr>
  <tr><th colspan='3'>現金流量表</th></tr>${linesOf(FLOWS.replaceAll('</td></tr>', '</td>'))}</table></table></body></html>
  <pre>暨合併現金流量表，業經本會計師核閱竣事。</pre></body></html>`

const ROW = {
  ticker: '9958',
  period_end: '2025-06-30',
  basis: 'consolidated',
  operating_cash_flow: 1_000_000,
  investing_cash_flow: -700_000,
  financing_cash_flow: -200_000,
  exchange_rate_effect: -30_000,
  net_change_in_cash: 70_000,
  beginning_cash: 2_000_000,
  ending_cash: 2_070_000,
  balance_sheet_cash: 2_080_000,
  other_cash_equivalents: -10_000,
  depreciation: 500_000,
  amortization: 20_000,
  capital_expenditure: -600_000,
}
const read = (content: string, requestedDay?: string) => rowsOf(feed.parse(bodyOf(content), requestedDay), 'cash-flow')
const without = (heading: string): string =>
  FLOWS.split('\n')
    .filter(line => !line.includes(heading))
    .join('\n')

describe('pages of cash-flow statements', () => {
  it('a statement of the query page becomes one row in TWD, without the figures of the year before', () => {
    expect(read(page())).toEqual([ROW])
    expect(read(page(), '2025-06-30')).toEqual([ROW])
  })

  it.each([
    ['合併', 'consolidated'],
    ['個別', 'individual'],
    ['個體', 'parent_only'],
  ])('a statement of the XBRL viewer has the selected kind %s as its basis', (kind, basis) =>
    expect(read(viewer(kind))).toEqual([{ ...ROW, basis }]),
  )

  it('an item that the statement lacks is null, and a dash is null', () => {
    const flows = without('其他符合').replace('攤銷費用|20', '攤銷費用|-')
    expect(read(page(flows))).toEqual([{ ...ROW, other_cash_equivalents: null, amortization: null }])
  })

  it.each([
    ['wrong_day', 'another quarter is requested', page(), '2025-03-31', '--date 2025-06-30'],
    ['wrong_day', 'the requested day is not the last of its quarter', page(), '2025-06-29', '--date 2025-06-30'],
    ['wrong_table', 'a total is missing', page(without('籌資')), undefined, 'not t164sb05 or t164sb01'],
    ['unknown_form', 'the period does not start on 1 January', page(FLOWS, '114年04月01日至114年06月30日'), undefined, '114年04月01日'],
    ['unknown_form', 'the period ends within a quarter', page(FLOWS, '114年01月01日至114年05月31日'), undefined, '114年05月31日'],
    ['unknown_form', 'the title has no kind of statement', page().replace('合併現金', '現金'), undefined, 'consolidated'],
    ['unknown_form', 'a total is printed twice', page(`${FLOWS}\n期末現金及約當現金餘額|1|2`), undefined, 'more than once'],
    ['unknown_unit', 'amounts are in another unit', page().replace('仟元', '百萬元'), undefined, 'thousands of TWD'],
    ['unreadable_ticker', 'links name two companies', page().replace('co_id=9958', 'co_id=9959'), undefined, '9958 9959'],
    ['absent_number', 'a total is empty', page(FLOWS.replace('-700|', '|')), undefined, '9958'],
    ['unreadable_number', 'an amount is a word', page(FLOWS.replace('|500|', '|五百|')), undefined, '9958'],
    ['row_shape', 'a line lacks a cell', page(FLOWS.replace('|500|400', '|500')), undefined, '折舊費用'],
    ['damaged_body', 'the page is truncated', page().slice(0, -20), undefined, 'page is incomplete'],
    ['damaged_body', 'the second page in the viewer is truncated', viewer('合併').slice(0, -20), undefined, 'page is incomplete'],
  ])('a page of a cash-flow statement is refused as %s when %s', (rule, _, content, requestedDay, message) => {
    const refusal = refusalOf(feed, bodyOf(content), requestedDay)
    expect(refusal.rule).toBe(rule)
    expect(refusal.message).toContain(message)
  })
})

describe('published cash-flow statements', () => {
  let s: TestService
  beforeAll(async () => {
    s = await service({ examples: false })
  })
  afterAll(() => s.close())

  const publish = async (content: string, accept: readonly string[] = []) =>
    ingest(s, 'mops-cash-flow', [body(s, 'statement.html', content)], { accept })
  const served = async () => (await s.get('/v2/datasets/cash-flow?symbol=9958', s.keyOn('pro'))).json().envelope.data

  it.each([
    ['net_change_adds_up', FLOWS.replace('-700|', '-701|')],
    ['ending_cash_adds_up', FLOWS.replace('|2,070|', '|2,071|').replace('|2,080|', '|2,081|')],
    ['balance_sheet_cash_adds_up', FLOWS.replace('|2,080|', '|2,081|')],
  ])('a statement that breaks the identity %s is refused, and published if the rule is accepted', async (rule, flows) => {
    const refused = await publish(page(flows))
    expect(outcomes(refused)).toEqual([expect.arrayContaining(['refused'])])
    expect(JSON.stringify(refused)).toContain(rule)
    expect(outcomes(await publish(page(flows), [rule]))).toEqual([expect.arrayContaining(['published'])])
  })

  it('a consolidated statement takes precedence over the parent-only statement of the same quarter', async () => {
    await publish(page())
    await publish(viewer('個體'))
    expect(await served()).toMatchObject([
      { ...ROW, fiscal_year: 2025, fiscal_quarter: 2, free_cash_flow: 400_000 },
      { ...ROW, basis: 'parent_only' },
    ])
    const fields = 'cash_flow.operating,cash_flow.free_cash_flow,cash_flow.ending_cash'
    const { data } = (await s.get(`/v2/query?entity_type=company&entity_id=9958&fields=${fields}`, s.keyOn('pro'))).json()
    const values = Object.values(data[0].fields).map(field => (field as { value: unknown }).value)
    expect(values).toEqual([1_000_000, 400_000, 2_070_000])
  })
})
