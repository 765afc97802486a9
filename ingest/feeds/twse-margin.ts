import type { Total } from '../../src/releases/index.ts'
import { type Feed, figureOf, parseBy, tablesOf } from '../formats/index.ts'
import { type Cells, type DayTable, type Heading, readDayTable } from './shared/day-table.ts'
import { MARGIN_COLUMNS, type MarginColumn, marginRow, SHARES_PER_LOT } from './shared/margin.ts'
import { isOpenData, type OpenTable, readOpenTable } from './shared/open-table.ts'

/** Every heading occurs twice: first for margin purchases, then for short sales. */
const [MARGIN, SHORT] = [1, 2]
const both = (heading: string, side: number): readonly Heading[] => [[heading, side, 2]]

const MI_MARGN: DayTable<MarginColumn | 'remark'> = {
  called: 'MI_MARGN 融資融券彙總',
  dataset: 'margin-trading',
  market: 'TWSE',
  headings: {
    ticker: ['代號', '股票代號'],
    name: ['名稱', '股票名稱'],
    margin_buy: both('買進', MARGIN),
    margin_sell: both('賣出', MARGIN),
    margin_cash_repayment: ['現金償還'],
    margin_previous_balance: both('前日餘額', MARGIN),
    margin_balance: both('今日餘額', MARGIN),
    margin_limit: [...both('限額', MARGIN), ...both('次一營業日限額', MARGIN)],
    short_buy: both('買進', SHORT),
    short_sell: both('賣出', SHORT),
    short_stock_repayment: ['現券償還'],
    short_previous_balance: both('前日餘額', SHORT),
    short_balance: both('今日餘額', SHORT),
    short_limit: [...both('限額', SHORT), ...both('次一營業日限額', SHORT)],
    offset_volume: ['資券互抵', '資券相抵'],
    remark: ['註記', '備註'],
  },
  figures: marginRow,
  totals: statistics,
}

/**
 * Replaces empty cells by 0, their meaning in open data. The balances of each row confirm this
 * meaning.
 */
const withZeros = (cells: Cells<MarginColumn | 'remark'>): Cells<MarginColumn | 'remark'> => ({
  ...cells,
  ...Object.fromEntries(MARGIN_COLUMNS.filter(column => cells[column] === '').map(column => [column, '0'])),
})

const OPEN_DATA: OpenTable<MarginColumn | 'remark'> = {
  called: 'MI_MARGN 集中市場融資融券餘額',
  dataset: 'margin-trading',
  market: 'TWSE',
  day: null,
  names: {
    ticker: '股票代號',
    name: '股票名稱',
    margin_buy: '融資買進',
    margin_sell: '融資賣出',
    margin_cash_repayment: '融資現金償還',
    margin_previous_balance: '融資前日餘額',
    margin_balance: '融資今日餘額',
    margin_limit: '融資限額',
    short_buy: '融券買進',
    short_sell: '融券賣出',
    short_stock_repayment: '融券現券償還',
    short_previous_balance: '融券前日餘額',
    short_balance: '融券今日餘額',
    short_limit: '融券限額',
    offset_volume: '資券互抵',
    remark: '註記',
  },
  figures: (cells, ticker) => marginRow(withZeros(cells), ticker),
}

const STATISTICS: Readonly<Record<string, readonly [margin: MarginColumn, short: MarginColumn]>> = {
  買進: ['margin_buy', 'short_buy'],
  賣出: ['margin_sell', 'short_sell'],
  '現金(券)償還': ['margin_cash_repayment', 'short_stock_repayment'],
  前日餘額: ['margin_previous_balance', 'short_previous_balance'],
  今日餘額: ['margin_balance', 'short_balance'],
}

/** Returns the totals of the whole market, in lots. */
function statistics(value: unknown): readonly Total[] {
  const table = tablesOf(value).find(({ fields }) => fields[0] === '項目')
  return Object.entries(STATISTICS).flatMap(([name, columns]) =>
    (['融資', '融券'] as const).flatMap((side, index) => {
      const row = table?.data.find(([what]) => String(what).normalize('NFKC').startsWith(`${side}(交易單位)`))
      const lots = figureOf(row?.[table!.fields.indexOf(name)])
      return typeof lots === 'number' ? [{ column: columns[index]!, of: null, stated: lots * SHARES_PER_LOT }] : []
    }),
  )
}

const feed: Feed = {
  name: 'twse-margin',
  title: 'TWSE MI_MARGN, margin purchases and short sales of one day: JSON, or open data MI_MARGN without a date (with --date)',
  datasets: ['margin-trading'],
  url: 'https://www.twse.com.tw/zh/trading/margin/mi-margn.html',
  fetch: [
    { period: 'latest', undated: true, requests: [{ url: 'https://openapi.twse.com.tw/v1/exchangeReport/MI_MARGN' }] },
    {
      period: 'day',
      since: '2001-01-01',
      requests: [{ url: 'https://www.twse.com.tw/rwd/zh/marginTrading/MI_MARGN?date={YYYYMMDD}&selectType=ALL&response=json' }],
    },
  ],
  daily: 'TWSE',
  parse: parseBy({
    json: (value, requestedDay) =>
      isOpenData(value) ? readOpenTable(value, requestedDay, OPEN_DATA) : readDayTable(value, requestedDay, MI_MARGN),
  }),
}

export default feed
