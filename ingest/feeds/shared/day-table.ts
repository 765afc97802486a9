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

/**
 * A normalized heading. A heading that occurs several times also needs its position, from 1, and
 * the number of occurrences.
 */
export type Heading = string | readonly [heading: string, place: number, of: number]

/** A column has several accepted headings if its heading changed over time. */
export type Headings<C extends string> = Readonly<Record<C, readonly Heading[]>>

export type Cells<C extends string> = Readonly<Record<C, unknown>>

/**
 * A market's table of one day. Columns are found by heading, so an inserted column has no effect.
 */
export interface DayTable<C extends string> {
  readonly called: string
  readonly dataset: string
  readonly market: 'TWSE' | 'TPEX'
  readonly headings: Headings<C | 'ticker' | 'name'>
  /** Returns the columns of a row except ticker, market, day and name. */
  readonly figures: (cells: Cells<C>, ticker: string) => Row
  /**
   * Returns the totals that the file states. `total` is the row of totals, if the table has one.
   */
  readonly totals?: (value: unknown, total: Cells<C> | undefined) => readonly Total[]
}

/**
 * Returns the position of each column. Undefined unless every heading occurs as often as expected.
 */
export function placesOf<C extends string>(fields: readonly string[], headings: Headings<C>): Readonly<Record<C, number>> | undefined {
  const placeOf = (wanted: Heading): number => {
    const [name, place, count] = typeof wanted === 'string' ? [wanted, 1, 1] : wanted
    const found = fields.flatMap((field, index) => (field === name ? [index] : []))
    return found.length === count ? found[place - 1]! : -1
  }
  const places = Object.entries<readonly Heading[]>(headings).map(
    ([column, accepted]) => [column, accepted.map(placeOf).find(index => index !== -1) ?? -1] as const,
  )
  return places.some(([, index]) => index === -1) ? undefined : (Object.fromEntries(places) as Record<C, number>)
}

export const rowOf = (market: string, day: string, cells: Cells<'ticker' | 'name'>, figures: (ticker: string) => Row): Row => {
  const ticker = tickerCell(cells.ticker)
  return { ticker, market, trade_date: day, name: String(cells.name ?? '').trim(), ...figures(ticker) }
}

/**
 * @throws Refusal wrong_day, wrong_table, source_refused, partial_list, row_count_mismatch,
 * row_shape, or an error of `figures`
 */
export function readDayTable<C extends string>(value: unknown, requestedDay: string | undefined, wanted: DayTable<C>): Parsed {
  const { called, dataset, market, headings, figures } = wanted
  const { day, tables } = identify(value, requestedDay, { called, isTable: fields => placesOf(fields, headings) !== undefined })
  requireWholeList(value)
  const parts = tables.map(table => {
    const places = Object.entries<number>(placesOf(table.fields, headings)!)
    const { rows, notes } = wholeRows(table)
    const cells = rows.map(row => Object.fromEntries(places.map(([column, index]) => [column, row[index]])) as Cells<C | 'ticker' | 'name'>)
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

/** True for the row of totals at the end of some tables. No other row lacks a code. */
const isTotal = ({ ticker, name }: Cells<'ticker' | 'name'>): boolean => String(ticker).trim() === '' && String(name).includes('合計')

/**
 * Converts an HTML table to title, headings and rows.
 *
 * @throws Refusal not_the_publication if the heading `first` is missing, row_shape for an
 * incomplete row, damaged_body for an incomplete page
 */
export function tableOfPage(page: string, first: string): Readonly<Record<string, unknown>> {
  const opens = (row: readonly string[]): boolean => heading(row[0]) === first
  // The pages do not close font tags. A parser would put the rest of the page into these tags.
  const table = htmlTables(page.replace(/<\/?font\b[^>]*>/gi, '')).find(rows => rows.some(opens))
  if (table === undefined) throw notThePublication(page)
  const head = table.findIndex(opens)
  const [fields, rows]: readonly [readonly string[], HtmlRows] = [table[head]!, table.slice(head + 1)]
  for (const row of rows) requireCells(row, fields)
  return { stat: 'ok', title: table.slice(0, head).flat().join(' '), fields, data: rows }
}
