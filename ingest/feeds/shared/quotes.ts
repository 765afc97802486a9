import type { Row } from '../../../catalog/index.ts'
import { decimalCell, integerCell, presentInteger, type Table, tickerCell, wholeRows } from '../../formats/index.ts'

/** Headings, as `heading` folds them, under which a market prints each figure. */
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

/** Whether a table has every heading, each once. */
export const hasQuotes = (fields: readonly string[], names: QuoteNames): boolean =>
  Object.values(names).every(name => fields.indexOf(name) !== -1 && fields.indexOf(name) === fields.lastIndexOf(name))

/**
 * Rows of daily-prices. Dashes stand where nothing was traded and become null prices; volume is then a real 0.
 *
 * @throws Refusal row_count_mismatch, row_shape, unreadable_ticker, unreadable_number or absent_number
 */
export function quotesOfTable(
  table: Table,
  names: QuoteNames,
  market: string,
  day: string,
): { readonly rows: readonly Row[]; readonly held: number; readonly notes: readonly string[] } {
  const at = (column: keyof QuoteNames): number => table.fields.indexOf(names[column])
  const { rows, notes } = wholeRows(table)
  const quote = (row: readonly unknown[]): Row => {
    const ticker = tickerCell(row[at('ticker')])
    const price = (column: keyof QuoteNames): number | null => decimalCell(row[at(column)], names[column], ticker)
    return {
      ticker,
      market,
      trade_date: day,
      name: String(row[at('name')] ?? '').trim(),
      open: price('open'),
      high: price('high'),
      low: price('low'),
      close: price('close'),
      volume: presentInteger(row[at('volume')], names.volume, ticker),
      turnover: presentInteger(row[at('turnover')], names.turnover, ticker),
      trades: integerCell(row[at('trades')], names.trades, ticker),
    }
  }
  return { rows: rows.map(quote), held: table.data.length, notes }
}
