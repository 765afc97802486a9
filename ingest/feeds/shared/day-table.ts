import type { Row } from '../../../catalog/index.ts'
import type { Total } from '../../../src/releases/index.ts'
import {
  type HtmlRows,
  heading,
  htmlTables,
  identify,
  notThePublication,
  type Parsed,
  requireCells,
  tickerCell,
  wholeRows,
} from '../../formats/index.ts'
import { heldBy, requireWholeList } from './stated-totals.ts'

/** A column by its heading, as `heading` folds it; where several columns have the same one, which of how many. */
export type Heading = string | readonly [heading: string, place: number, of: number]

/** The headings under which a market prints each figure; several for one where they changed with time. */
export type Headings<C extends string> = Readonly<Record<C, readonly Heading[]>>

export type Cells<C extends string> = Readonly<Record<C, unknown>>

/** One day's table of a market. Every column is found by its heading, so that one the exchange inserts moves nothing. */
export interface DayTable<C extends string> {
  /** Name of the publication, for refusals. */
  readonly called: string
  readonly dataset: string
  readonly market: 'TWSE' | 'TPEX'
  readonly headings: Headings<C | 'ticker' | 'name'>
  /** What a row states besides ticker, market, day and name. */
  readonly figures: (cells: Cells<C>, ticker: string) => Row
  /** Sums that the body states. `total` are the cells of the row of the table that holds sums, where it has one. */
  readonly totals?: (value: unknown, total: Cells<C> | undefined) => readonly Total[]
}

/** Positions of the columns, undefined unless each is there, and as often as it should. */
export function placesOf<C extends string>(fields: readonly string[], headings: Headings<C>): Readonly<Record<C, number>> | undefined {
  const at = (wanted: Heading): number => {
    const [name, place, of] = typeof wanted === 'string' ? [wanted, 1, 1] : wanted
    const found = fields.flatMap((field, index) => (field === name ? [index] : []))
    return found.length === of ? found[place - 1]! : -1
  }
  const places = Object.entries<readonly Heading[]>(headings).map(
    ([column, accepted]) => [column, accepted.map(at).find(index => index !== -1) ?? -1] as const,
  )
  return places.some(([, index]) => index === -1) ? undefined : (Object.fromEntries(places) as Record<C, number>)
}

/** A security's row: who, where and when, under the short name of that day. */
export const rowOf = (market: string, day: string, cells: Cells<'ticker' | 'name'>, figures: (ticker: string) => Row): Row => {
  const ticker = tickerCell(cells.ticker)
  return { ticker, market, trade_date: day, name: String(cells.name ?? '').trim(), ...figures(ticker) }
}

/**
 * Rows of a day's table as JSON.
 *
 * @throws Refusal wrong_day, wrong_table, source_refused, partial_list, row_count_mismatch, row_shape, or what `figures` throws
 */
export function readDayTable<C extends string>(value: unknown, requestedDay: string | undefined, wanted: DayTable<C>): Parsed {
  const { called, dataset, market, headings, figures } = wanted
  const { day, tables } = identify(value, requestedDay, { called, isTable: fields => placesOf(fields, headings) !== undefined })
  requireWholeList(value)
  const parts = tables.map(table => {
    const at = Object.entries<number>(placesOf(table.fields, headings)!)
    const { rows, notes } = wholeRows(table)
    const cells = rows.map(row => Object.fromEntries(at.map(([column, index]) => [column, row[index]])) as Cells<C | 'ticker' | 'name'>)
    const total = cells.find(isTotal)
    const securities = total === undefined ? cells : cells.filter(row => !isTotal(row))
    return {
      rows: securities.map(row => rowOf(market, day, row, ticker => figures(row, ticker))),
      total,
      held: table.data.length - (cells.length - securities.length),
      notes,
    }
  })
  const totals = wanted.totals?.(value, parts.find(({ total }) => total !== undefined)?.total) ?? []
  return {
    kind: 'rows',
    rows: { [dataset]: parts.flatMap(({ rows }) => rows) },
    notes: parts.flatMap(({ notes }) => notes),
    statedTotals: { [dataset]: { held: heldBy(parts), totals: [...totals] } },
  }
}

/** The row of sums that closes some tables: no security has a blank code. */
const isTotal = ({ ticker, name }: Cells<'ticker' | 'name'>): boolean => String(ticker).trim() === '' && String(name).includes('合計')

/**
 * A page that shows one table as the JSON of the other tables: its title, headings and rows.
 *
 * @throws Refusal not_the_publication without a heading `first`, row_shape for a row that was cut, damaged_body for a page that was
 */
export function tableOfPage(page: string, first: string): Readonly<Record<string, unknown>> {
  const opens = (row: readonly string[]): boolean => heading(row[0]) === first
  // The pages open font tags that they never close, which a parser takes to hold everything after them.
  const table = htmlTables(page.replace(/<\/?font\b[^>]*>/gi, '')).find(rows => rows.some(opens))
  if (table === undefined) throw notThePublication(page)
  const head = table.findIndex(opens)
  const [fields, rows]: readonly [readonly string[], HtmlRows] = [table[head]!, table.slice(head + 1)]
  for (const row of rows) requireCells(row, fields)
  return { stat: 'ok', title: table.slice(0, head).flat().join(' '), fields, data: rows }
}
