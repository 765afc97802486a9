import type { Row } from '../../../catalog/index.ts'
import { presentInteger, type Table, tickerCell, wholeRows } from '../../formats/index.ts'

/** Where a table of the three institutions holds what; one name or position per leg and the printed total. */
export interface Legs<Place> {
  readonly ticker: Place
  readonly foreign: Place
  readonly trust: Place
  readonly dealer: Place
  readonly total: Place
}

/** Positions of named columns, undefined unless each of them is there exactly once. */
export function legsByName(fields: readonly string[], names: Legs<readonly string[]>): Legs<number> | undefined {
  const at = (accepted: readonly string[]): number => {
    const found = fields.flatMap((field, index) => (accepted.includes(field) ? [index] : []))
    return found.length === 1 ? (found[0] ?? -1) : -1
  }
  const legs = {
    ticker: at(names.ticker),
    foreign: at(names.foreign),
    trust: at(names.trust),
    dealer: at(names.dealer),
    total: at(names.total),
  }
  return Object.values(legs).includes(-1) ? undefined : legs
}

/** One row of institutional-positioning. The total is the printed one, so that publication can check it against the legs. */
export function legsRow(market: string, day: string, cells: Legs<unknown>): Row {
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
 * Every row of one day's table, and how many the table holds.
 *
 * @throws Refusal row_count_mismatch, row_shape, unreadable_ticker, unreadable_number or absent_number
 */
export function legsOfTable(
  table: Table,
  at: Legs<number>,
  market: string,
  day: string,
): { readonly rows: readonly Row[]; readonly held: number; readonly notes: readonly string[] } {
  const { rows, notes } = wholeRows(table)
  const cells = (row: readonly unknown[]): Legs<unknown> => ({
    ticker: row[at.ticker],
    foreign: row[at.foreign],
    trust: row[at.trust],
    dealer: row[at.dealer],
    total: row[at.total],
  })
  return { rows: rows.map(row => legsRow(market, day, cells(row))), held: table.data.length, notes }
}
