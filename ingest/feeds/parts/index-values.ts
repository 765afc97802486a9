import type { Row } from '../../../catalog/index.ts'
import { decimalCell, plainText, type Table, wholeRows } from '../../formats/index.ts'
import { indexCodeOf } from './index-codes.ts'

const NAME = '指數'
const VALUE = '收盤指數'
const SIGN = '漲跌(+/-)'
const POINTS = '漲跌點數'
const PERCENT = '漲跌百分比(%)'

/** Whether a table is one of price indices. Tables of total return indices are headed 報酬指數 and are not. */
export const hasIndices = (fields: readonly string[]): boolean =>
  fields[0] === NAME && [VALUE, SIGN, POINTS, PERCENT].every(name => fields.includes(name))

/** The report prints points without a sign and percent sometimes with one; the sign column rules. Null where nothing was compared. */
function signed(sign: string, figure: number | null): number | null {
  if (figure === null || figure === 0) return figure
  if (sign === '+') return Math.abs(figure)
  return sign === '-' ? -Math.abs(figure) : null
}

/**
 * Rows of market-indices for the names that have a code; the others are left out.
 *
 * @throws Refusal row_count_mismatch, row_shape or unreadable_number
 */
export function indicesOfTable(table: Table, day: string): readonly Row[] {
  const at = (field: string): number => table.fields.indexOf(field)
  return wholeRows(table).rows.flatMap(row => {
    const name = String(row[at(NAME)] ?? '').trim()
    const code = indexCodeOf(name)
    const value = code === undefined ? null : decimalCell(row[at(VALUE)], VALUE, name)
    if (code === undefined || value === null) return []
    const sign = plainText(String(row[at(SIGN)] ?? ''))
    const change = signed(sign, decimalCell(row[at(POINTS)], POINTS, name))
    const percent = signed(sign, decimalCell(row[at(PERCENT)], PERCENT, name))
    return [{ index_code: code, name, trade_date: day, value, change, change_pct: percent }]
  })
}
