import { describe, expect, it } from 'vitest'
import tpexMargin from '../../../ingest/feeds/tpex-margin.ts'
import twseMargin from '../../../ingest/feeds/twse-margin.ts'
import { bodyOf, refusalOf, rowsOf } from '../../fixtures/feeds/bodies.ts'

const OF = '113年01月02日'
const totalsOf = (parsed: ReturnType<typeof twseMargin.parse>, dataset: string) =>
  parsed.kind === 'rows'
    ? Object.fromEntries((parsed.statedTotals?.[dataset]?.totals ?? []).map(({ column, stated }) => [column, stated]))
    : {}

const MARGIN_FIELDS = [
  '代號',
  '名稱',
  '買進',
  '賣出',
  '現金償還',
  '前日餘額',
  '今日餘額',
  '限額',
  '買進',
  '賣出',
  '現券償還',
  '前日餘額',
  '今日餘額',
  '限額',
  '資券互抵',
  '註記',
]
const STATISTICS = {
  title: `${OF} 信用交易統計`,
  fields: ['項目', '買進', '賣出', '現金(券)償還', '前日餘額', '今日餘額'],
  data: [
    ['融資(交易單位)', '118', '396', '2', '2,127', '1,847'],
    ['融券(交易單位)', '1', '217', '3', '10', '223'],
    ['融資金額(仟元)', '1', '2', '3', '4', '5'],
  ],
}
const MARGIN_ROW = [
  '0050',
  '範例五十 ',
  '118',
  '396',
  '2',
  '2,127',
  '1,847',
  '565,125',
  '1',
  '217',
  '3',
  '10',
  '223',
  '565,125',
  '27',
  'OX ',
]
const miMargn = (table: object = {}, changes: object = {}) => ({
  stat: 'OK',
  date: '20240102',
  tables: [STATISTICS, { title: `${OF} 融資融券彙總 (全部)`, fields: MARGIN_FIELDS, data: [MARGIN_ROW], ...table }],
  ...changes,
})

describe('TWSE margin trading', () => {
  const parsed = twseMargin.parse(bodyOf(miMargn()), '2024-01-02')

  it('TWSE margin rows contain purchases and short sales in shares, and null for columns that only TPEx prints', () => {
    expect(rowsOf(parsed, 'margin-trading')).toEqual([
      {
        ticker: '0050',
        market: 'TWSE',
        trade_date: '2024-01-02',
        name: '範例五十',
        margin_previous_balance: 2_127_000,
        margin_buy: 118_000,
        margin_sell: 396_000,
        margin_cash_repayment: 2_000,
        margin_balance: 1_847_000,
        margin_limit: 565_125_000,
        short_previous_balance: 10_000,
        short_sell: 217_000,
        short_buy: 1_000,
        short_stock_repayment: 3_000,
        short_balance: 223_000,
        short_limit: 565_125_000,
        offset_volume: 27_000,
        margin_finance_balance: null,
        margin_utilization: null,
        short_finance_balance: null,
        short_utilization: null,
        remark: 'OX',
      },
    ])
  })

  it("TWSE margin trading states the market's totals in shares", () => {
    expect(totalsOf(parsed, 'margin-trading')).toEqual({
      margin_buy: 118_000,
      margin_sell: 396_000,
      margin_cash_repayment: 2_000,
      margin_previous_balance: 2_127_000,
      margin_balance: 1_847_000,
      short_buy: 1_000,
      short_sell: 217_000,
      short_stock_repayment: 3_000,
      short_previous_balance: 10_000,
      short_balance: 223_000,
    })
  })

  it('TWSE margin trading counts a lot of 008201 as 100 shares', () => {
    const [row] = rowsOf(twseMargin.parse(bodyOf(miMargn({ data: [MARGIN_ROW.with(0, '008201')] })), undefined), 'margin-trading')
    expect(row).toMatchObject({ margin_buy: 11_800, margin_limit: 56_512_500 })
  })

  it.each([
    ['wrong_day', 'its title states another day', miMargn({ title: '113年01月03日 融資融券彙總 (全部)' })],
    ['wrong_table', 'a side is missing', miMargn({ fields: MARGIN_FIELDS.with(8, '融券') })],
    ['wrong_table', 'a column appears a third time', miMargn({ fields: MARGIN_FIELDS.with(15, '買進') })],
    ['absent_number', 'a balance is blank', miMargn({ data: [MARGIN_ROW.with(6, '')] })],
    ['partial_list', 'it covers one industry', miMargn({}, { selectType: '24' })],
  ])('TWSE margin trading is refused as %s when %s', (rule, _, content) => expect(refusalOf(twseMargin, bodyOf(content)).rule).toBe(rule))
})

const TPEX_MARGIN = [
  '代號',
  '名稱',
  '前資餘額(張)',
  '資買',
  '資賣',
  '現償',
  '資餘額',
  '資屬證金',
  '資使用率(%)',
  '資限額',
  '前券餘額(張)',
  '券賣',
  '券買',
  '券償',
  '券餘額',
  '券屬證金',
  '券使用率(%)',
  '券限額',
  '資券相抵(張)',
  '備註',
]
const tpexMarginDay = (fields = TPEX_MARGIN, table: object = {}) => {
  const row = [
    '00679B',
    '範例美債',
    '1,104',
    '57',
    '17',
    '1',
    '1,143',
    '1',
    '0.3',
    '370,423',
    '49',
    '5',
    '2',
    '1',
    '51',
    '0',
    '0.01',
    '370,423',
    '4',
    '11   A ',
  ]
  const sums = ['', '合計(張)', ...['1,104', '57', '17', '1', '1,143', '', '', ''], ...['49', '5', '2', '1', '51', '', '', '', '', '']]
  const inOrder = (cells: readonly string[]) => fields.map(field => cells[TPEX_MARGIN.indexOf(field)]!)
  return {
    date: '20240102',
    tables: [
      { title: '上櫃股票融資融券餘額', date: '113/01/02', totalCount: 1, fields, data: [inOrder(row)], summary: [inOrder(sums)], ...table },
    ],
    stat: 'ok',
  }
}

it('TPEx margin trading reads columns by name in any order', () => {
  const parsed = tpexMargin.parse(bodyOf(tpexMarginDay()), '2024-01-02')
  expect(rowsOf(parsed, 'margin-trading')[0]).toMatchObject({
    market: 'TPEX',
    short_sell: 5_000,
    short_buy: 2_000,
    short_balance: 51_000,
    margin_finance_balance: 1_000,
    margin_utilization: 0.3,
    short_utilization: 0.01,
    offset_volume: 4_000,
    remark: '11   A',
  })
  const moved = tpexMargin.parse(bodyOf(tpexMarginDay(TPEX_MARGIN.with(11, '券買').with(12, '券賣'))), undefined)
  expect(rowsOf(moved, 'margin-trading')).toEqual(rowsOf(parsed, 'margin-trading'))
  expect(totalsOf(parsed, 'margin-trading')).toMatchObject({ margin_balance: 1_143_000, short_sell: 5_000, short_buy: 2_000 })
  expect(totalsOf(moved, 'margin-trading')).toEqual(totalsOf(parsed, 'margin-trading'))
})

describe('margin trading as open data', () => {
  const margin = {
    股票代號: '0050',
    股票名稱: '範例五十',
    融資買進: '118',
    融資賣出: '396',
    融資現金償還: '2',
    融資前日餘額: '2,127',
    融資今日餘額: '1,847',
    融資限額: '565,125',
    融券買進: '1',
    融券賣出: '217',
    融券現券償還: '3',
    融券前日餘額: '10',
    融券今日餘額: '223',
    融券限額: '565,125',
    資券互抵: '27',
    註記: 'OX ',
  }

  it('TWSE margin open data gives the same rows as the JSON of the website, and is refused if no day is requested', () => {
    const [open, site] = [twseMargin.parse(bodyOf([margin]), '2024-01-02'), twseMargin.parse(bodyOf(miMargn()), '2024-01-02')]
    expect(rowsOf(open, 'margin-trading')).toEqual(rowsOf(site, 'margin-trading'))
    expect(refusalOf(twseMargin, bodyOf([margin]))).toMatchObject({ rule: 'wrong_day', message: expect.stringContaining('--date') })
  })

  it('an empty cell of TWSE margin open data is read as zero, and a record without one of the columns is refused', () => {
    const shorts = { 融券買進: '', 融券賣出: '', 融券現券償還: '', 融券前日餘額: '', 融券今日餘額: '', 資券互抵: '' }
    expect(rowsOf(twseMargin.parse(bodyOf([{ ...margin, ...shorts }]), '2024-01-02'), 'margin-trading')).toMatchObject([
      { margin_balance: 1_847_000, short_previous_balance: 0, short_sell: 0, short_balance: 0, short_limit: 565_125_000, offset_volume: 0 },
    ])
    const { 融券買進: _, ...partial } = margin
    expect(refusalOf(twseMargin, bodyOf([margin, partial]), '2024-01-02').rule).toBe('absent_number')
  })

  it('TPEx margin open data reads short purchases from the misspelt ShortConvering column', () => {
    const lots = ['1104', '57', '17', '1', '1143', '1', '0.3', '370423', '49', '5', '2', '1', '51', '0', '0.01', '370423', '4', '11   A ']
    const sides = ['MarginPurchaseBalancePreviousDay', 'MarginPurchase', 'MarginSales', 'CashRedemption', 'MarginPurchaseBalance']
    const names = [
      ...sides,
      'MarginPurchaseBalanceBelongSecuritiesFinanceEnterprise',
      'MarginPurchaseUtilizationRate',
      'MarginPurchaseQuota',
      'ShortSaleBalancePreviousDay',
      'ShortSale',
      'ShortConvering',
      'StockRedemption',
      'ShortSaleBalance',
      'ShortSaleBalanceBelongSecuritiesFinanceEnterprise',
      'ShortSaleUtilizationRate',
      'ShortSaleQuota',
      'Offsetting',
      'Note',
    ]
    const record = Object.fromEntries(names.map((name, at) => [name, lots[at]]))
    const body = bodyOf([{ Date: '1130102', SecuritiesCompanyCode: '00679B', CompanyName: '範例美債', ...record }])
    expect(rowsOf(tpexMargin.parse(body, undefined), 'margin-trading')).toEqual(
      rowsOf(tpexMargin.parse(bodyOf(tpexMarginDay()), undefined), 'margin-trading'),
    )
    expect(refusalOf(tpexMargin, body, '2024-01-03').rule).toBe('wrong_day')
  })
})
