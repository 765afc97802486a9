import { bodyRefused, type Feed, identify, type Parsed, parseBy, tablesOf, type Wanted } from '../formats/index.ts'
import { hasIndices, indicesOfTables, leftOutNotes } from './shared/index-values.ts'
import { isOpenData, readOpenTable } from './shared/open-table.ts'
import { hasQuotes, openQuotes, type QuoteNames, quotesOfTable } from './shared/quotes.ts'
import { heldBy, holdsWarrants, requireWholeList, twseTotals } from './shared/stated-totals.ts'

const NAMES: QuoteNames = {
  ticker: '證券代號',
  name: '證券名稱',
  open: '開盤價',
  high: '最高價',
  low: '最低價',
  close: '收盤價',
  volume: '成交股數',
  turnover: '成交金額',
  trades: '成交筆數',
}

const OPEN_DATA = openQuotes('STOCK_DAY_ALL 上市個股日成交資訊', 'TWSE', {
  ticker: 'Code',
  name: 'Name',
  open: 'OpeningPrice',
  high: 'HighestPrice',
  low: 'LowestPrice',
  close: 'ClosingPrice',
  volume: 'TradeVolume',
  turnover: 'TradeValue',
  trades: 'Transaction',
})

/** The table's position in the file changes from day to day. */
const MI_INDEX: Wanted = { called: 'MI_INDEX 每日收盤行情', isTable: fields => hasQuotes(fields, NAMES) }

function readDay(value: unknown, requestedDay: string | undefined): Parsed {
  if (isOpenData(value)) return readOpenTable(value, requestedDay, OPEN_DATA)
  const { day, tables } = identify(value, requestedDay, MI_INDEX)
  requireWholeList(value)
  const quotes = tables.map(table => quotesOfTable(table, NAMES, 'TWSE', day))
  if (quotes.every(({ rows }) => rows.length === 0)) {
    throw bodyRefused(
      'incomplete_body',
      {
        en: 'The quotes table is empty, but other tables have rows: the day is not complete yet. Fetch it again later.',
        zh: '行情表沒有資料，其他表格則有：當日資料尚未完整；請稍後再取得。',
      },
      { day },
    )
  }
  const indices = indicesOfTables(
    tablesOf(value).filter(({ fields }) => hasIndices(fields)),
    day,
  )
  return {
    kind: 'rows',
    rows: {
      'daily-prices': quotes.flatMap(({ rows }) => rows),
      'market-indices': indices.rows,
    },
    notes: [...quotes.flatMap(({ notes }) => notes), ...leftOutNotes(indices.rows.length, indices.named)],
    statedTotals: { 'daily-prices': { held: heldBy(quotes), totals: [...twseTotals(tablesOf(value), holdsWarrants(value))] } },
  }
}

const feed: Feed = {
  name: 'twse-quotes',
  title: 'TWSE MI_INDEX, closing quotes and indices of one day: JSON, or open data STOCK_DAY_ALL, quotes alone',
  datasets: ['daily-prices', 'market-indices'],
  url: 'https://www.twse.com.tw/zh/trading/historical/mi-index.html',
  fetch: [
    { period: 'latest', requests: [{ url: 'https://openapi.twse.com.tw/v1/exchangeReport/STOCK_DAY_ALL' }] },
    {
      period: 'day',
      since: '2004-02-11',
      requests: [{ url: 'https://www.twse.com.tw/rwd/zh/afterTrading/MI_INDEX?date={YYYYMMDD}&type=ALLBUT0999&response=json' }],
    },
  ],
  daily: 'TWSE',
  parse: parseBy({ json: readDay }),
}

export default feed
