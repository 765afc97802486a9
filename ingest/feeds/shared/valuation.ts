import type { Row } from '../../../catalog/index.ts'
import { bodyRefused, decimalCell, integerCell } from '../../formats/index.ts'
import type { Cells } from './day-table.ts'

export type RatioColumn = 'pe_ratio' | 'pb_ratio' | 'dividend_yield'
export type ReportColumn = 'dividend_per_share' | 'dividend_year' | 'fiscal_period'

/**
 * Returns the ratios of a row. A ratio is null if the report prints dashes or N/A, because the
 * exchange then computed no value.
 *
 * @throws Refusal unreadable_number or unreadable_period
 */
export function valuationRow(cells: Cells<RatioColumn> & Partial<Cells<ReportColumn>>, ticker: string): Row {
  const figure = (column: RatioColumn | ReportColumn): number | null => decimalCell(cells[column], column, ticker)
  return {
    pe_ratio: figure('pe_ratio'),
    pb_ratio: figure('pb_ratio'),
    dividend_yield: figure('dividend_yield'),
    dividend_per_share: figure('dividend_per_share'),
    dividend_year: gregorian(integerCell(cells.dividend_year, 'dividend_year', ticker)),
    fiscal_period: quarterOf(cells.fiscal_period, ticker),
  }
}

/** Converts years of the Republic of China, which are below 1000. 0 means no year. */
const gregorian = (year: number | null): number | null => (year === null || year === 0 ? null : year < 1_000 ? year + 1_911 : year)

/** Converts 111/3 to 2022-Q3. Null for an empty cell. @throws Refusal unreadable_period */
function quarterOf(cell: unknown, ticker: string): string | null {
  const text = String(cell ?? '').trim()
  if (/^-*$/.test(text)) return null
  const found = /^(\d{2,4})\s*[/Q]\s*([1-4])$/.exec(text)
  if (found === null)
    throw bodyRefused(
      'unreadable_period',
      {
        en: `${ticker}: the period is "${text}"; expected a year and quarter. Check the file against its source.`,
        zh: `${ticker}：期間為「${text}」，應為年度與季別；請與來源核對檔案。`,
      },
      { row: ticker, said: text },
    )
  return `${gregorian(Number(found[1]))}-Q${found[2]}`
}
