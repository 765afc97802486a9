import { bodyRefused, type Feed, type Parsed, parseBy, type Table, tickerCell, wantedTables, wholeRows } from '../formats/index.ts'
import { amountCell, hasHeadings, NO_EVENTS } from './shared/event-rows.ts'

const TICKER = '股票代號'
const COLUMNS = {
  cash: '(每股配發現金股利)除息',
  bonus: 'A.按普通股股東持股比例每千股無償配股',
  offering: 'C.(有償)現金增資',
  offer_price: '每股認購金額',
  public_part: 'a.公開承銷',
  employee_part: 'b.員工認購',
  holder_part: 'c.原股東認購',
  entitlement: '按股東持股比例每千股認購',
} as const

const TWT49U_DETAIL = {
  called: 'TWT49UDetail 除權除息詳細資料',
  isTable: (fields: readonly string[]): boolean => hasHeadings(fields, [TICKER, ...Object.values(COLUMNS)]),
}

function readDetail(value: unknown, requestedDay: string | undefined): Parsed {
  const tables = wantedTables(value, TWT49U_DETAIL)
  if (requestedDay === undefined)
    throw bodyRefused('day_not_stated', {
      en: 'The file has no date. Set its ex-date with --date YYYY-MM-DD.',
      zh: '明細未載明日期；請以 --date YYYY-MM-DD 指定所查詢的除權息日。',
    })
  return { kind: 'rows', rows: { 'ex-rights-details': tables.flatMap(table => detailRows(table, requestedDay)) } }
}

function detailRows(table: Table, day: string) {
  return wholeRows(table).rows.map(row => {
    const ticker = tickerCell(row[table.fields.indexOf(TICKER)])
    const amounts = Object.entries(COLUMNS).map(([column, name]) => [column, amountCell(row[table.fields.indexOf(name)], name, ticker)])
    return { ticker, market: 'TWSE', ex_date: day, ...Object.fromEntries(amounts) }
  })
}

const feed: Feed = {
  name: 'twse-ex-rights-detail',
  title: 'TWSE TWT49UDetail, distributions of one security on one ex-day (with --date): JSON',
  datasets: ['ex-rights-details'],
  url: 'https://www.twse.com.tw/zh/announcement/ex-right/twt49u.html',
  nothing: NO_EVENTS,
  parse: parseBy({ json: readDetail }),
}

export default feed
