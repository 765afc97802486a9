import type { Row } from '../../../catalog/index.ts'
import { decimalCell, integerCell, presentInteger, type Table, wholeRows } from '../../formats/index.ts'
import { type Cells, rowOf } from './day-table.ts'
import type { OpenTable } from './open-table.ts'

export interface QuoteNames {
  readonly ticker: string
  readonly name: string
  readonly open: string
  readonly high: string
  readonly low: string
  readonly close: string
  readonly volume: string
  readonly turnover: string
  readonly trades: string
}

/** True if the table has each heading exactly once. */
export const hasQuotes = (fields: readonly string[], names: QuoteNames): boolean =>
  Object.values(names).every(name => fields.indexOf(name) !== -1 && fields.indexOf(name) === fields.lastIndexOf(name))

/**
 * Prices printed as dashes become null. Dashes mean that there were no trades, so the volume is 0.
 *
 * @throws Refusal row_count_mismatch, row_shape, unreadable_ticker, unreadable_number or
 * absent_number
 */
export function quotesOfTable(
  table: Table,
  names: QuoteNames,
  market: string,
  day: string,
): { readonly rows: readonly Row[]; readonly held: number; readonly notes: readonly string[] } {
  const places = Object.entries(names).map(([column, name]) => [column, table.fields.indexOf(name)] as const)
  const { rows, notes } = wholeRows(table)
  const quote = (row: readonly unknown[]): Row => {
    const cells = Object.fromEntries(places.map(([column, index]) => [column, row[index]])) as Cells<keyof QuoteNames>
    return rowOf(market, day, cells, ticker => quoteFigures(cells, names, ticker))
  }
  return { rows: rows.map(quote), held: table.data.length, notes }
}

/** @throws Refusal unreadable_number or absent_number */
export function quoteFigures(cells: Cells<keyof QuoteNames>, names: QuoteNames, ticker: string): Row {
  const price = (column: keyof QuoteNames): number | null => decimalCell(cells[column], names[column], ticker)
  return {
    open: price('open'),
    high: price('high'),
    low: price('low'),
    close: price('close'),
    volume: presentInteger(cells.volume, names.volume, ticker),
    turnover: presentInteger(cells.turnover, names.turnover, ticker),
    trades: integerCell(cells.trades, names.trades, ticker),
  }
}

/** Quotes of all securities except warrants, without totals. */
export const openQuotes = (called: string, market: 'TWSE' | 'TPEX', names: QuoteNames): OpenTable<keyof QuoteNames> => ({
  called,
  dataset: 'daily-prices',
  market,
  day: 'Date',
  names,
  figures: (cells, ticker) => quoteFigures(cells, names, ticker),
})
