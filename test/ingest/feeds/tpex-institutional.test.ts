import { describe, expect, it } from 'vitest'
import feed from '../../../ingest/feeds/tpex-institutional.ts'
import { bodyOf, refusalOf, rowsOf, TPEX_FIELDS, TPEX_ROW, tpexInstitutional } from '../../fixtures/feeds/bodies.ts'

const rows = (content: unknown, requestedDay?: string) => rowsOf(feed.parse(bodyOf(content), requestedDay), 'institutional-positioning')
const first = {
  ticker: '006201',
  market: 'TPEX',
  trade_date: '2024-01-02',
  foreign_net_buy: 100,
  investment_trust_net_buy: 400,
  dealer_net_buy: 700,
  institutional_net_buy_total: 1200,
}

const NAMED = [
  '代號',
  '名稱',
  '外資及陸資買股數',
  '外資及陸資賣股數',
  '外資及陸資淨買股數',
  '投信買進股數',
  '投信賣股數',
  '投信淨買股數',
  '自營淨買股數',
  ...['自行買賣', '避險'].flatMap(how => ['買股數', '賣股數', '淨買股數'].map(what => `自營商(${how})${what}`)),
  '三大法人買賣超股數',
]

describe('TPEx institutional trades', () => {
  it('TPEx institutional trades are read by the order of their seven groups, because the column names repeat', () => {
    expect(rows(tpexInstitutional(), '2024-01-02')).toEqual([first])
  })

  it('TPEx institutional trades before 2018 are read by name, with the table at any position', () => {
    const row = ['006201', '範例富櫃', '9', '8', '100', '9', '8', '400', '700', '1', '1', '0', '700', '0', '700', '1,200']
    const table = { title: '三大法人買賣明細資訊', date: '113/01/02', fields: NAMED, data: [row], totalCount: 1 }
    expect(rows({ columnNum: 17, tables: [{}, table], date: '20240102', stat: 'ok' })).toEqual([first])
  })

  it.each([
    ['an additional column', [...TPEX_FIELDS, '備註']],
    ['groups in another order of columns', TPEX_FIELDS.with(4, '買進股數')],
    ['another last column', TPEX_FIELDS.with(-1, '合計')],
  ])('TPEx institutional trades are refused as wrong_table with %s', (_, fields) => {
    const data = [fields.map((__, index) => TPEX_ROW[index] ?? '0')]
    expect(refusalOf(feed, bodyOf(tpexInstitutional({ fields, data }))).rule).toBe('wrong_table')
  })

  it.each([
    ['wrong_day', 'it echoes another date', tpexInstitutional({}, { date: '20240103' })],
    ['wrong_day', 'the table states another date', tpexInstitutional({ date: '113/01/03' })],
    ['wrong_day', 'the subtitle states another date', tpexInstitutional({ subtitle: '113年01月03日 三大法人日交易資訊' })],
    ['row_count_mismatch', 'it states another number of rows', tpexInstitutional({ totalCount: 740 })],
  ])('TPEx institutional trades are refused as %s when %s', (rule, _, content) =>
    expect(refusalOf(feed, bodyOf(content), '2024-01-02').rule).toBe(rule),
  )

  it('a TPEx institutional table without rows is an empty day', () => {
    expect(feed.parse(bodyOf(tpexInstitutional({ data: [], totalCount: 0, subtitle: '' })), '2024-01-02')).toEqual({
      kind: 'empty',
      date: '2024-01-02',
      reason: 'stat ok without rows',
    })
  })

  it('TPEx institutional trades in the wide form are accepted for TPEx and refused for TWSE', () => {
    const heads = 'date,market,stock_no,stock_name,foreign_net,investment_trust_net,dealer_total_net,overall_net\n'
    expect(rows(`${heads}2024-01-02,TPEX,006201,範例,100,400,700,1200\n`)).toEqual([first])
    expect(refusalOf(feed, bodyOf(`${heads}2024-01-02,TWSE,0050,範例,100,400,700,1200\n`)).rule).toBe('wrong_table')
  })
})

describe('TPEx institutional trades as open data', () => {
  const FOREIGN = 'Foreign Investors include Mainland Area Investors (Foreign Dealers excluded)'
  const RECORD = {
    Date: '1130102',
    SecuritiesCompanyCode: '006201',
    CompanyName: '範例富櫃',
    [`${FOREIGN}-Total Buy`]: '110',
    [` ${FOREIGN}-Total Sell`]: '10',
    [`${FOREIGN}-Difference`]: '100',
    'ForeignDealers-Difference': '200',
    'ForeignInvestorsInclude MainlandAreaInvestors-Difference': '300',
    'SecuritiesInvestmentTrustCompanies-Difference': '400',
    'Dealers-TotalSell': '9',
    'Dealers-Difference': '700',
    'Dealers -TotalSell': '8',
    TotalDifference: '1200',
  }

  it('TPEx institutional open data is read by column names, even if these have stray blanks', () => {
    expect(rows([RECORD])).toEqual([first])
    const { [`${FOREIGN}-Difference`]: net, ...others } = RECORD
    expect(rows([{ ...others, [` ${FOREIGN} - Difference`]: net }], '2024-01-02')).toEqual([first])
  })

  it('TPEx institutional open data keeps the printed total', () =>
    expect(rows([{ ...RECORD, TotalDifference: '-5' }])[0]?.['institutional_net_buy_total']).toBe(-5))

  it.each([
    ['wrong_day', 'it covers another day', [RECORD], '2024-01-03'],
    ['wrong_day', 'its records cover two days', [RECORD, { ...RECORD, Date: '1130103' }], undefined],
    ['wrong_table', 'a column is missing', [{ ...RECORD, TotalDifference: undefined }], undefined],
    ['absent_number', 'an amount is empty', [{ ...RECORD, 'Dealers-Difference': '' }], undefined],
  ])('TPEx institutional open data is refused as %s when %s', (rule, _, content, requestedDay) =>
    expect(refusalOf(feed, bodyOf(content), requestedDay).rule).toBe(rule),
  )
})
