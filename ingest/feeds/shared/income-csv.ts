import type { Row } from '../../../catalog/index.ts'
import { bodyRefused, csvRecords, decimalCell, type Parsed, requireColumns, textCell, tickerCell, tidyText } from '../../formats/index.ts'
import { INCOME_SCHEMAS, type Quarter, quarterColumns, requireQuarter } from './income.ts'

const LINES = ['revenue_k', 'gross_profit_k', 'operating_income_k', 'net_income_k', 'net_income_parent_k', 'eps']

function quarterNamed(cell: string): Quarter {
  const [, year, season] = /^(\d{4})-?Q([1-4])$/.exec(cell) ?? []
  if (year === undefined) {
    throw bodyRefused(
      'impossible_date',
      {
        en: `fiscal_period is "${cell}"; expected a year and quarter such as 2023-Q1.`,
        zh: `fiscal_period 為「${cell}」，應為年度與季別，例如 2023-Q1。`,
      },
      { said: cell },
    )
  }
  return { year: Number(year), season: Number(season) }
}

function oneOf(cell: string, accepted: readonly string[], column: string, ticker: string): string {
  if (accepted.includes(cell)) return cell
  throw bodyRefused(
    'unknown_form',
    {
      en: `${ticker}: ${column} is "${cell}"; expected one of ${accepted.join(', ')}.`,
      zh: `${ticker}：${column} 為「${cell}」；應為 ${accepted.join('、')} 之一。`,
    },
    { column, said: cell },
  )
}

function statementRow(row: Readonly<Record<string, unknown>>, requestedDay: string | undefined): Row {
  const ticker = tickerCell(row['ticker'])
  const quarter = quarterNamed(textCell(row, 'fiscal_period'))
  requireQuarter(quarter, requestedDay)
  const amountOf = (column: string): number | null => decimalCell(row[column], column, ticker)
  return {
    ticker,
    market: oneOf(textCell(row, 'market'), ['TWSE', 'TPEX'], 'market', ticker),
    name: tidyText(row['name']),
    ...quarterColumns(quarter),
    industry_schema: oneOf(textCell(row, 'industry_schema'), INCOME_SCHEMAS, 'industry_schema', ticker),
    revenue: amountOf('revenue_k'),
    gross_profit: amountOf('gross_profit_k'),
    operating_income: amountOf('operating_income_k'),
    net_income: amountOf('net_income_parent_k') ?? amountOf('net_income_k'),
    eps: amountOf('eps'),
  }
}

/**
 * Parses a CSV file with one company per row, in thousands of TWD.
 *
 * @throws Refusal wrong_table if a column is missing; wrong_day for a row of another quarter
 */
export function incomeCsv(text: string, requestedDay: string | undefined): Parsed {
  const records = csvRecords(text)
  requireColumns(
    records,
    ['ticker', 'name', 'market', 'fiscal_period', 'industry_schema', ...LINES],
    'income statements as CSV with the columns of this service',
  )
  if (records.rows.length === 0) return { kind: 'empty', date: requestedDay ?? null, reason: 'a heading without rows' }
  return { kind: 'rows', rows: { 'income-statements': records.rows.map(row => statementRow(row, requestedDay)) } }
}
