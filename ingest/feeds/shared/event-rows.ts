import { bodyRefused, type DayRange, dayOf, decimalCell, requireWithin, type Table, tickerCell, wholeRows } from '../../formats/index.ts'

export interface EventRow {
  readonly ticker: string
  readonly name: string
  readonly day: string
  /** Text of all cells, to find duplicates. */
  readonly text: string
  /** Returns a cell. Undefined if the table lacks the heading. */
  readonly cell: (heading: string) => unknown
  /**
   * Returns the figure in a cell. Null if the cell has no figure.
   *
   * @throws Refusal unreadable_number
   */
  readonly figure: (heading: string) => number | null
  /** Returns a price. Null for 0.00, which the exchanges print for a missing price. */
  readonly priceOrNone: (heading: string) => number | null
}

export interface EventNames {
  readonly day: string
  readonly ticker: string
  readonly name: string
}

/** True if the table has each wanted heading exactly once. */
export const hasHeadings = (fields: readonly string[], wanted: readonly string[]): boolean =>
  wanted.every(name => fields.includes(name) && fields.indexOf(name) === fields.lastIndexOf(name))

export const NO_EVENTS = /沒有符合條件|無相關資料|without rows|only placeholders/i

/** Year of the placeholder rows that the exchanges print in lists without events. */
const PLACEHOLDER_YEAR = '2099'

export const ONLY_PLACEHOLDERS = `only placeholders dated ${PLACEHOLDER_YEAR}`

/**
 * Returns the rows, without placeholders and duplicates. Adds a note for each omission.
 *
 * @param range first and last permitted day of a row
 * @throws Refusal row_outside_range, impossible_date, row_count_mismatch, row_shape or
 * unreadable_ticker
 */
export function eventRows(
  tables: readonly Table[],
  names: EventNames,
  range: DayRange,
): { readonly rows: readonly EventRow[]; readonly notes: readonly string[] } {
  const read = tables.map(table => ({ table, ...wholeRows(table) }))
  const all = read.flatMap(({ table: { fields }, rows }) => rows.map(row => eventRow(fields, row, names)))
  const real = all.filter(({ day }) => !day.startsWith(PLACEHOLDER_YEAR))
  const rows = [...new Map(real.map(row => [row.text, row])).values()]
  for (const { day, ticker } of rows) requireWithin(day, range, ticker)
  const placeholders = all.filter(row => !real.includes(row)).map(({ ticker }) => ticker)
  const note = `${placeholders.length} placeholders dated ${PLACEHOLDER_YEAR} were skipped: ${placeholders.join(', ')}`
  const twice = `${real.length - rows.length} duplicate rows were skipped`
  const notes = [...(placeholders.length > 0 ? [note] : []), ...(rows.length < real.length ? [twice] : [])]
  return { rows, notes: [...read.flatMap(({ notes }) => notes), ...notes] }
}

function eventRow(fields: readonly string[], row: readonly unknown[], names: EventNames): EventRow {
  const cell = (heading: string): unknown => row[fields.indexOf(heading)]
  const ticker = tickerCell(cell(names.ticker))
  const figure = (heading: string): number | null => decimalCell(cell(heading), heading, ticker)
  return {
    ticker,
    name: String(cell(names.name) ?? '').trim(),
    day: presentDay(cell(names.day), names.day, ticker),
    text: JSON.stringify(row),
    cell,
    figure,
    priceOrNone: heading => figure(heading) || null,
  }
}

/** @throws Refusal impossible_date if the day is missing or invalid */
export function presentDay(cell: unknown, column: string, row: string): string {
  const day = dayOf(cell)
  if (day !== undefined) return day
  throw bodyRefused(
    'impossible_date',
    {
      en: `${row}: ${column} is "${String(cell)}", not a date. Check the file against its source.`,
      zh: `${row}：${column} 為「${String(cell)}」，不是有效日期；請將檔案與來源核對。`,
    },
    { row, column, said: String(cell) },
  )
}

/**
 * Parses a figure with an optional unit, such as 0.46 元／股. Null if the figure is missing.
 *
 * @throws Refusal unreadable_number
 */
export function amountCell(cell: unknown, column: string, row: string): number | null {
  const text = String(cell ?? '')
    .normalize('NFKC')
    .replaceAll('\u00a0', ' ')
    .replace(/\s*(元\/股|元|股)\s*$/, '')
  return decimalCell(text, column, row)
}
