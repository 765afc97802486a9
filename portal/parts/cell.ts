import type { SchemaColumn } from '../../clients/typescript/src/index.ts'
import type { Cell } from '../api/client.ts'
import { fixed, number, say } from './language.ts'
import { amountMeasureOf } from './units.ts'

export const NOTHING = '–'

/** Maximum number of decimals. Rates and factors have up to six. */
const DIGITS = 6
/** Maximum number of decimals of a percentage. */
const SHARE_DIGITS = 3

export interface CellColumn extends Pick<SchemaColumn, 'name' | 'type' | 'unit'> {
  /** Decimals of every number in the column. Default: as many as the number has. */
  readonly decimals?: number
}

const isNumeric = (type: SchemaColumn['type']): boolean => type === 'number' || type === 'integer'

/** True for types that are aligned right. */
export const isRight = isNumeric

/** True for shares of a whole, which are shown in percent. Multiples such as P/E are not shares. */
export const isShare = ({ name, unit }: Pick<CellColumn, 'name' | 'unit'>): boolean =>
  unit === 'ratio' && /_pct|_share_|_percentile/.test(name)

/** Columns whose sign matters, such as changes and net amounts. */
const SIGNED = /(^|_)(net|change|yoy|mom|pct|share_of_volume)(_|$)/

/** Returns `up` or `down` if the sign of the column matters. Otherwise empty. */
export function signOf({ name, type, unit }: CellColumn, value: Cell | undefined): 'up' | 'down' | '' {
  if (
    !isNumeric(type) ||
    typeof value !== 'number' ||
    value === 0 ||
    !SIGNED.test(name) ||
    /percentile|held_pct|limit_pct|available_pct/.test(name)
  )
    return ''
  return unit === null ? '' : value > 0 ? 'up' : 'down'
}

/** Formats a value of a column. Shares of a whole are in percent. */
export function columnText(column: CellColumn, value: Cell | undefined): string {
  if (typeof value !== 'number') return cellText(value, column.type)
  if (isShare(column)) return `${number(value * 100, SHARE_DIGITS)}%`
  return column.decimals === undefined ? cellText(value, column.type) : fixed(value, column.decimals)
}

/** Returns the largest number of decimals of the values. */
export function decimalsOf(values: Iterable<unknown>, most = DIGITS): number {
  let decimals = 0
  for (const value of values) {
    if (typeof value !== 'number' || Number.isInteger(value)) continue
    decimals = Math.max(decimals, String(Number(value.toFixed(most))).split('.')[1]?.length ?? 0)
    if (decimals === most) break
  }
  return decimals
}

/** Formats a value by the display settings, without a unit. */
export const shownText = (column: CellColumn, value: Cell | undefined): string =>
  (typeof value === 'number' ? amountMeasureOf(column)?.plain(value) : undefined) ?? columnText(column, value)

/**
 * Formats all digits of a share count or amount, with the API's unit. Returns a number that is
 * shown rounded as the API sends it. Otherwise undefined.
 */
export function exactText(column: CellColumn, value: Cell | undefined): string | undefined {
  if (typeof value !== 'number') return undefined
  return amountMeasureOf(column)?.exact(value) ?? (isShownRounded(column, value) ? String(value) : undefined)
}

/** A percentage has two more decimals as a ratio. */
const isShownRounded = (column: CellColumn, value: number): boolean =>
  Number(value.toFixed(isShare(column) ? SHARE_DIGITS + 2 : DIGITS)) !== value

/** Formats a value. Times are in Taipei to the minute, and null is a dash. */
export function cellText(value: Cell | undefined, type: SchemaColumn['type']): string {
  if (value === null || value === undefined) return NOTHING
  if (typeof value === 'number') return number(value, DIGITS)
  if (typeof value === 'boolean') return value ? say({ en: 'yes', zh: '是' }) : say({ en: 'no', zh: '否' })
  if (typeof value !== 'string') return JSON.stringify(value)
  return type === 'timestamp' ? value.slice(0, 16).replace('T', ' ') : value
}

/** Returns the width of a text in characters. A Chinese character counts twice. */
export const widthOf = (text: string): number => [...text].reduce((sum, character) => sum + (character > '\u2e80' ? 2 : 1), 0)
