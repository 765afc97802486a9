import { type Feed, heading, identify, jsonRecords, type Parsed, parseBy, requireColumns, type Wanted } from '../formats/index.ts'
import {
  MOST_BYTES_OF_MANY_DAYS,
  type TradeColumns,
  tradeColumnsByName,
  tradesOfTable,
  tradesRow,
  wideTrades,
} from './shared/institutional-trades.ts'
import { dayOfRecords, isOpenData } from './shared/open-table.ts'
import { heldBy } from './shared/stated-totals.ts'

/** Headings until 2018. */
const NAMES: TradeColumns<readonly string[]> = {
  ticker: ['代號'],
  foreign: ['外資及陸資淨買股數'],
  trust: ['投信淨買股數'],
  dealer: ['自營淨買股數'],
  total: ['三大法人買賣超股數'],
}

/** Groups of columns, in order. All groups have the same headings. */
const GROUPS = ['foreign without dealers', 'foreign dealers', 'foreign', 'trust', 'dealer own', 'dealer hedging', 'dealer'] as const
const GROUP_COLUMNS = ['買進股數', '賣出股數', '買賣超股數'] as const
const GROUPED = ['代號', '名稱', ...GROUPS.flatMap(() => GROUP_COLUMNS), '三大法人買賣超股數合計']

const netOf = (group: (typeof GROUPS)[number]): number =>
  2 + GROUPS.indexOf(group) * GROUP_COLUMNS.length + GROUP_COLUMNS.indexOf('買賣超股數')
const GROUPED_COLUMNS: TradeColumns<number> = {
  ticker: 0,
  foreign: netOf('foreign without dealers'),
  trust: netOf('trust'),
  dealer: netOf('dealer'),
  total: GROUPED.length - 1,
}

const columnsOf = (fields: readonly string[]): TradeColumns<number> | undefined =>
  fields.length === GROUPED.length && fields.every((field, index) => field === GROUPED[index])
    ? GROUPED_COLUMNS
    : tradeColumnsByName(fields, NAMES)

const DAILY_TRADE: Wanted = { called: 'TPEx 三大法人買賣明細資訊', isTable: fields => columnsOf(fields) !== undefined }

/** Headings without spaces, because the source uses spaces inconsistently. */
const OPEN: TradeColumns<string> = {
  ticker: 'SecuritiesCompanyCode',
  foreign: heading('Foreign Investors include Mainland Area Investors (Foreign Dealers excluded)-Difference'),
  trust: 'SecuritiesInvestmentTrustCompanies-Difference',
  dealer: 'Dealers-Difference',
  total: 'TotalDifference',
}
const OPEN_DAY = 'Date'

function readOpenData(value: unknown, requestedDay: string | undefined): Parsed {
  const records = jsonRecords(value)
  const called = 'tpex_3insti_daily_trading 上櫃股票三大法人買賣明細資訊'
  requireColumns(records, [OPEN_DAY, ...Object.values(OPEN)], called)
  const day = dayOfRecords(records.rows, { day: OPEN_DAY, called }, requestedDay)
  const rows = records.rows.map(record =>
    tradesRow('TPEX', day, {
      ticker: record[OPEN.ticker],
      foreign: record[OPEN.foreign],
      trust: record[OPEN.trust],
      dealer: record[OPEN.dealer],
      total: record[OPEN.total],
    }),
  )
  return {
    kind: 'rows',
    rows: { 'institutional-positioning': rows },
    statedTotals: { 'institutional-positioning': { held: rows.length } },
  }
}

function readDay(value: unknown, requestedDay: string | undefined): Parsed {
  if (isOpenData(value)) return readOpenData(value, requestedDay)
  const { day, tables } = identify(value, requestedDay, DAILY_TRADE)
  const parts = tables.flatMap(table => {
    const places = columnsOf(table.fields)
    return places === undefined ? [] : [tradesOfTable(table, places, 'TPEX', day)]
  })
  return {
    kind: 'rows',
    rows: { 'institutional-positioning': parts.flatMap(({ rows }) => rows) },
    notes: parts.flatMap(({ notes }) => notes),
    statedTotals: { 'institutional-positioning': { held: heldBy(parts) } },
  }
}

const feed: Feed = {
  name: 'tpex-institutional',
  title: 'TPEx daily trades of institutional investors: JSON of one day, open data tpex_3insti_daily_trading, or wide CSV of many days',
  datasets: ['institutional-positioning'],
  url: 'https://www.tpex.org.tw/zh-tw/mainboard/trading/major-institutional/detail/day.html',
  fetch: [
    { period: 'latest', requests: [{ url: 'https://www.tpex.org.tw/openapi/v1/tpex_3insti_daily_trading' }] },
    {
      period: 'day',
      requests: [{ url: 'https://www.tpex.org.tw/www/zh-tw/insti/dailyTrade?type=Daily&sect=EW&date={YYYY/MM/DD}&response=json' }],
    },
  ],
  daily: 'TPEX',
  mostBytes: MOST_BYTES_OF_MANY_DAYS,
  parse: parseBy({ json: readDay, csv: (text, requestedDay) => wideTrades(text, requestedDay, 'TPEX') }),
}

export default feed
