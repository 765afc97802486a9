import type { Row } from '../../../catalog/index.ts'
import {
  bodyRefused,
  type Called,
  calledIn,
  csvRecords,
  dayOf,
  type Fetch,
  isObject,
  jsonRecords,
  type Parsed,
  parseBy,
  type Records,
  requireColumns,
  tablesOf,
  textCell,
  tickerCell,
  tidyText,
  wantedTables,
  wholeRows,
} from '../../formats/index.ts'

export interface Flag {
  readonly symbol: string
  /**
   * Day of the announcement. Null if the list has no date; the day of the download is then used.
   */
  readonly announced: string | null
  readonly type: 'attention' | 'disposition' | 'altered_trading' | 'managed_stock' | 'suspension' | 'default_settlement'
  readonly reason: string
  /** First and last day on which the flag is in force, if the list contains them. */
  readonly from?: string | null
  readonly to?: string | null
}

/** Accepted headings of a column, in English and Chinese. */
export type Named = readonly [string, ...string[]]

export interface FlagList {
  readonly feed: string
  readonly called: Called
  readonly authority: 'TWSE' | 'TPEX'
  readonly columns: readonly Named[]
  /** @param cell function that returns a cell, or an empty text if the column is missing */
  flagsOf(cell: (column: Named) => string): readonly Flag[]
}

export const CODE: Named = ['Code', 'SecuritiesCompanyCode', '證券代號', '有價證券代號', '股票代號']
export const DATE: Named = ['Date', '日期', '公布日期', '公告日期']

export const openData = (url: string, undated = false): readonly Fetch[] => [
  { period: 'latest', requests: [{ url }], ...(undated ? { undated: true as const } : {}) },
]

/**
 * Creates the parser of a list of flags. Returns one row per security, day and kind. A list
 * without dates needs the requested day. A row has all reasons, in the order of the list.
 */
export const parseFlags = (list: FlagList) =>
  parseBy({
    json: (value, requestedDay) => read(list, recordsOf(list, value), requestedDay),
    csv: (text, requestedDay) => read(list, csvRecords(text), requestedDay),
  })

/** @throws Refusal wrong_table for an unknown format */
function recordsOf(list: FlagList, value: unknown): Records {
  if (!isObject(value) || tablesOf(value).every(({ fields }) => fields.length === 0)) return jsonRecords(value)
  const isTable = (fields: readonly string[]): boolean => list.columns.every(names => names.some(name => fields.includes(name)))
  const tables = wantedTables(value, { called: list.called, isTable })
  const rows = tables.flatMap(table =>
    wholeRows(table).rows.map(row => Object.fromEntries(table.fields.map((field, index) => [field, row[index]]))),
  )
  return { columns: new Set(tables.flatMap(({ fields }) => fields)), rows }
}

function read(list: FlagList, records: Records, requestedDay: string | undefined): Parsed {
  for (const names of list.columns) if (!names.some(name => records.columns.has(name))) requireColumns(records, [names[0]], list.called)
  const flags = records.rows.flatMap(row =>
    list.flagsOf(column => cellText(column.map(name => textCell(row, name)).find(text => text !== ''))),
  )
  // An empty list in open data is one record of empty cells.
  if (flags.length === 0) return { kind: 'empty', date: requestedDay ?? null, reason: 'a list without a flag' }
  return { kind: 'rows', rows: { 'company-risk-events': flagRows(list, flags, requestedDay) } }
}

/** Converts line breaks to 、. */
const cellText = (cell: string | undefined): string => tidyText(cell?.replaceAll(/<br\s*\/?>/gi, '、'))

/** @throws Refusal needs_day if a flag has no day and no day was requested */
export function flagRows(
  { feed, called: publication, authority }: Omit<FlagList, 'columns' | 'flagsOf'>,
  flags: readonly Flag[],
  requestedDay: string | undefined,
): readonly Row[] {
  const dated = flags.map(flag => ({ ...flag, day: flag.announced ?? requestedDay }))
  const undated = dated.find(({ day }) => day === undefined)
  if (undated) {
    const called = calledIn(publication)
    throw bodyRefused(
      'needs_day',
      {
        en: `There is no date for ${undated.symbol} in ${called.en}. Use --date to state the day on which you downloaded the list. That day is stored as the announcement date, with a mark that it is the day of download.`,
        zh: `「${called.zh}」未載明 ${undated.symbol} 的日期；請以 --date 指定取得清單的日期，該日將作為公告日並加註。`,
      },
      { symbol: undated.symbol },
    )
  }
  const together = Map.groupBy(dated, ({ symbol, day, type }) => `${symbol} ${day} ${type}`)
  return [...together.values()].map(same => {
    const { symbol, day, type, announced } = same[0]!
    return {
      symbol,
      event_date: day!,
      risk_type: type,
      description: [...new Set(same.map(({ reason }) => reason))].join('；'),
      source_role: 'official_risk_event',
      lineage: {
        authority,
        feed,
        source_release: requestedDay ?? day!,
        event_date_is: announced === null ? 'day_of_capture' : 'announcement',
        effective_from: firstOf(same, 'from'),
        effective_to: lastOf(same, 'to'),
      },
    }
  })
}

const firstOf = (flags: readonly Flag[], end: 'from'): string | null =>
  flags
    .map(flag => flag[end] ?? '')
    .filter(Boolean)
    .sort()[0] ?? null
const lastOf = (flags: readonly Flag[], end: 'to'): string | null =>
  flags
    .map(flag => flag[end] ?? '')
    .filter(Boolean)
    .sort()
    .at(-1) ?? null

/** @throws Refusal unreadable_ticker */
export const symbolOf = (cell: (column: Named) => string): string => tickerCell(cell(CODE)).toUpperCase()

/** True for a record of empty cells. In open data, this record represents an empty list. */
export const isBlank = (cell: (column: Named) => string): boolean => cell(CODE) === ''

/** @throws Refusal impossible_date */
export function announcedOn(cell: (column: Named) => string, column: Named = DATE): string {
  const text = cell(column)
  const day = dayOf(text)
  if (day !== undefined) return day
  throw bodyRefused(
    'impossible_date',
    {
      en: `The date of ${cell(CODE)} is "${text}", not a date. Check the file against its source.`,
      zh: `${cell(CODE)} 的日期為「${text}」，不是有效日期；請將檔案與來源核對。`,
    },
    { said: text },
  )
}

/** Parses a period. Both days are null unless the text has exactly two days. */
export function periodOf(text: string): { readonly from: string | null; readonly to: string | null } {
  const [first, last, ...more] = text.split(/[~～〜－—-]|至/).map(dayOf)
  return first === undefined || last === undefined || more.length > 0 ? { from: null, to: null } : { from: first, to: last }
}
