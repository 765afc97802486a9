import { exchangeTable, type Feed, identify, type Parsed, parseBy, type Wanted } from '../formats/index.ts'
import { MOST_BYTES_OF_MANY_DAYS, type TradeColumns, tradeColumnsByName, tradesOfTable, wideTrades } from './shared/institutional-trades.ts'
import { heldBy, requireWholeList } from './shared/stated-totals.ts'

/** Since 2017-12-18, foreign dealers count as dealers, not as foreign investors. */
const NAMES: TradeColumns<readonly string[]> = {
  ticker: ['證券代號'],
  foreign: ['外陸資買賣超股數(不含外資自營商)', '外資買賣超股數'],
  trust: ['投信買賣超股數'],
  dealer: ['自營商買賣超股數'],
  total: ['三大法人買賣超股數'],
}

const T86: Wanted = { called: 'T86 三大法人買賣超日報', isTable: fields => tradeColumnsByName(fields, NAMES) !== undefined }

function readDay(value: unknown, requestedDay: string | undefined): Parsed {
  const { day, tables } = identify(value, requestedDay, T86)
  requireWholeList(value)
  const parts = tables.flatMap(table => {
    const places = tradeColumnsByName(table.fields, NAMES)
    return places === undefined ? [] : [tradesOfTable(table, places, 'TWSE', day)]
  })
  return {
    kind: 'rows',
    rows: { 'institutional-positioning': parts.flatMap(({ rows }) => rows) },
    notes: parts.flatMap(({ notes }) => notes),
    statedTotals: { 'institutional-positioning': { held: heldBy(parts) } },
  }
}

const feed: Feed = {
  name: 'twse-t86',
  title: 'TWSE T86, trades of institutional investors: JSON or CSV of one day, or wide CSV of many days',
  datasets: ['institutional-positioning'],
  url: 'https://www.twse.com.tw/zh/trading/foreign/t86.html',
  fetch: [
    {
      period: 'day',
      since: '2012-05-02',
      requests: [{ url: 'https://www.twse.com.tw/rwd/zh/fund/T86?date={YYYYMMDD}&selectType=ALLBUT0999&response=json' }],
    },
  ],
  daily: 'TWSE',
  mostBytes: MOST_BYTES_OF_MANY_DAYS,
  parse: parseBy({
    json: readDay,
    csv: (text, requestedDay) =>
      /證券代號/.test(text) ? readDay(exchangeTable(text, '證券代號'), requestedDay) : wideTrades(text, requestedDay, 'TWSE'),
  }),
}

export default feed
