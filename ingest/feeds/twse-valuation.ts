import { type Feed, parseBy } from '../formats/index.ts'
import { type DayTable, readDayTable } from './shared/day-table.ts'
import { isOpenData, type OpenTable, readOpenTable } from './shared/open-table.ts'
import { type RatioColumn, type ReportColumn, valuationRow } from './shared/valuation.ts'

const BWIBBU: DayTable<RatioColumn | Exclude<ReportColumn, 'dividend_per_share'>> = {
  called: 'BWIBBU_d 個股日本益比、殖利率及股價淨值比',
  dataset: 'valuation',
  market: 'TWSE',
  headings: {
    ticker: ['證券代號'],
    name: ['證券名稱'],
    pe_ratio: ['本益比'],
    pb_ratio: ['股價淨值比'],
    dividend_yield: ['殖利率(%)'],
    dividend_year: ['股利年度'],
    fiscal_period: ['財報年/季'],
  },
  figures: valuationRow,
}

const OPEN_DATA: OpenTable<RatioColumn | 'dividend_year' | 'fiscal_period'> = {
  called: 'BWIBBU_d 上市個股日本益比、殖利率及股價淨值比',
  dataset: 'valuation',
  market: 'TWSE',
  day: 'Date',
  names: {
    ticker: 'Code',
    name: 'Name',
    pe_ratio: 'PEratio',
    pb_ratio: 'PBratio',
    dividend_yield: 'DividendYield',
    dividend_year: 'DividendYear',
    fiscal_period: 'FiscalYearQuarter',
  },
  figures: valuationRow,
}

const feed: Feed = {
  name: 'twse-valuation',
  title: 'TWSE BWIBBU_d, price to earnings, dividend yield and price to book of one day: JSON, or open data BWIBBU_d',
  datasets: ['valuation'],
  url: 'https://www.twse.com.tw/zh/trading/historical/bwibbu-day.html',
  fetch: [
    { period: 'latest', requests: [{ url: 'https://openapi.twse.com.tw/v1/exchangeReport/BWIBBU_d' }] },
    {
      period: 'day',
      since: '2005-09-02',
      requests: [{ url: 'https://www.twse.com.tw/rwd/zh/afterTrading/BWIBBU_d?date={YYYYMMDD}&selectType=ALL&response=json' }],
    },
  ],
  daily: 'TWSE',
  parse: parseBy({
    json: (value, requestedDay) =>
      isOpenData(value) ? readOpenTable(value, requestedDay, OPEN_DATA) : readDayTable(value, requestedDay, BWIBBU),
  }),
}

export default feed
