import type { Row } from '../../../catalog/index.ts'
import { bodyRefused, dayOrNull, decimalCell, plainText, presentInteger } from '../../formats/index.ts'
import type { Cells } from './day-table.ts'

export type HoldingColumn =
  | 'issued_shares'
  | 'available_shares'
  | 'held_shares'
  | 'available_pct'
  | 'held_pct'
  | 'foreign_limit_pct'
  | 'mainland_limit_pct'
  | 'change_reason'
  | 'reported_on'

export const HOLDING_HEADINGS = {
  ticker: ['證券代號'],
  name: ['證券名稱'],
  issued_shares: ['發行股數'],
  available_shares: ['外資及陸資尚可投資股數'],
  held_shares: ['全體外資及陸資持有股數'],
  available_pct: ['外資及陸資尚可投資比率'],
  held_pct: ['全體外資及陸資持股比率'],
  foreign_limit_pct: ['外資及陸資共用法令投資上限比率'],
  mainland_limit_pct: ['陸資法令投資上限比率'],
  change_reason: ['與前日異動原因(註)'],
} as const

/**
 * Returns a row of foreign-holding. Figures may be numbers or text, and the reason may be an HTML
 * link.
 *
 * @throws Refusal absent_number, unreadable_number or impossible_date
 */
export function holdingRow(cells: Cells<HoldingColumn> & Partial<Cells<'isin'>>, ticker: string): Row {
  const shares = (column: HoldingColumn): number => presentInteger(cells[column], column, ticker)
  const percent = (column: HoldingColumn): number => {
    const value = decimalCell(cells[column], column, ticker)
    if (value === null)
      throw bodyRefused(
        'absent_number',
        {
          en: `${ticker}: ${column} is empty, but must have a number. Fetch the file again.`,
          zh: `${ticker}：${column} 空白，應有數字；請重新取得檔案。`,
        },
        { row: ticker, column },
      )
    return value
  }
  return {
    isin: String(cells.isin ?? '').trim() || null,
    issued_shares: shares('issued_shares'),
    available_shares: shares('available_shares'),
    held_shares: shares('held_shares'),
    available_pct: percent('available_pct'),
    held_pct: percent('held_pct'),
    foreign_limit_pct: percent('foreign_limit_pct'),
    mainland_limit_pct: percent('mainland_limit_pct'),
    change_reason: plainText(String(cells.change_reason ?? '')) || null,
    reported_on: dayOrNull(cells.reported_on, 'reported_on'),
  }
}
