import { bodyRefused, dayOf, type FetchRequest, type Parsed, type Records, textCell } from '../../formats/index.ts'
import { COMMON, INCOME_SCHEMAS, type Quarter, quarterEnd, requireForm, requireQuarter, statementRow } from './income.ts'

type Listed = Readonly<Record<string, unknown>>

/** Headings that describe the report. They are not lines of the statement. */
const REPORT = { made: ['出表日期', 'Date'], year: ['年度', 'Year'], season: ['季別', 'Season'] } as const

const cellOf = (row: Listed, names: readonly string[]): string => names.map(name => textCell(row, name)).find(text => text !== '') ?? ''

/** @throws Refusal if the table was published before the quarter ended */
function quarterOfRecord(row: Listed): Quarter {
  const [year, season] = [cellOf(row, REPORT.year), cellOf(row, REPORT.season)]
  if (!/^\d{2,3}$/.test(year) || !/^0?[1-4]$/.test(season)) {
    throw bodyRefused(
      'impossible_date',
      {
        en: `A record has the year "${year}" and the quarter "${season}"; expected numbers such as 115 and 2. Check the file against its source.`,
        zh: `有一筆資料的年度為「${year}」、季別為「${season}」，應為數字，例如 115 與 2；請與來源核對檔案。`,
      },
      { year, season },
    )
  }
  const quarter = { year: Number(year) + 1911, season: Number(season) }
  const text = cellOf(row, REPORT.made)
  const made = dayOf(text)
  if (made === undefined)
    throw bodyRefused(
      'impossible_date',
      {
        en: `The date of the table is "${text}", not a date. Check the file against its source.`,
        zh: `表格的出表日期為「${text}」，不是有效日期；請將檔案與來源核對。`,
      },
      { said: text },
    )
  if (quarterEnd(quarter) >= made) {
    const period = `${quarter.year}-Q${quarter.season}`
    throw bodyRefused(
      'wrong_day',
      {
        en: `The table is dated ${made}, before the end of ${period}. Check the file against its source.`,
        zh: `表格製表於 ${made}，當時 ${period} 尚未結束；請與來源核對檔案。`,
      },
      { made, period },
    )
  }
  return quarter
}

const NOTHING = 'no record names a company'

/** Reasons for an empty table that mean that no company files this form. */
export const NOTHING_FILED = new RegExp(`^(\\[\\]|${NOTHING})$`)

/**
 * Parses the income statements of one form (t187ap06), year to date, in thousands of TWD.
 *
 * @param market market of all records, which do not contain a market
 * @throws Refusal wrong_table, unknown_form, impossible_date, wrong_day, unreadable_ticker or
 * unreadable_number
 */
export function readStatements(market: string, { columns, rows }: Records, requestedDay: string | undefined): Parsed {
  if (![...Object.values(REPORT), COMMON.ticker, COMMON.eps].every(names => names.some(name => columns.has(name)))) {
    throw bodyRefused(
      'wrong_table',
      {
        en: 'This is not t187ap06, income statements of one quarter. If another feed reads this file, use that feed (see twmd ingest --help).',
        zh: '這不是 t187ap06 單季綜合損益表；若有其他資料來源可讀取此檔案，請改用該來源（見 twmd ingest --help）。',
      },
      { columns: [...columns] },
    )
  }
  const form = requireForm([...columns])
  // If no company files a form, its table has one record of empty cells.
  const filed = rows.filter(row => Object.values(row).some(cell => String(cell ?? '').trim() !== ''))
  if (filed.length === 0) return { kind: 'empty', date: requestedDay ?? null, reason: NOTHING }
  const statements = filed.map(row => {
    const quarter = quarterOfRecord(row)
    requireQuarter(quarter, requestedDay)
    return statementRow(form, market, quarter, wordings => cellOf(row, wordings))
  })
  return { kind: 'rows', rows: { 'income-statements': statements }, statedTotals: { 'income-statements': { held: filed.length } } }
}

/**
 * Requests the six tables of a market, one per form. The tables together contain the newest
 * quarter.
 *
 * @param address start of each address; the name of the form follows
 */
export function requestsOfForms(address: string): readonly [FetchRequest, ...FetchRequest[]] {
  const [first, ...others] = INCOME_SCHEMAS.map(schema => ({ url: `${address}_${schema}` }))
  return [first!, ...others]
}
