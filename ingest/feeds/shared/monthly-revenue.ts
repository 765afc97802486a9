import type { Row } from '../../../catalog/index.ts'
import { addDays } from '../../../src/core/index.ts'
import { bodyRefused, decimalCell, integerCell, tickerCell, tidyText } from '../../formats/index.ts'
import { industryOf } from './industries.ts'

export interface RevenueTable {
  readonly market: 'TWSE' | 'TPEX'
  readonly month: string
  /** Publication date, `YYYY-MM-DD`. */
  readonly made: string
}

const AMOUNTS = {
  revenue: '當月營收',
  last_month_revenue: '上月營收',
  last_year_revenue: '去年當月營收',
  cumulative_revenue: '當月累計營收',
  last_year_cumulative_revenue: '去年累計營收',
} as const

const GROWTH = {
  printed_mom_pct: '上月比較增減(%)',
  printed_yoy_pct: '去年同月增減(%)',
  printed_cumulative_yoy_pct: '前期比較增減(%)',
} as const

export const REVENUE = { code: '公司代號', name: '公司名稱', industry: '產業別', remark: '備註', ...AMOUNTS, ...GROWTH } as const

export const REVENUE_AMOUNTS = Object.entries(AMOUNTS)

const NOTHING_SAID = /^[-－.．]*$/

/** Returns the last day of a month such as 2026-05. */
export function monthEnd(month: string): string {
  const [year = 0, number = 0] = month.split('-').map(Number)
  return new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10)
}

/**
 * @throws Refusal wrong_day for another month, or if the table was published before the month ended
 */
export function requireMonth({ month, made }: RevenueTable, requestedDay: string | undefined): void {
  if (requestedDay !== undefined && requestedDay.slice(0, 7) !== month) {
    throw bodyRefused(
      'wrong_day',
      {
        en: `The table is for ${month}, not for the requested ${requestedDay}. Set --date to a day in ${month}.`,
        zh: `表格的月份為 ${month}，與指定的 ${requestedDay} 不符；請以 --date 指定 ${month} 的任一日。`,
      },
      { month, asked: requestedDay },
    )
  }
  if (made <= monthEnd(month)) {
    const from = addDays(monthEnd(month), 1)
    throw bodyRefused(
      'wrong_day',
      {
        en: `The table of ${month} is dated ${made}, before the end of the month. Fetch it again on or after ${from}.`,
        zh: `${month} 的表格製表於 ${made}，當月尚未結束；請於 ${from} 以後重新取得。`,
      },
      { month, made },
    )
  }
}

/**
 * Returns a row of monthly-revenue in TWD. The table is in thousands of TWD.
 *
 * @param cell function that returns a cell, or an empty text if the table lacks the column
 * @throws Refusal unreadable_ticker or unreadable_number
 */
export function revenueRow({ market, month, made }: RevenueTable, cell: (heading: string) => string): Row {
  const ticker = tickerCell(cell(REVENUE.code))
  const amount = (column: string): number | null => {
    const thousands = integerCell(cell(column), column, ticker)
    return thousands === null ? null : thousands * 1_000
  }
  const remark = cell(REVENUE.remark).trim()
  return {
    ticker,
    market,
    month,
    period_end: monthEnd(month),
    name: tidyText(cell(REVENUE.name)),
    industry: industryOf(tidyText(cell(REVENUE.industry)).replace(/\(.*$/, ''))?.name ?? null,
    ...Object.fromEntries(REVENUE_AMOUNTS.map(([column, name]) => [column, amount(name)])),
    ...Object.fromEntries(Object.entries(GROWTH).map(([column, name]) => [column, decimalCell(cell(name), name, ticker)])),
    remark: NOTHING_SAID.test(remark) ? null : remark,
    report_date: made,
  }
}
