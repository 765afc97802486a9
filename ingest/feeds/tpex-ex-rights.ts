import { type Feed, identifyRange, integerCell, type Parsed, parseBy, type Wanted } from '../formats/index.ts'
import { type EventRow, eventRows, hasHeadings, NO_EVENTS } from './shared/event-rows.ts'
import { type ExRightsNames, exRightsRow } from './shared/ex-rights.ts'

const NAMES: ExRightsNames = {
  day: '除權息日期',
  ticker: '代號',
  name: '名稱',
  kind: '權/息',
  closeBefore: '除權息前收盤價',
  reference: '除權息參考價',
  value: '權值+息值',
  limitUp: '漲停價',
  limitDown: '跌停價',
  opening: '開始交易基準價',
  lessDividend: '減除股利參考價',
}
const VALUES = { rights: '權值', dividend: '息值' } as const
const AMOUNTS = { cash: '現金股利', bonus: '每仟股無償配股', offer_price: '現金增資認購價', entitlement: '按持股比例仟股認購' } as const
const SHARES = {
  offering: '現金增資股數',
  public_part: '公開承銷股數',
  employee_part: '員工認購股數',
  holder_part: '原股東認購股數',
} as const

const RESULTS: Wanted = {
  called: 'TPEx 除權除息計算結果表',
  isTable: fields =>
    hasHeadings(
      fields,
      [NAMES, VALUES, AMOUNTS, SHARES].flatMap(names => Object.values(names)),
    ),
}

function readRange(value: unknown, requestedDay: string | undefined): Parsed {
  const { range, tables } = identifyRange(value, requestedDay, RESULTS)
  const { rows, notes } = eventRows(tables, NAMES, range)
  const results = rows.map(row =>
    exRightsRow(row, NAMES, 'TPEX', { rights: row.figure(VALUES.rights), dividend: row.figure(VALUES.dividend) }),
  )
  // Details are listed before results, so that both datasets are published together.
  return { kind: 'rows', rows: { 'ex-rights-details': rows.map(detailRow), 'ex-rights': results }, notes }
}

function detailRow({ ticker, day, cell, figure }: EventRow) {
  const amounts = Object.entries(AMOUNTS).map(([column, name]) => [column, figure(name)])
  const shares = Object.entries(SHARES).map(([column, name]) => [column, integerCell(cell(name), name, ticker)])
  return { ticker, market: 'TPEX', ex_date: day, ...Object.fromEntries([...amounts, ...shares]) }
}

const feed: Feed = {
  name: 'tpex-ex-rights',
  title: 'TPEx ex-rights and ex-dividend results over a range of days, with the distributions: JSON',
  datasets: ['ex-rights', 'ex-rights-details'],
  url: 'https://www.tpex.org.tw/www/zh-tw/bulletin/exDailyQ',
  fetch: [
    {
      period: 'month',
      requests: [
        { url: 'https://www.tpex.org.tw/www/zh-tw/bulletin/exDailyQ?startDate={first:YYYY/MM/DD}&endDate={YYYY/MM/DD}&response=json' },
      ],
    },
  ],
  nothing: NO_EVENTS,
  parse: parseBy({ json: readRange }),
}

export default feed
