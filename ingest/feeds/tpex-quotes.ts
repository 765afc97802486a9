import { type Feed, identify, type Parsed, parseBy, type Wanted } from '../formats/index.ts'
import { isOpenData, readOpenTable } from './shared/open-table.ts'
import { hasQuotes, openQuotes, type QuoteNames, quotesOfTable } from './shared/quotes.ts'
import { heldBy, tpexTotals } from './shared/stated-totals.ts'

const NAMES: QuoteNames = {
  ticker: '代號',
  name: '名稱',
  open: '開盤',
  high: '最高',
  low: '最低',
  close: '收盤',
  volume: '成交股數',
  turnover: '成交金額(元)',
  trades: '成交筆數',
}

const OPEN_DATA = openQuotes('tpex_mainboard_daily_close_quotes 上櫃股票行情', 'TPEX', {
  ticker: 'SecuritiesCompanyCode',
  name: 'CompanyName',
  open: 'Open',
  high: 'High',
  low: 'Low',
  close: 'Close',
  volume: 'TradingShares',
  turnover: 'TransactionAmount',
  trades: 'TransactionNumber',
})

/** Two tables of the file match: 上櫃股票行情 for stocks, and 管理股票 for managed stocks. */
const DAILY_QUOTES: Wanted = { called: 'TPEx 上櫃股票行情', isTable: fields => hasQuotes(fields, NAMES) }

function readDay(value: unknown, requestedDay: string | undefined): Parsed {
  if (isOpenData(value)) return readOpenTable(value, requestedDay, OPEN_DATA)
  const { day, tables } = identify(value, requestedDay, DAILY_QUOTES)
  const quotes = tables.map(table => quotesOfTable(table, NAMES, 'TPEX', day))
  return {
    kind: 'rows',
    rows: { 'daily-prices': quotes.flatMap(({ rows }) => rows) },
    notes: quotes.flatMap(({ notes }) => notes),
    statedTotals: { 'daily-prices': { held: heldBy(quotes), totals: [...tpexTotals(value)] } },
  }
}

const feed: Feed = {
  name: 'tpex-quotes',
  title: 'TPEx closing quotes of one day: JSON, or open data tpex_mainboard_daily_close_quotes',
  datasets: ['daily-prices'],
  url: 'https://www.tpex.org.tw/zh-tw/mainboard/trading/info/mi-pricing.html',
  fetch: [
    { period: 'latest', requests: [{ url: 'https://www.tpex.org.tw/openapi/v1/tpex_mainboard_daily_close_quotes' }] },
    {
      period: 'day',
      requests: [{ url: 'https://www.tpex.org.tw/www/zh-tw/afterTrading/dailyQuotes?date={YYYY/MM/DD}&id=&response=json' }],
    },
  ],
  daily: 'TPEX',
  parse: parseBy({ json: readDay }),
}

export default feed
