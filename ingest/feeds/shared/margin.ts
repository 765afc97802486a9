import type { Row } from '../../../catalog/index.ts'
import { decimalCell, presentInteger } from '../../formats/index.ts'
import type { Cells } from './day-table.ts'

export const MARGIN_COLUMNS = [
  'margin_previous_balance',
  'margin_buy',
  'margin_sell',
  'margin_cash_repayment',
  'margin_balance',
  'margin_limit',
  'short_previous_balance',
  'short_sell',
  'short_buy',
  'short_stock_repayment',
  'short_balance',
  'short_limit',
  'offset_volume',
] as const
export type MarginColumn = (typeof MARGIN_COLUMNS)[number]

/**
 * Columns that only TPEx prints: balances of securities finance companies, and balances as
 * percentages of the limits.
 */
export const TPEX_COLUMNS = ['margin_finance_balance', 'margin_utilization', 'short_finance_balance', 'short_utilization'] as const
export type TpexColumn = (typeof TPEX_COLUMNS)[number]

/** Shares per lot, the unit of the reports. `OTHER_LOTS` has the exceptions. */
export const SHARES_PER_LOT = 1_000

/**
 * Other lot sizes of securities that were traded on margin: BP上證50, a Hong Kong fund that was
 * listed until 2022.
 */
const OTHER_LOTS: Readonly<Record<string, number>> = { '008201': 100 }

/**
 * Converts lots to shares.
 *
 * @throws Refusal absent_number or unreadable_number
 */
export function marginRow(cells: Cells<MarginColumn | 'remark'> & Partial<Cells<TpexColumn>>, ticker: string): Row {
  const shares = (column: MarginColumn | TpexColumn): number =>
    presentInteger(cells[column], column, ticker) * (OTHER_LOTS[ticker] ?? SHARES_PER_LOT)
  const printed = 'margin_finance_balance' in cells
  return {
    ...Object.fromEntries(MARGIN_COLUMNS.map(column => [column, shares(column)])),
    margin_finance_balance: printed ? shares('margin_finance_balance') : null,
    margin_utilization: printed ? decimalCell(cells.margin_utilization, 'margin_utilization', ticker) : null,
    short_finance_balance: printed ? shares('short_finance_balance') : null,
    short_utilization: printed ? decimalCell(cells.short_utilization, 'short_utilization', ticker) : null,
    remark: remarkOf(cells.remark),
  }
}

/** Spaces inside a remark are significant, because a mark's meaning depends on the position. */
export const remarkOf = (cell: unknown): string | null => String(cell ?? '').trim() || null
