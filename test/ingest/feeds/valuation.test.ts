import { describe, expect, it } from 'vitest'
import tpexQuotes from '../../../ingest/feeds/tpex-quotes.ts'
import tpexValuation from '../../../ingest/feeds/tpex-valuation.ts'
import twseQuotes from '../../../ingest/feeds/twse-quotes.ts'
import twseValuation from '../../../ingest/feeds/twse-valuation.ts'
import { bodyOf, refusalOf, rowsOf } from '../../fixtures/feeds/bodies.ts'

const OF = '113年01月02日'

describe('valuation ratios', () => {
  const bwibbu = (
    row: readonly unknown[],
    fields = ['證券代號', '證券名稱', '殖利率(%)', '股利年度', '本益比', '股價淨值比', '財報年/季'],
  ) => ({
    stat: 'OK',
    date: '20240102',
    title: `${OF} 個股日本益比、殖利率及股價淨值比`,
    fields,
    data: [row],
    selectType: 'ALL',
    total: 1,
  })
  const taiex = bwibbu(['1101', '範例泥', '5.41', 111, '-', '1.27', '112/3'])

  it('TWSE valuation has Gregorian years and null for absent ratios', () => {
    expect(rowsOf(twseValuation.parse(bodyOf(taiex), '2024-01-02'), 'valuation')).toEqual([
      {
        ticker: '1101',
        market: 'TWSE',
        trade_date: '2024-01-02',
        name: '範例泥',
        pe_ratio: null,
        pb_ratio: 1.27,
        dividend_yield: 5.41,
        dividend_per_share: null,
        dividend_year: 2022,
        fiscal_period: '2023-Q3',
      },
    ])
  })

  it('TWSE valuation finds columns by heading, also in the newer table with a close column', () => {
    const wide = bwibbu(
      ['1101', '範例泥', '34.90', '5.41', 111, '4,070.00', '1.27', '112/4'],
      ['證券代號', '證券名稱', '收盤價', '殖利率(%)', '股利年度', '本益比', '股價淨值比', '財報年/季'],
    )
    expect(rowsOf(twseValuation.parse(bodyOf(wide), undefined), 'valuation')[0]).toMatchObject({
      pe_ratio: 4_070,
      fiscal_period: '2023-Q4',
    })
  })

  const tpex = (row: readonly unknown[], changes: object = {}) => ({
    tables: [
      {
        title: '',
        date: '113/01/02',
        totalCount: 1,
        fields: ['股票代號', '公司名稱', '本益比', '每股股利', '股利年度', '殖利率(%)', '股價淨值比'],
        data: [row],
      },
    ],
    stkCategory: '全部產業',
    date: '20240102',
    stat: 'ok',
    ...changes,
  })

  it('TPEx valuation gives the dividend per share and no quarter', () => {
    const day = tpexValuation.parse(bodyOf(tpex(['1240', '範例農經        ', 'N/A', '1.20', 111, '5.68', '1.42'])), undefined)
    expect(rowsOf(day, 'valuation')).toMatchObject([
      {
        name: '範例農經',
        pe_ratio: null,
        pb_ratio: 1.42,
        dividend_yield: 5.68,
        dividend_per_share: 1.2,
        dividend_year: 2022,
        fiscal_period: null,
      },
    ])
  })

  it('TPEx valuation gives the quarter if the table has a column for the quarter', () => {
    const fields = ['股票代號', '公司名稱', '本益比', '每股股利', '股利年度', '殖利率(%)', '股價淨值比', '財報年/季']
    const data = [['1240', '範例農經        ', '10.00', '0.50000000', 114, '0.93', '1.59', '115Q2']]
    const day = tpexValuation.parse(
      bodyOf(tpex([], { tables: [{ title: '', date: '113/01/02', totalCount: 1, fields, data }] })),
      undefined,
    )
    expect(rowsOf(day, 'valuation')).toMatchObject([
      { pe_ratio: 10, dividend_per_share: 0.5, dividend_year: 2025, fiscal_period: '2026-Q2' },
    ])
  })

  it.each([
    ['unreadable_period', 'a quarter does not exist', twseValuation, bwibbu(['1101', '範例泥', '5.41', 111, '-', '1.27', '112/5'])],
    ['unreadable_number', 'a ratio is not a number', twseValuation, bwibbu(['1101', '範例泥', '5.41', 111, '虧損', '1.27', '112/3'])],
    [
      'partial_list',
      'it covers one industry',
      tpexValuation,
      tpex(['1240', '範', 'N/A', '1.20', 111, '5.68', '1.42'], { stkCategory: '光電業' }),
    ],
  ] as const)('valuation is refused as %s when %s', (rule, _, feed, content) => expect(refusalOf(feed, bodyOf(content)).rule).toBe(rule))
})

describe('open data', () => {
  it('open data of ratios and quotes takes the day from each record', () => {
    const ratio = {
      Date: '1130102',
      Code: '1101',
      Name: '範例泥',
      DividendYield: '5.41',
      DividendYear: '111',
      PEratio: '',
      PBratio: '1.27',
      FiscalYearQuarter: '112/3',
    }
    expect(rowsOf(twseValuation.parse(bodyOf([ratio]), '2024-01-02'), 'valuation')[0]).toMatchObject({
      pe_ratio: null,
      dividend_year: 2022,
      fiscal_period: '2023-Q3',
    })
    const otc = {
      Date: '1130102',
      SecuritiesCompanyCode: '1240',
      CompanyName: '範例',
      PriceEarningRatio: 'N/A',
      DividendPerShare: '1.20',
      YieldRatio: '5.68',
      PriceBookRatio: '1.42',
    }
    expect(rowsOf(tpexValuation.parse(bodyOf([otc]), undefined), 'valuation')[0]).toMatchObject({
      dividend_per_share: 1.2,
      dividend_year: null,
    })
    const quote = {
      Date: '1130102',
      Code: '0050',
      Name: '範例',
      TradeVolume: '110',
      TradeValue: '4710',
      OpeningPrice: '',
      HighestPrice: '',
      LowestPrice: '',
      ClosingPrice: '',
      Change: '0',
      Transaction: '13',
    }
    expect(rowsOf(twseQuotes.parse(bodyOf([quote]), undefined), 'daily-prices')).toMatchObject([
      { market: 'TWSE', trade_date: '2024-01-02', close: null, volume: 110, trades: 13 },
    ])
    const closing = {
      Date: '1130102',
      SecuritiesCompanyCode: '6488',
      CompanyName: '範例',
      Close: '502.00',
      Open: '500',
      High: '505',
      Low: '499',
      TradingShares: '1000',
      TransactionAmount: '502000',
      TransactionNumber: '9',
    }
    expect(rowsOf(tpexQuotes.parse(bodyOf([closing]), undefined), 'daily-prices')).toMatchObject([
      { market: 'TPEX', open: 500, close: 502, turnover: 502_000 },
    ])
    expect(refusalOf(tpexQuotes, bodyOf([closing, { ...closing, Date: '1130103' }])).rule).toBe('wrong_day')
    expect(refusalOf(twseQuotes, bodyOf([closing])).rule).toBe('wrong_table')
  })
})
