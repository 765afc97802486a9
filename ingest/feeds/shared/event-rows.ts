import { bodyRefused, type DayRange, dayOf, decimalCell, requireWithin, type Table, tickerCell, wholeRows } from '../../formats/index.ts'

/** One row of a table of events, its cells by heading. */
export interface EventRow {
  readonly ticker: string
  /** Short name, padding removed. */
  readonly name: string
  readonly day: string
  /** All its cells, to tell a row that is listed twice. */
  readonly text: string
  /** A cell as it arrived; undefined under a heading the table does not have. */
  readonly cell: (heading: string) => unknown
  /** A figure that may be absent. @throws Refusal unreadable_number */
  readonly figure: (heading: string) => number | null
  /** As `figure`, where the table writes 0.00 for what there is none of. */
  readonly priceOrNone: (heading: string) => number | null
}

/** Headings, as `heading` folds them, under which a table names a security and its day. */
export interface EventNames {
  readonly day: string
  readonly ticker: string
  readonly name: string
}

/** Whether a table has every heading, each once. */
export const hasHeadings = (fields: readonly string[], wanted: readonly string[]): boolean =>
  wanted.every(name => fields.includes(name) && fields.indexOf(name) === fields.lastIndexOf(name))

/** What the exchanges say where a list of events has nothing. */
export const NO_EVENTS = /沒有符合條件|無相關資料|without rows|only placeholders/i

/** The exchanges keep examples in their lists that are dated at the end of this year, so that nobody takes them for events. */
const PLACEHOLDER_YEAR = '2099'

/** Why a body that holds nothing but placeholders is empty. */
export const ONLY_PLACEHOLDERS = `only placeholders dated ${PLACEHOLDER_YEAR}`

/**
 * The rows of tables of events, each dated within the days the body covers. Placeholders are left out, a row that is listed twice is
 * taken once, and `notes` say so.
 *
 * @throws Refusal row_outside_range, impossible_date, row_count_mismatch, row_shape or unreadable_ticker
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
  const left = all.filter(row => !real.includes(row)).map(({ ticker }) => ticker)
  const note = `${left.length} placeholders dated ${PLACEHOLDER_YEAR} were left out: ${left.join(', ')}`
  const twice = `${real.length - rows.length} rows are listed twice, cell by cell, and were taken once`
  const said = [...(left.length > 0 ? [note] : []), ...(rows.length < real.length ? [twice] : [])]
  return { rows, notes: [...read.flatMap(({ notes }) => notes), ...said] }
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
 * A day that a row always has.
 *
 * @throws Refusal impossible_date
 */
export function presentDay(cell: unknown, column: string, row: string): string {
  const day = dayOf(cell)
  if (day !== undefined) return day
  throw bodyRefused(
    'impossible_date',
    {
      en: `${row}: ${column} says "${String(cell)}", which is no day; check the file against its source.`,
      zh: `${row}：${column} 為「${String(cell)}」，並非日期；請與來源核對檔案。`,
    },
    { row, column, said: String(cell) },
  )
}

/**
 * A figure with its unit behind it, as 0.46 元／股; null where the cell is blank or says that it does not apply.
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
