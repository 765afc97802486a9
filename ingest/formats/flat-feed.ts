import { type Catalog, type Column, type Dataset, type Row, storedColumns, type Value } from '../../catalog/index.ts'
import type { Total } from '../../src/releases/index.ts'
import { heading, tickerCell } from './cells.ts'
import { csvLines } from './csv.ts'
import { dayOrNull } from './days.ts'
import { bodyRefused, type Called, calledIn, type Feed, type Parsed } from './feed.ts'
import { parseBy } from './forms.ts'
import { identify, wantedTables } from './identity.ts'
import { decimalCell, figureOf, integerCell } from './number.ts'
import { statisticsTable } from './statistics.ts'
import { type Table, tablesOf, wholeRows } from './table.ts'

/** How a column is read. The dataset declares the type. */
export interface FlatColumn {
  /** Heading of the column. Several headings if they differ by form or year. */
  readonly from: string | readonly string[]
  /** Position among columns with the same heading, from 1, and number of these columns. */
  readonly place?: readonly [place: number, of: number]
  /** Heading of a second cell. Its text is appended to the first cell after a space. */
  readonly and?: string | readonly string[]
  /** True if some forms lack the column. Values are then null. */
  readonly optional?: true
  /** Converts the source's unit to the column's unit. */
  readonly times?: number
  /** Matches the value within the cell. The value is the first group, or else the whole match. */
  readonly part?: RegExp
  /** Matches cells that count as empty, in addition to empty cells and dashes. */
  readonly none?: RegExp
  /**
   * Form of the cell, if it differs from the column's type.
   * - `month`: a month, stored as its last day or as `YYYY-MM`
   * - `year`: a year of the Republic of China
   * - `quarter`: two cells with year and quarter, stored as the last day
   * - `time`: a time without leading zeros, such as 70012
   */
  readonly form?: 'month' | 'year' | 'quarter' | 'time'
  /** Maps spellings of a value to the usual one. */
  readonly synonyms?: Readonly<Record<string, string>>
  /** Maps words to values. Other words are refused. */
  readonly words?: Readonly<Record<string, Value>>
}

/** A table whose cells each become one value of a dataset. */
export interface FlatTable {
  readonly dataset: string
  readonly called: Called
  /**
   * Headings or constants of the stored columns. If the date column of the dataset is missing, the
   * file states the day outside the table.
   */
  readonly columns: Readonly<Record<string, string | readonly string[] | FlatColumn | { readonly always: Value }>>
  /** Rows to read: the cell must match `is` and must not match `not`. */
  readonly rows?: { readonly from: string | readonly string[]; readonly is?: RegExp; readonly not?: RegExp }
  /** Columns in which an empty cell repeats the value above. */
  readonly carried?: readonly string[]
  /** Turns columns into rows: each listed heading becomes one row with its label and its cell. */
  readonly unpivot?: { readonly label: string; readonly value: string; readonly headings: Readonly<Record<string, string>> }
  /**
   * Finds the row of totals, which has the sums of `columns`. With the pattern `of`, the sums
   * include only rows with matching keys.
   */
  readonly totals?: {
    readonly from: string | readonly string[]
    readonly is: RegExp
    readonly columns: readonly string[]
    readonly of?: string
  }
  /** Headings that identify a similar table, which is not read. */
  readonly lacks?: readonly string[]
  /** True if notes follow the rows of the CSV, after a blank line. */
  readonly footnotes?: true
  /** True if the source prints some rows twice. Equal rows are read once. */
  readonly repeats?: true
}

interface Publication extends Omit<Feed, 'datasets' | 'parse'> {
  /**
   * Headings of the empty table that the source sends for closed days. Set only if these headings
   * differ from the usual ones.
   */
  readonly closedDay?: readonly string[]
}

/** A feed that needs no code. */
export type FlatFeed = Publication & (FlatTable | { readonly tables: readonly FlatTable[] })

/** @throws Error if a declaration names unknown columns, or lacks a stored one */
export function flatFeed(flat: FlatFeed, catalog: Catalog): Feed {
  const { name, title, url, fetch, daily, slice, nothing, leastRows, mostBytes } = flat
  const tables = 'tables' in flat ? flat.tables : [flat]
  const covers = daily ? 'day' : fetch?.some(({ period }) => period === 'month') ? 'month' : 'all'
  const readers = tables.map(table => createReader(table, datasetOf(name, table, catalog), covers))
  const read = (body: FlatBody, requestedDay: string | undefined): Parsed => together(readers.map(one => one(body, requestedDay)))
  return {
    name,
    title,
    url,
    datasets: tables.map(({ dataset }) => dataset),
    ...(fetch && { fetch }),
    ...(daily && { daily }),
    ...(slice && { slice }),
    ...(nothing && { nothing }),
    ...(leastRows && { leastRows }),
    ...(mostBytes && { mostBytes }),
    parse: parseBy({
      csv: (text, requestedDay) => read(csvBody(text, tables), requestedDay),
      json: (value, requestedDay) =>
        isClosedDay(value, flat.closedDay)
          ? { kind: 'empty', date: requestedDay ?? null, reason: 'the table of a closed day' }
          : read(Array.isArray(value) ? recordTable(value) : (statisticsTable(value) ?? value), requestedDay),
    }),
  }
}

const isClosedDay = (value: unknown, headings: readonly string[] | undefined): boolean =>
  headings !== undefined &&
  tablesOf(value).every(({ data }) => data.length === 0) &&
  tablesOf(value).some(({ fields }) => fields.join() === headings.map(heading).join())

/** @throws Error if the declaration names unknown columns, or lacks a stored one */
function datasetOf(feed: string, { dataset: slug, columns, unpivot, totals }: FlatTable, catalog: Catalog): Dataset {
  const dataset = catalog.get(slug)
  if (dataset === undefined) throw new Error(`${feed} is a feed of the unknown dataset ${slug}`)
  const sources = [...Object.keys(columns), ...(unpivot ? [unpivot.label, unpivot.value] : [])]
  const stored = storedColumns(dataset).filter(name => dataset.columns[name]!.derived === undefined)
  const unknown = [...sources, ...(totals?.columns ?? [])].filter(name => !stored.includes(name))
  const missing = stored.filter(name => !sources.includes(name) && name !== dataset.date)
  if (unknown.length > 0) throw new Error(`${feed} has columns that ${slug} does not store: ${unknown.join(', ')}`)
  if (missing.length > 0) throw new Error(`${feed} has no source for columns of ${slug}: ${missing.join(', ')}`)
  return dataset
}

/** A file in the form of the exchanges' JSON. */
type FlatBody = unknown
type Covers = 'day' | 'month' | 'all'
type Reader = (body: FlatBody, requestedDay: string | undefined) => Parsed

function createReader(flat: FlatTable, dataset: Dataset, covers: Covers): Reader {
  const wanted = { called: flat.called, isTable: (fields: readonly string[]) => headingsThere(flat, fields) }
  const statesDay = dataset.date !== undefined && !Object.hasOwn(flat.columns, dataset.date)
  return (body, requestedDay) => {
    const identified = statesDay ? identify(body, requestedDay, wanted) : { day: undefined, tables: wantedTables(body, wanted) }
    const read = identified.tables.map(table => readTable(flat, dataset, table, identified.day))
    const rows = read.flatMap(one => one.rows)
    const held = rows.length + read.reduce((sum, { skipped }) => sum + skipped, 0)
    if (rows.length === 0) return { kind: 'empty', date: requestedDay ?? null, reason: 'a heading without rows' }
    if (!statesDay) requireDays(flat, dataset, covers, rows, requestedDay)
    return {
      kind: 'rows',
      rows: { [dataset.slug]: rows },
      notes: read.flatMap(({ notes }) => notes),
      statedTotals: { [dataset.slug]: { held, totals: read.flatMap(({ totals }) => totals) } },
    }
  }
}

/** Merges the content of all tables. Empty if every table is empty. */
function together(parts: readonly Parsed[]): Parsed {
  const full = parts.filter(part => part.kind === 'rows')
  if (full.length === 0) return parts[0]!
  return {
    kind: 'rows',
    rows: Object.assign({}, ...full.map(({ rows }) => rows)),
    notes: full.flatMap(({ notes = [] }) => notes),
    statedTotals: Object.assign({}, ...full.map(({ statedTotals }) => statedTotals)),
  }
}

type Source = FlatTable['columns'][string]

const columnOf = (source: Source): FlatColumn | undefined => {
  if (typeof source === 'string' || Array.isArray(source)) return { from: source as string | readonly string[] }
  return 'from' in source ? source : undefined
}

/** Returns the position of a column. -1 unless the heading occurs as often as expected. */
function placeOf(fields: readonly string[], from: string | readonly string[], [place, count]: readonly [number, number] = [1, 1]): number {
  const names = (typeof from === 'string' ? [from] : from).map(heading)
  const found = fields.flatMap((field, index) => (names.includes(field) ? [index] : []))
  return found.length === count ? found[place - 1]! : -1
}

/** True if the table has all required headings, and none of a similar table. */
function headingsThere({ columns, rows, unpivot, totals, lacks = [] }: FlatTable, fields: readonly string[]): boolean {
  const sources = Object.values(columns).map(columnOf)
  const needed = sources.filter(source => source !== undefined && !source.optional) as readonly FlatColumn[]
  const others = [rows?.from, totals?.from, ...needed.map(({ and }) => and)].flatMap(from => (from === undefined ? [] : [{ from }]))
  const labels = Object.keys(unpivot?.headings ?? {})
  return (
    lacks.every(name => placeOf(fields, name) === -1) &&
    [...needed, ...others].every(source => placeOf(fields, source.from, 'place' in source ? source.place : undefined) !== -1) &&
    (labels.length === 0 || labels.some(name => placeOf(fields, name) !== -1))
  )
}

interface ReadTable {
  readonly rows: readonly Row[]
  readonly skipped: number
  readonly totals: readonly Total[]
  readonly notes: readonly string[]
}

function readTable(flat: FlatTable, dataset: Dataset, table: Table, day: string | undefined): ReadTable {
  const whole = wholeRows(table)
  const lines = carriedDown(flat, table.fields, whole.rows)
  const convert = createConverter(flat, dataset, table.fields, day)
  const { from, is, not } = flat.rows ?? { from: undefined }
  const place = from === undefined ? -1 : placeOf(table.fields, from)
  const isRow = (cells: readonly unknown[]): boolean => {
    const text = heading(cells[place])
    return place === -1 || ((is?.test(text) ?? true) && !(not?.test(text) ?? false))
  }
  const spread = spreader(flat, table.fields)
  const all = lines.filter(isRow).flatMap(cells => spread(cells).map(labelled => convert(cells, labelled)))
  const rows = flat.repeats ? [...new Map(all.map(row => [JSON.stringify(row), row])).values()] : all
  const repeated = rows.length === all.length ? [] : [`${all.length - rows.length} rows repeat others and were skipped`]
  return {
    rows,
    skipped: table.data.length - whole.rows.length,
    totals: totalsOf(flat, table),
    notes: [...whole.notes, ...repeated],
  }
}

/** Fills empty cells with the value above. */
function carriedDown({ carried = [] }: FlatTable, fields: readonly string[], lines: Table['data']): Table['data'] {
  const places = carried.map(name => placeOf(fields, name))
  let before: readonly unknown[] = []
  return lines.map(line => {
    const full = line.map((cell, place) => (places.includes(place) && String(cell).trim() === '' ? before[place] : cell))
    before = full
    return full
  })
}

type Labelled = Readonly<Record<string, unknown>>

/**
 * With `unpivot`, a line becomes one row per listed heading. A heading without a value gets no
 * row.
 */
function spreader({ unpivot }: FlatTable, fields: readonly string[]): (cells: readonly unknown[]) => readonly Labelled[] {
  if (unpivot === undefined) return () => [{}]
  const labels = Object.entries(unpivot.headings).flatMap(([name, label]) => {
    const place = placeOf(fields, name)
    return place === -1 ? [] : [[place, label] as const]
  })
  return cells =>
    labels.flatMap(([place, label]) => (figureOf(cells[place]) === null ? [] : [{ [unpivot.label]: label, [unpivot.value]: cells[place] }]))
}

function createConverter(flat: FlatTable, dataset: Dataset, fields: readonly string[], day: string | undefined) {
  const sources = Object.entries(flat.columns).map(([name, source]) => {
    const column = columnOf(source)
    const always = column === undefined ? (source as { readonly always: Value }).always : undefined
    const place = column === undefined ? -1 : placeOf(fields, column.from, column.place)
    return { name, column, always, place, second: column?.and === undefined ? -1 : placeOf(fields, column.and) }
  })
  const keys = sources.filter(({ name, place }) => dataset.grain.includes(name) && place !== -1).map(({ place }) => place)
  return (cells: readonly unknown[], labelled: Labelled): Row => {
    const row = keys.map(place => String(cells[place]).trim()).join(' ')
    const values = sources.map(({ name, column, always, place, second }) => {
      if (column === undefined) return [name, always] as const
      const first = place === -1 ? null : cells[place]
      const cell = second === -1 ? first : `${String(first ?? '')} ${String(cells[second] ?? '')}`
      return [name, cellValue(cell, { name, row, column: dataset.columns[name]!, source: column })] as const
    })
    const spread = Object.entries(labelled).map(([name, cell]) => {
      const at = { name, row, column: dataset.columns[name]!, source: { from: name } }
      return [name, cellValue(cell, at)] as const
    })
    const dated = day === undefined ? [] : [[dataset.date!, day] as const]
    return Object.fromEntries([...dated, ...values, ...spread])
  }
}

interface Place {
  readonly name: string
  readonly row: string
  readonly column: Column
  readonly source: FlatColumn
}

/**
 * @throws Refusal unreadable_number, impossible_date, unreadable_ticker, unknown_word; absent_value
 * if a required value is missing
 */
function cellValue(cell: unknown, place: Place): Value {
  const { name, row, column, source } = place
  const text = String(cell ?? '').trim()
  const found = source.part === undefined ? text : (([whole, group]) => group ?? whole ?? '')(source.part.exec(text) ?? [])
  const value = source.none?.test(text) ? null : typedValue(found, place)
  if (value !== null || column.nullable) return value
  throw bodyRefused(
    'absent_value',
    {
      en: `${row}: ${name} is "${text}", but must have a value. Check the file against its source.`,
      zh: `${row}：${name} 為「${text}」，應有數值；請與來源核對檔案。`,
    },
    { row, column: name, said: text },
  )
}

function typedValue(text: string, { name, row, column, source }: Place): Value {
  if (source.words !== undefined) return wordOf(text, source.words, name, row)
  if (source.form === 'month') return monthOf(text, column.type === 'date', name)
  if (source.form === 'quarter') return quarterEndOf(text, name)
  if (source.form === 'time') return timeOf(text, name, row)
  if (column.type === 'date') return dayOrNull(text, name)
  if (column.type === 'number' || column.type === 'integer') {
    const figure = column.unit === 'percent' ? text.replace(/%$/, '') : text
    if (source.form === 'year') return gregorian(integerCell(figure, name, row))
    if (column.type === 'integer' && source.times === undefined) return integerCell(figure, name, row)
    const value = decimalCell(figure, name, row)
    return value === null || source.times === undefined ? value : Number((value * source.times).toPrecision(15))
  }
  if (name === 'ticker') return tickerCell(text)
  const plain = text.replace(/<br\s*\/?>/gi, '、')
  return /^-*$/.test(plain) ? null : (source.synonyms?.[plain] ?? plain)
}

/** Converts years of the Republic of China, which are below 1000. */
const gregorian = (year: number | null): number | null => (year !== null && year < 1_000 ? year + 1_911 : year)

/**
 * Parses 1987M05, 198705 or 1987-05. Returns the last day or `YYYY-MM`.
 *
 * @throws Refusal impossible_date
 */
function monthOf(text: string, lastDay: boolean, name: string): string | null {
  const month = text.replace(/^(\d{4})[M/-]?(\d{2})$/, '$1-$2')
  const first = dayOrNull(`${month}-01`, name)
  return first && (lastDay ? monthEndOf(first) : month)
}

const monthEndOf = (day: string): string =>
  new Date(Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)), 0)).toISOString().slice(0, 10)

/**
 * Returns the last day of a quarter such as "115 2".
 *
 * @throws Refusal impossible_date
 */
function quarterEndOf(text: string, name: string): string | null {
  const [, year, quarter] = /^(\d{2,4}) 0?([1-4])$/.exec(text) ?? []
  const month = dayOrNull(quarter === undefined ? text : `${year}-${Number(quarter) * 3}-01`, name)
  return month && monthEndOf(month)
}

/**
 * Parses 70012, 070012 or 07:00:12.
 *
 * @throws Refusal impossible_time
 */
function timeOf(text: string, name: string, row: string): string | null {
  if (text === '') return null
  const time = text
    .replaceAll(':', '')
    .padStart(6, '0')
    .replace(/^(..)(..)(..)$/, '$1:$2:$3')
  if (/^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/.test(time)) return time
  throw bodyRefused(
    'impossible_time',
    {
      en: `${row}: ${name} is "${text}", not a time of day. Check the file against its source.`,
      zh: `${row}：${name} 為「${text}」，並非時間；請與來源核對檔案。`,
    },
    { row, column: name, said: text },
  )
}

function wordOf(text: string, words: Readonly<Record<string, Value>>, name: string, row: string): Value {
  const found = Object.entries(words).find(([word]) => heading(word) === heading(text))
  if (found !== undefined) return found[1]
  throw bodyRefused(
    'unknown_word',
    {
      en: `${row}: ${name} is "${text}", which the feed does not know. If the source added a value, the feed must be updated.`,
      zh: `${row}：${name} 為「${text}」，匯入程式不認得此值；若來源新增了類別，須更新匯入程式。`,
    },
    { row, column: name, said: text },
  )
}

/** Returns the sums in the row of totals, in the units of the columns. */
function totalsOf({ totals, columns }: FlatTable, { fields, data, summary }: Table): readonly Total[] {
  if (totals === undefined) return []
  const place = placeOf(fields, totals.from)
  const line = [...data, ...(summary ?? [])].find(cells => totals.is.test(heading(cells[place])))
  return totals.columns.flatMap(name => {
    const source = columnOf(columns[name]!)
    const stated = source === undefined ? null : figureOf(line?.[placeOf(fields, source.from, source.place)])
    return typeof stated === 'number' ? [{ column: name, of: totals.of ?? null, stated: stated * (source?.times ?? 1) }] : []
  })
}

/**
 * Checks the dates in the rows. In a daily table, every row must have the requested day. In a
 * monthly table, the newest day must be in the requested month, and not after the requested day.
 *
 * @throws Refusal wrong_day
 */
function requireDays(
  { called }: FlatTable,
  { date }: Dataset,
  covers: Covers,
  rows: readonly Row[],
  requestedDay: string | undefined,
): void {
  if (date === undefined || requestedDay === undefined || covers === 'all') return
  const days = [...new Set(rows.map(row => String(row[date])))].sort()
  const newest = days.at(-1)!
  const inMonth = newest <= requestedDay && newest.slice(0, 7) === requestedDay.slice(0, 7)
  const isRequested = covers === 'day' ? days.join() === requestedDay : inMonth
  if (isRequested) return
  const name = calledIn(called)
  throw bodyRefused(
    'wrong_day',
    {
      en: `Newest date in ${name.en}: ${newest}; requested: ${requestedDay}. Fetch the requested day again.`,
      zh: `「${name.zh}」最新的日期為 ${newest}，指定的日期為 ${requestedDay}；請重新取得指定日期的資料。`,
    },
    { stated: newest, asked: requestedDay },
  )
}

function recordTable(list: readonly unknown[]): Table | undefined {
  const records = list.filter(one => typeof one === 'object' && one !== null && !Array.isArray(one)) as Readonly<Record<string, unknown>>[]
  if (records.length < list.length) return undefined
  const names = [...new Set(records.flatMap(record => Object.keys(record)))]
  return {
    title: '',
    fields: names.map(heading),
    data: records.map(record => names.map(name => record[name])),
    stated: undefined,
  }
}

/** First cells of the lines in TPEx bond files. */
const [DATE_LINE, HEADER_LINE, ROW_LINE] = ['DATADATE', 'HEADER', 'BODY'] as const

/**
 * Converts CSV to the form of the exchanges' JSON.
 *
 * @throws Refusal damaged_body if the last line is incomplete, or if a line has another number of
 * cells
 */
function csvBody(text: string, tables: readonly FlatTable[]): FlatBody {
  const notes = tables[0]!.footnotes ? text.search(/\n\s*\n/) : -1
  const lines = csvLines(notes === -1 || !/[\r\n]$/.test(text) ? text : text.slice(0, notes + 1))
  const linesOf = (kind: string) => lines.flatMap(([first, ...cells]) => (first === kind ? [cells] : []))
  const [header] = linesOf(HEADER_LINE)
  if (header !== undefined) {
    const data = linesOf(ROW_LINE).map(line => withoutExtraCell(line, header.length))
    return { title: linesOf(DATE_LINE).flat().join(' '), fields: header, data }
  }
  return plainTable(lines, tables[0]!)
}

/** Number of cells before the prices in a TPEx bond file. */
const KEY_CELLS = 3

/**
 * Removes an extra empty cell before the average price. The TPEx bond file of 2026-09-30 contains
 * this cell in the line of a bond without trades.
 */
function withoutExtraCell(line: readonly string[], length: number): readonly string[] {
  const firstEmpty = line.indexOf('', KEY_CELLS)
  return line.length === length + 1 && firstEmpty !== -1 ? line.toSpliced(firstEmpty, 1) : line
}

/** Number of lines in which to search for the headings. Some files start with a title. */
const HEADER_LINES = 5

/**
 * Converts the lines of a CSV file to a table. A line may end with a comma.
 *
 * @throws Refusal damaged_body if a line has another number of cells
 */
function plainTable(lines: readonly (readonly string[])[], flat: FlatTable): Pick<Table, 'fields' | 'data'> {
  const head = lines.slice(0, HEADER_LINES).findIndex(line => headingsThere(flat, line.map(heading)))
  const fields = (lines[Math.max(head, 0)] ?? []).map(heading)
  if (fields.at(-1) === '') fields.pop()
  const isRow = (line: readonly string[]): boolean =>
    line.length === fields.length || (line.length === fields.length + 1 && line.at(-1) === '')
  const rest = head === -1 ? [] : lines.slice(head + 1)
  const odd = rest.findIndex(line => !isRow(line))
  if (odd !== -1) {
    throw bodyRefused('damaged_body', {
      en: `Row ${odd + 1} has ${rest[odd]?.length} cells, but the file has ${fields.length} columns. Fetch the file again.`,
      zh: `第 ${odd + 1} 列有 ${rest[odd]?.length} 欄，標題則有 ${fields.length} 欄；請重新取得檔案。`,
    })
  }
  return { fields, data: rest.map(line => line.slice(0, fields.length)) }
}
