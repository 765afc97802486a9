import { describe, expect, it } from 'vitest'
import tpex from '../../../ingest/feeds/tpex-quotes.ts'
import twse from '../../../ingest/feeds/twse-quotes.ts'
import { bodyOf, refusalOf, rowsOf } from '../../fixtures/feeds/bodies.ts'

const INDEX_FIELDS = ['指數', '收盤指數', '漲跌(+/-)', '漲跌點數', '漲跌百分比(%)', '特殊處理註記']
const UP = "<p style ='color:red'>+</p>"
const DOWN = "<p style ='color:green'>-</p>"
const indices = {
  title: '113年01月02日 價格指數(臺灣證券交易所)',
  fields: INDEX_FIELDS,
  data: [
    ['發行量加權股價指數', '17,853.76', DOWN, '77.05', '-0.43', ''],
    ['電子類指數', '900.00', UP, '1.50', '0.17', ''],
    ['金融保險類指數', '1,700.10', '<p> </p>', '0.00', '0.00', ''],
    ['半導體類指數', '400.00', '<p>X</p>', '--', '--', ''],
    ['範例主題指數', '1.00', UP, '1.00', '1.00', ''],
  ],
}
const returns = {
  title: '報酬指數(臺灣證券交易所)',
  fields: INDEX_FIELDS.with(0, '報酬指數'),
  data: [['發行量加權股價指數', '1', UP, '1', '1', '']],
}
const quotes = {
  title: '113年01月02日 每日收盤行情(全部(不含權證、牛熊證))',
  fields: [
    '證券代號',
    '證券名稱',
    '成交股數',
    '成交筆數',
    '成交金額',
    '開盤價',
    '最高價',
    '最低價',
    '收盤價',
    '漲跌(+/-)',
    '漲跌價差',
    '本益比',
  ],
  data: [
    ['0050', '範例五十  ', '44,330,389', '31,199', '5,335,880,299', '120.80', '121.00', '120.00', '120.70', '<p>X</p>', '0.00', '0.00'],
    ['00625K', '範例上証+R', '0', '0', '0', '--', '--', '--', '--', '<p> </p>', '0.00', '0.00'],
  ],
}
const miIndex = (tables: readonly unknown[] = [indices, returns, quotes, {}], changes: object = {}) => ({
  tables,
  params: { date: '20240102', type: 'ALLBUT0999', response: 'json' },
  stat: 'OK',
  date: '20240102',
  ...changes,
})

describe('TWSE closing quotes', () => {
  const parsed = twse.parse(bodyOf(miIndex()), '2024-01-02')

  it('TWSE quotes are read from the quote table at any position', () => {
    const moved = twse.parse(bodyOf(miIndex([{}, quotes, {}, indices])), undefined)
    expect(rowsOf(moved, 'daily-prices')).toEqual(rowsOf(parsed, 'daily-prices'))
    expect(rowsOf(parsed, 'daily-prices')[0]).toEqual({
      ticker: '0050',
      market: 'TWSE',
      trade_date: '2024-01-02',
      name: '範例五十',
      open: 120.8,
      high: 121,
      low: 120,
      close: 120.7,
      volume: 44_330_389,
      turnover: 5_335_880_299,
      trades: 31_199,
    })
  })

  it('TWSE quotes note how many indices were left out', () => {
    expect(parsed).toMatchObject({
      notes: expect.arrayContaining([expect.stringMatching(/^\d of \d indices have no code in the service or no value/)]),
    })
  })

  it('TWSE quotes of an untraded security have null prices and zero volume', () => {
    expect(rowsOf(parsed, 'daily-prices')[1]).toMatchObject({
      ticker: '00625K',
      open: null,
      close: null,
      volume: 0,
      turnover: 0,
      trades: 0,
    })
  })

  it('TWSE quotes give the indices that have a code, with the sign of the sign column', () => {
    const day = { trade_date: '2024-01-02' }
    expect(rowsOf(parsed, 'market-indices')).toEqual([
      { index_code: 'IX0001', name: '發行量加權股價指數', ...day, value: 17853.76, change: -77.05, change_pct: -0.43 },
      { index_code: 'IX0027', name: '電子類指數', ...day, value: 900, change: 1.5, change_pct: 0.17 },
      { index_code: 'IX0039', name: '金融保險類指數', ...day, value: 1700.1, change: 0, change_pct: 0 },
      { index_code: 'IX0028', name: '半導體類指數', ...day, value: 400, change: null, change_pct: null },
    ])
  })

  it.each([
    ['wrong_day', 'one of its titles states another day', miIndex([indices, { ...quotes, title: '113年01月03日 每日收盤行情' }])],
    ['wrong_day', 'it echoes another request', miIndex(undefined, { params: { date: '20240103', type: 'ALL' } })],
    ['wrong_table', 'it has indices and no quotes', miIndex([indices])],
    ['wrong_table', 'a required heading appears twice', miIndex([{ ...quotes, fields: quotes.fields.with(-1, '收盤價') }])],
    ['source_refused', 'its status reports no data although it has rows', miIndex(undefined, { stat: '很抱歉，沒有符合條件的資料!' })],
    ['incomplete_body', 'it has indices but no quotes yet', miIndex([indices, { ...quotes, data: [] }])],
    ['partial_list', 'it covers funds only', miIndex(undefined, { params: { date: '20240102', type: '0099P' } })],
    ['absent_number', 'a volume is missing', miIndex([{ ...quotes, data: [quotes.data[0]?.with(2, '--')] }])],
  ])('TWSE quotes are refused as %s when %s', (rule, _, content) => expect(refusalOf(twse, bodyOf(content)).rule).toBe(rule))
})

const TPEX_FIELDS = ['代號', '名稱', '收盤', '漲跌', '開盤', '最高', '最低', '均價', '成交股數', '成交金額(元)', '成交筆數', '次日 參考價']
const tpexTable = (title: string, data: readonly (readonly string[])[], changes: object = {}) => ({
  title,
  totalCount: data.length,
  fields: TPEX_FIELDS,
  data,
  ...changes,
})
const TRADED = ['006201', '範例富櫃', '16.97', '+0.64', '16.45', '16.97', '16.45', '16.87', '111,047', '1,872,949', '80', '16.97']
const UNTRADED = ['020001', '範例存股N', ' ---', '--- ', '---', '---', '---', '7.68', '0', '0', '0', '7.93']
const EX_DIVIDEND = ['00687B', '範例美債', '33.53', '除息 ', '33.58', '33.58', '33.43', '33.48', '1', '2', '1', '33.53']
const tpexDay = (main: object = {}, changes: object = {}) => ({
  date: '20240102',
  tables: [tpexTable('上櫃股票行情', [TRADED, EX_DIVIDEND], { date: '113/01/02', ...main }), tpexTable('管理股票', [UNTRADED])],
  stat: 'ok',
  ...changes,
})

describe('TPEx closing quotes', () => {
  it('TPEx quotes come from both tables, with null prices for untraded securities', () => {
    const rows = rowsOf(tpex.parse(bodyOf(tpexDay()), '2024-01-02'), 'daily-prices')
    expect(rows.map(row => [row['ticker'], row['close'], row['volume']])).toEqual([
      ['006201', 16.97, 111_047],
      ['00687B', 33.53, 1],
      ['020001', null, 0],
    ])
    expect(rows[0]).toMatchObject({
      market: 'TPEX',
      open: 16.45,
      high: 16.97,
      low: 16.45,
      turnover: 1_872_949,
      trades: 80,
      name: '範例富櫃',
    })
  })

  it.each([
    ['wrong_day', 'date and table disagree', tpexDay({ date: '113/01/03' })],
    ['row_count_mismatch', 'a table states another number of rows', tpexDay({ totalCount: 9 })],
    [
      'wrong_table',
      'a heading is missing',
      tpexDay(
        { fields: TPEX_FIELDS.with(2, '收市') },
        { tables: [tpexTable('類股', [], { fields: ['類股名稱'], data: [['光電業']], totalCount: 1 })] },
      ),
    ],
  ])('TPEx quotes are refused as %s when %s', (rule, _, content) => expect(refusalOf(tpex, bodyOf(content)).rule).toBe(rule))
})
