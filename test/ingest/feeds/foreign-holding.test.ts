import { expect, it } from 'vitest'
import tpexHolding from '../../../ingest/feeds/tpex-foreign-holding.ts'
import twseHolding from '../../../ingest/feeds/twse-foreign-holding.ts'
import { bodyOf, refusalOf, rowsOf } from '../../fixtures/feeds/bodies.ts'

const OF = '113年01月02日'

const HOLDING = [
  '證券代號',
  '證券名稱',
  '國際證券編碼',
  '發行股數',
  '外資及陸資尚可投資股數',
  '全體外資及陸資持有股數',
  '外資及陸資尚可投資比率',
  ...[
    '全體外資及陸資持股比率',
    '外資及陸資共用法令投資上限比率',
    '陸資法令投資上限比率',
    '與前日異動原因(註)',
    '最近一次上市公司申報外資及陸資持股異動日期',
  ],
]

const link = "<a href=' https://mops.example/t98sb03?co_id=1101' target=_blank>4</a>"
const holdingCells = ['1101', '範例泥', 'TW0001101004', '1,000', '900', '100', 90, 10.0, '100.00', '29.99', ` ${link}`, '112/07/08']
const qfiis = (row: readonly unknown[] = holdingCells, changes: object = {}) => ({
  stat: 'OK',
  date: '20240102',
  selectType: 'ALLBUT0999',
  title: `${OF} 外資及陸資投資持股統計`,
  fields: HOLDING,
  data: [row],
  total: 1,
  ...changes,
})

it('TWSE foreign holdings read numbers, percentages, linked reasons and optional report days', () => {
  const [row, never] = [holdingCells, holdingCells.with(10, '').with(11, 0)].map(
    cells => rowsOf(twseHolding.parse(bodyOf(qfiis(cells)), undefined), 'foreign-holding')[0],
  )
  expect(row).toEqual({
    ticker: '1101',
    market: 'TWSE',
    trade_date: '2024-01-02',
    name: '範例泥',
    isin: 'TW0001101004',
    issued_shares: 1_000,
    available_shares: 900,
    held_shares: 100,
    available_pct: 90,
    held_pct: 10,
    foreign_limit_pct: 100,
    mainland_limit_pct: 29.99,
    change_reason: '4',
    reported_on: '2023-07-08',
  })
  expect(never).toMatchObject({ change_reason: null, reported_on: null })
})

const page = (title = '113/01/02　外資及陸資投資持股統計', cells = '<td align=right><font size=2>9.99&nbsp;</td>') => `<html><body><center>
<table border=1><caption><font color='red'><b>例如：借券市場交易等。</b></font></caption>
<tr><th colspan=11><font size=3>${title}</font></th></tr>
<tr>${['證券<br>代號', '證券<br>名稱', '發行<br>股數', '外資及陸資尚<br>可投資股數', '全體外資及陸<br>資持有股數', '外資及陸資尚<br>可投資比率', '全體外資及陸<br>資持股比率', '外資及陸資共<br>用法令投資上<br>限比率', '陸資法令投資<br>上限比率', '與前日異動原<br>因(註)', '最近一次上櫃<br>公司申報外資<br>持股異動日期'].map(name => `<th><font size=2>${name}</th>`).join('\n')}</tr>
<tr><td align=center><font size=2>6488</td><td><font size=2>範例晶</td><td align=right><font size=2>    10,000</td><td><font size=2> 9,001</td>
<td><font size=2>   999</td><td><font size=2>90.01&nbsp;</td>${cells}<td><font size=2>100.00&nbsp;</td><td><font size=2>100.00&nbsp;</td>
<td><font size=2><a href='http://mops.example/t98sb02'>2</a>&nbsp;</td><td><font size=2>112/05/16</td></tr>
</table><table border=0><tr><th><font size=2>註：112/01/01起。</th></tr></table></body></html>`

it('TPEx foreign holdings are read from a page with unclosed font tags', () => {
  expect(rowsOf(tpexHolding.parse(bodyOf(page()), '2024-01-02'), 'foreign-holding')).toMatchObject([
    {
      ticker: '6488',
      market: 'TPEX',
      isin: null,
      issued_shares: 10_000,
      held_shares: 999,
      held_pct: 9.99,
      change_reason: '2',
      reported_on: '2023-05-16',
    },
  ])
})

it.each([
  ['wrong_day', 'the title states another day', tpexHolding, page('113/01/03　外資及陸資投資持股統計')],
  ['wrong_day', 'the title states no day', tpexHolding, page('外資及陸資投資持股統計')],
  ['row_shape', 'a row lacks a cell', tpexHolding, page(undefined, '')],
  ['damaged_body', 'the page is truncated', tpexHolding, page().slice(0, -200)],
  ['not_the_publication', 'a heading has another name', tpexHolding, page().replace('證券<br>代號', '代號')],
  ['absent_number', 'a number is absent', twseHolding, JSON.stringify(qfiis(holdingCells.with(7, '--')))],
  ['impossible_date', 'a day does not exist', twseHolding, JSON.stringify(qfiis(holdingCells.with(11, '112/02/30')))],
] as const)('foreign holdings are refused as %s when %s', (rule, _, feed, content) =>
  expect(refusalOf(feed, bodyOf(content), '2024-01-02').rule).toBe(rule),
)
