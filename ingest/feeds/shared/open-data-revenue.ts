import { bodyRefused, dayOf, type Parsed, type Records, requireColumns, textCell } from '../../formats/index.ts'
import { REVENUE, type RevenueTable, requireMonth, revenueRow } from './monthly-revenue.ts'

const MADE = '出表日期'
const MONTH = '資料年月'

/** Prefixes of headings in open data: the name of the group. */
const GROUPED: Readonly<Record<string, string>> = {
  [REVENUE.revenue]: '營業收入-',
  [REVENUE.last_month_revenue]: '營業收入-',
  [REVENUE.last_year_revenue]: '營業收入-',
  [REVENUE.printed_mom_pct]: '營業收入-',
  [REVENUE.printed_yoy_pct]: '營業收入-',
  [REVENUE.cumulative_revenue]: '累計營業收入-',
  [REVENUE.last_year_cumulative_revenue]: '累計營業收入-',
  [REVENUE.printed_cumulative_yoy_pct]: '累計營業收入-',
}

const columnOf = (name: string): string => `${GROUPED[name] ?? ''}${name}`

/** Parses a month such as 11505: year of the Republic of China, then month. */
function monthOf(cell: string): string {
  const [, year, month] = /^(\d{2,3})\/?(0[1-9]|1[0-2])$/.exec(cell) ?? []
  if (year === undefined) {
    throw bodyRefused(
      'impossible_date',
      {
        en: `${MONTH} is "${cell}"; expected a month such as 11505. Check the file against its source.`,
        zh: `${MONTH} 為「${cell}」，應為月份，例如 11505；請與來源核對檔案。`,
      },
      { said: cell },
    )
  }
  return `${Number(year) + 1911}-${month}`
}

/**
 * Parses the monthly revenue in open data (t187ap05).
 *
 * @param market market of all records, which do not contain a market
 * @throws Refusal wrong_table, impossible_date, wrong_day, unreadable_ticker or unreadable_number
 */
export function readRevenue(market: RevenueTable['market'], records: Records, requestedDay: string | undefined): Parsed {
  requireColumns(records, [MADE, MONTH, ...Object.values(REVENUE).map(columnOf)], {
    en: 't187ap05, the monthly revenue of companies',
    zh: 't187ap05 公司每月營收',
  })
  if (records.rows.length === 0) return { kind: 'empty', date: requestedDay ?? null, reason: 'a heading without rows' }
  const rows = records.rows.map(row => {
    const text = textCell(row, MADE)
    const made = dayOf(text)
    if (made === undefined)
      throw bodyRefused(
        'impossible_date',
        {
          en: `${MADE} is "${text}", not a date. Check the file against its source.`,
          zh: `${MADE} 為「${text}」，不是有效日期；請將檔案與來源核對。`,
        },
        { said: text },
      )
    const table = { market, month: monthOf(textCell(row, MONTH)), made }
    requireMonth(table, requestedDay)
    return revenueRow(table, name => textCell(row, columnOf(name)))
  })
  return { kind: 'rows', rows: { 'monthly-revenue': rows } }
}
