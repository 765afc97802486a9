import { bodyRefused, type DayRange, dayOf, decimalCell, requireWithin, type Table, tickerCell, wholeRows } from '../../formats/index.ts'

/** One row of a table of events. Its cells are found by heading. */
export interface EventRow {
  readonly ticker: string
  readonly name: string
  readonly day: string
  /** Text of all cells. Two rows with the same text are duplicates. */
  readonly text: string
  /** Returns a cell as received. Undefined if the table has no such heading. */
  readonly cell: (heading: string) => unknown
  /** Parses a figure. Null for a cell without a figure. @throws Refusal unreadable_number */
  readonly figure: (heading: string) => number | null
  /** Parses a price. Null also for 0.00, because the exchanges print it for a missing price. */
  readonly priceOrNone: (heading: string) => number | null
}

/** Headings of the columns for day, code and name, normalized by `heading`. */
export interface EventNames {
  readonly day: string
  readonly ticker: string
  readonly name: string
}

/** True if the table has each wanted heading exactly once. */
export const hasHeadings = (fields: readonly string[], wanted: readonly string[]): boolean =>
  wanted.every(name => fields.includes(name) && fields.indexOf(name) === fields.lastIndexOf(name))

/** Matches the exchanges' messages for an empty list of events. */
export const NO_EVENTS = /沒有符合條件|無相關資料|without rows|only placeholders/i

/** Year in the dates of placeholder rows, which the exchanges print in lists without events. */
const PLACEHOLDER_YEAR = '2099'

/** Why a list is empty although it has rows: all rows are placeholders. */
export const ONLY_PLACEHOLDERS = `only placeholders dated ${PLACEHOLDER_YEAR}`

/**
 * Returns the rows of event tables. Drops placeholders and repeated rows, and adds a note to
 * `notes` for them.
 *
 * @param range days of the file; the day of every row must be within them
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

/**
 * Parses a day that must be present.
 *
 * @throws Refusal impossible_date
 */
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
 * Parses a figure that may be followed by its unit, such as 0.46 元／股. Null if the cell is empty or
 * states that no figure applies.
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
