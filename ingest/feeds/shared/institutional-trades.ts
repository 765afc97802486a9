import type { Row } from '../../../catalog/index.ts'
import {
  bodyRefused,
  csvRecords,
  dayOf,
  type Parsed,
  presentInteger,
  requireColumns,
  type Table,
  textCell,
  tickerCell,
  wholeRows,
} from '../../formats/index.ts'

export interface TradeColumns<Place> {
  readonly ticker: Place
  readonly foreign: Place
  readonly trust: Place
  readonly dealer: Place
  readonly total: Place
}

/** Returns the position of each column. Undefined unless each column occurs exactly once. */
export function tradeColumnsByName(fields: readonly string[], names: TradeColumns<readonly string[]>): TradeColumns<number> | undefined {
  const placeOf = (accepted: readonly string[]): number => {
    const found = fields.flatMap((field, index) => (accepted.includes(field) ? [index] : []))
    return found.length === 1 ? (found[0] ?? -1) : -1
  }
  const columns = {
    ticker: placeOf(names.ticker),
    foreign: placeOf(names.foreign),
    trust: placeOf(names.trust),
    dealer: placeOf(names.dealer),
    total: placeOf(names.total),
  }
  return Object.values(columns).includes(-1) ? undefined : columns
}

/** Uses the printed total. Publication compares the total with the sum of the groups. */
export function tradesRow(market: string, day: string, cells: TradeColumns<unknown>): Row {
  const ticker = tickerCell(cells.ticker)
  return {
    ticker,
    market,
    trade_date: day,
    foreign_net_buy: presentInteger(cells.foreign, 'foreign', ticker),
    investment_trust_net_buy: presentInteger(cells.trust, 'investment trust', ticker),
    dealer_net_buy: presentInteger(cells.dealer, 'dealer', ticker),
    institutional_net_buy_total: presentInteger(cells.total, 'total', ticker),
  }
}

/**
 * Returns the rows, and their number in the table.
 *
 * @throws Refusal row_count_mismatch, row_shape, unreadable_ticker, unreadable_number or
 * absent_number
 */
export function tradesOfTable(
  table: Table,
  places: TradeColumns<number>,
  market: string,
  day: string,
): { readonly rows: readonly Row[]; readonly held: number; readonly notes: readonly string[] } {
  const { rows, notes } = wholeRows(table)
  const cells = (row: readonly unknown[]): TradeColumns<unknown> => ({
    ticker: row[places.ticker],
    foreign: row[places.foreign],
    trust: row[places.trust],
    dealer: row[places.dealer],
    total: row[places.total],
  })
  return { rows: rows.map(row => tradesRow(market, day, cells(row))), held: table.data.length, notes }
}

/** Columns of net purchases in a `t86` archive, which has one row per day and security. */
const WIDE: TradeColumns<string> = {
  ticker: 'stock_no',
  foreign: 'foreign_net',
  trust: 'investment_trust_net',
  dealer: 'dealer_total_net',
  total: 'overall_net',
}

function dayOfRow(cell: string, requestedDay: string | undefined): string {
  const day = dayOf(cell)
  if (day === undefined) {
    throw bodyRefused(
      'impossible_date',
      {
        en: `The date column contains "${cell}", not a date. Check the file against its source.`,
        zh: `日期欄位為「${cell}」，不是有效日期；請將檔案與來源核對。`,
      },
      { said: cell },
    )
  }
  if (requestedDay !== undefined && day !== requestedDay) {
    throw bodyRefused(
      'wrong_day',
      {
        en: `The file has rows of ${day}, not of the requested ${requestedDay}. Omit --date: each row has its own date.`,
        zh: `檔案的資料日期為 ${day}，與指定的 ${requestedDay} 不符；各列已有日期，請勿使用 --date。`,
      },
      { day, asked: requestedDay },
    )
  }
  return day
}

/** Maximum size in bytes. About three years of one market fit. */
export const MOST_BYTES_OF_MANY_DAYS = 128 * 2 ** 20

/**
 * Parses many days of one market from a `t86` archive.
 *
 * @throws Refusal wrong_table for a missing column or another market; wrong_day for another day
 * than the requested one
 */
export function wideTrades(text: string, requestedDay: string | undefined, market: string): Parsed {
  const records = csvRecords(text)
  requireColumns(records, ['date', 'market', ...Object.values(WIDE)], {
    en: 'the wide table of institutional trades',
    zh: '三大法人買賣超寬格式檔案',
  })
  if (records.rows.length === 0) return { kind: 'empty', date: requestedDay ?? null, reason: 'a heading without rows' }
  const rows = records.rows.map(row => {
    const stated = textCell(row, 'market').toUpperCase()
    if (stated !== market) {
      throw bodyRefused(
        'wrong_table',
        {
          en: `A row is for the market "${stated}", but this feed reads ${market}. Use the feed for that market.`,
          zh: `有資料列屬於「${stated}」市場，此資料來源則讀取 ${market}；請改用該市場的資料來源。`,
        },
        { stated, market },
      )
    }
    const day = dayOfRow(textCell(row, 'date'), requestedDay)
    return tradesRow(market, day, {
      ticker: row[WIDE.ticker],
      foreign: row[WIDE.foreign],
      trust: row[WIDE.trust],
      dealer: row[WIDE.dealer],
      total: row[WIDE.total],
    })
  })
  return { kind: 'rows', rows: { 'institutional-positioning': rows } }
}
