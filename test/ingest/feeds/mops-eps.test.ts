import { describe, expect, it } from 'vitest'
import feed from '../../../ingest/feeds/mops-eps.ts'
import { bodyOf, refusalOf, rowsOf } from '../../fixtures/feeds/bodies.ts'

const table = (headings: readonly string[], ...rows: readonly (readonly string[])[]): string =>
  `<table class='hasBorder'><tr>${headings.map(name => `<th>${name}</th>`).join('')}</tr>${rows
    .map(row => `<tr class='even'>${row.map(cell => `<td nowrap>${cell}</td>`).join('')}</tr>`)
    .join('')}</table>`
const page = (title: string, ...tables: readonly string[]): string =>
  `<html><body><table><tr><td><form><table class='noBorder'><tr><td><h2>${title}</h2></td></tr><tr><td>單位：新台幣仟元</td></tr></table>
  <form><input name='filename' value='t163sb04_20231224_191649659.csv'></form>${tables.join('\n')}</td></tr></table></body></html>`

const FIRM = ['公司<br>代號', '公司名稱']
const GENERAL = ['營業收入', '營業成本', '營業毛利（毛損）', '營業毛利（毛損）淨額', '營業費用', '營業利益（損失）']
const NET = ['本期淨利（淨損）', '淨利（淨損）歸屬於母公司業主', '基本每股盈餘（元）']
const general = table(
  [...FIRM, ...GENERAL, ...NET],
  ['2330', '範例', '508,632,973', '1', '2', '286,461,000', '3', '231,238,000', '9', '206,986,500', '7.98'],
)
const bank = table(
  [...FIRM, '利息淨收益', '利息以外淨損益', '本期稅後淨利（淨損）', '淨利（損）歸屬於母公司業主', '基本每股盈餘（元）'],
  ['2801', '範銀', '5', '4', '3,451', '--', '0.33'],
)
const holding = table(
  [...FIRM, '利息淨收益', '利息以外淨收益', '淨收益', '本期稅後淨利（淨損）', '淨利（淨損）歸屬於母公司業主', '基本每股盈餘(元)'],
  ['2880', '範金', '1', '2', '-3', '9', '8', '-0.10'],
)
const broker = table([...FIRM, '收益', '支出及費用', '營業利益', ...NET], ['6015', '範證', '259', '268', '-9', '47', '0', '0.14'])
const insurer = table(
  [...FIRM, '營業收入', '營業成本', '營業費用', '營業利益（損失）', ...NET],
  ['2867', '範壽', '31', '34', '1', '-4', '-2', '--', '-0.70'],
)
const other = table([...FIRM, '收入', '支出', ...NET], ['2905', '範他', '-4,136', '52', '-2', '-1', '-0.80'])

const rows = (content: string, requestedDay = '2023-03-31') => rowsOf(feed.parse(bodyOf(content), requestedDay), 'income-statements')
const six = page('上市公司第一季資料', bank, broker, general, holding, insurer, other)

describe('income statement pages', () => {
  it('income statements are read by the headings of each of the six industry forms', () => {
    const rowOf = (ticker: string) => rows(six).find(row => row['ticker'] === ticker)
    expect(rowOf('2330')).toEqual({
      ticker: '2330',
      market: 'TWSE',
      name: '範例',
      fiscal_year: 2023,
      season: 1,
      period_end: '2023-03-31',
      industry_schema: 'ci',
      revenue: 508_632_973,
      gross_profit: 286_461_000,
      operating_income: 231_238_000,
      net_income: 206_986_500,
      eps: 7.98,
    })
    const lines = ['industry_schema', 'revenue', 'gross_profit', 'operating_income', 'net_income', 'eps']
    expect(['2801', '2880', '6015', '2867', '2905'].map(ticker => lines.map(line => rowOf(ticker)?.[line]))).toEqual([
      ['basi', null, null, null, 3451, 0.33],
      ['fh', -3, null, null, 8, -0.1],
      ['bd', 259, null, -9, 0, 0.14],
      ['ins', 31, null, -4, -2, -0.7],
      ['mim', -4136, null, null, -1, -0.8],
    ])
  })

  it("income statements belong to the market in the page's title", () =>
    expect(rows(page('上櫃公司第一季資料', general))[0]?.['market']).toBe('TPEX'))

  it('income statements skip headings repeated between rows', () =>
    expect(
      rows(
        page(
          '上市公司第一季資料',
          general.replace('</table>', `<tr><th>${[...FIRM, ...GENERAL, ...NET].join('</th><th>')}</th></tr></table>`),
        ),
      ),
    ).toHaveLength(1))

  it('income statements take the year from the page if the page states a year', () => {
    expect(rowsOf(feed.parse(bodyOf(page('上市公司112年第2季資料', general)), undefined), 'income-statements')[0]).toMatchObject({
      fiscal_year: 2023,
      season: 2,
      period_end: '2023-06-30',
    })
  })

  it.each([
    ['period_not_stated', 'neither the page nor the caller names the year', six, undefined, 'with --date'],
    ['wrong_day', 'the requested day is not the last of its quarter', six, '2023-03-30', '2023-03-30 is not the last day of a quarter'],
    ['wrong_day', 'the requested day is in another quarter', six, '2023-06-30', 'for 2023-Q1, not for the requested 2023-06-30'],
    ['wrong_day', 'the page was made before the quarter ended', six, '2024-03-31', 'dated 2023-12-24'],
    ['wrong_day', 'the page states another year', page('上市公司111年第一季資料', general), '2023-03-31', '2022-Q1'],
    [
      'wrong_table',
      'it is another page',
      '<html><body><h2>上市公司112年1月份營業收入統計表</h2></body></html>',
      '2023-03-31',
      'not t163sb04',
    ],
    [
      'unknown_form',
      'a table has other headings',
      page('上市公司第一季資料', general.replace('淨利（淨損）歸屬於母公司業主', '歸屬母公司')),
      '2023-03-31',
      'headings may have changed',
    ],
    [
      'unknown_form',
      'a line of its form has another name',
      page('上市公司第一季資料', general.replace('營業利益（損失）', '營業淨利')),
      '2023-03-31',
      'headings may have changed',
    ],
    ['unknown_unit', 'amounts are in another unit', six.replace('仟元', '百萬元'), '2023-03-31', 'thousands of TWD'],
    [
      'row_shape',
      'a row lacks a cell',
      page('上市公司第一季資料', general.replace('<td nowrap>7.98</td>', '')),
      '2023-03-31',
      'row of 2330',
    ],
    ['unreadable_number', 'an amount is not a number', page('上市公司第一季資料', general.replace('7.98', '七')), '2023-03-31', '2330'],
    ['damaged_body', 'the page is truncated', six.slice(0, six.length - 60), '2023-03-31', 'page is incomplete'],
  ])('a page of income statements is refused as %s when %s', (rule, _, content, requestedDay, message) => {
    const refusal = refusalOf(feed, bodyOf(content), requestedDay)
    expect(refusal.rule).toBe(rule)
    expect(refusal.message).toContain(message)
  })
})

describe('income statements as CSV', () => {
  const heads =
    'ticker,name,market,fiscal_period,industry_schema,revenue_k,gross_profit_k,operating_income_k,net_income_k,net_income_parent_k,eps\n'

  it("income statements as CSV state their quarter, read blanks as null and prefer the parent's net income", () => {
    const read = rowsOf(
      feed.parse(bodyOf(`${heads}2820,範票,TWSE,2023-Q1,basi,,,,505661,,0.38\n9962,範益,TPEX,2023-Q4,ci,9,8,7,6,5,0\n`), undefined),
      'income-statements',
    )
    expect(read).toEqual([
      expect.objectContaining({ ticker: '2820', revenue: null, net_income: 505_661, eps: 0.38, period_end: '2023-03-31' }),
      expect.objectContaining({ ticker: '9962', market: 'TPEX', net_income: 5, eps: 0, season: 4, period_end: '2023-12-31' }),
    ])
  })

  it.each([
    ['impossible_date', '2820,範票,TWSE,2023-Q5,basi,,,,1,,0\n'],
    ['unknown_form', '2820,範票,TWSE,2023-Q1,bank,,,,1,,0\n'],
    ['unknown_form', '2820,範票,ESB,2023-Q1,basi,,,,1,,0\n'],
  ])('income statements as CSV are refused as %s for %j', (rule, line) => expect(refusalOf(feed, bodyOf(heads + line)).rule).toBe(rule))

  it.each(['2023-06-30', '2023-03-30', '2023-01-01'])('income statements as CSV of 2023-Q1 are refused for the requested day %s', asked => {
    const refusal = refusalOf(feed, bodyOf(`${heads}2820,範票,TWSE,2023-Q1,basi,,,,1,,0\n`), asked)
    expect(refusal.rule).toBe('wrong_day')
    expect(refusal.message).toContain('--date 2023-03-31')
  })
})
