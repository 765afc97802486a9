import { type Feed, identifyRange, type Parsed, parseBy, type Wanted } from '../formats/index.ts'
import { eventRows, hasHeadings, NO_EVENTS } from './shared/event-rows.ts'
import { type ExRightsNames, exRightsRow } from './shared/ex-rights.ts'

const NAMES: ExRightsNames = {
  day: '資料日期',
  ticker: '股票代號',
  name: '股票名稱',
  kind: '權/息',
  closeBefore: '除權息前收盤價',
  reference: '除權息參考價',
  value: '權值+息值',
  limitUp: '漲停價格',
  limitDown: '跌停價格',
  opening: '開盤競價基準',
  lessDividend: '減除股利參考價',
}
const TWT49U: Wanted = { called: 'TWT49U 除權除息計算結果表', isTable: fields => hasHeadings(fields, Object.values(NAMES)) }

function readRange(value: unknown, requestedDay: string | undefined): Parsed {
  const { range, tables } = identifyRange(value, requestedDay, TWT49U)
  const { rows, notes } = eventRows(tables, NAMES, range)
  return { kind: 'rows', rows: { 'ex-rights': rows.map(row => exRightsRow(row, NAMES, 'TWSE')) }, notes }
}

const feed: Feed = {
  name: 'twse-ex-rights',
  title: 'TWSE TWT49U, ex-rights and ex-dividend results over a range of days: JSON',
  datasets: ['ex-rights'],
  url: 'https://www.twse.com.tw/zh/announcement/ex-right/twt49u.html',
  fetch: [
    {
      period: 'month',
      since: '2003-05-05',
      requests: [{ url: 'https://www.twse.com.tw/rwd/zh/exRight/TWT49U?startDate={first:YYYYMMDD}&endDate={YYYYMMDD}&response=json' }],
    },
  ],
  nothing: NO_EVENTS,
  parse: parseBy({ json: readRange }),
}

export default feed
