import type { SchemaColumn } from '../../clients/typescript/src/index.ts'
import type { Cell } from '../api/client.ts'
import { number, say } from './language.ts'

/** Text of a null value. */
export const NOTHING = '–'

/** Maximum number of decimals. Rates and factors have up to six. */
const DIGITS = 6

/** The properties of a column that determine the text of its values. */
export type CellColumn = Pick<SchemaColumn, 'name' | 'type' | 'unit'>

const isNumeric = (type: SchemaColumn['type']): boolean => type === 'number' || type === 'integer'

/** True for types whose values are aligned right, so that their digits line up. */
export const isRight = isNumeric

/**
 * True for columns with a share of a whole, which pages show in percent. Multiples such as P/E are
 * not such shares.
 */
export const isShare = ({ name, unit }: Pick<CellColumn, 'name' | 'unit'>): boolean =>
  unit === 'ratio' && /_pct|_share_|_percentile/.test(name)

/** Pattern of columns whose sign matters: changes and net amounts. */
const SIGNED = /(^|_)(net|change|yoy|mom|pct|share_of_volume)(_|$)/

/** The class of a value with a sign that matters: `up`, `down` or none. */
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

/** The text of a value of a column; shares of a whole are in percent. */
export const columnText = (column: CellColumn, value: Cell | undefined): string =>
  isShare(column) && typeof value === 'number' ? `${number(value * 100, 3)}%` : cellText(value, column.type)

/** The text of a value: numbers with separators, times in Taipei to the minute, null as a dash. */
export function cellText(value: Cell | undefined, type: SchemaColumn['type']): string {
  if (value === null || value === undefined) return NOTHING
  if (typeof value === 'number') return number(value, DIGITS)
  if (typeof value === 'boolean') return value ? say({ en: 'yes', zh: '是' }) : say({ en: 'no', zh: '否' })
  if (typeof value !== 'string') return JSON.stringify(value)
  return type === 'timestamp' ? value.slice(0, 16).replace('T', ' ') : value
}

/** Width of a text in characters. A Chinese character counts as two characters. */
export const widthOf = (text: string): number => [...text].reduce((sum, character) => sum + (character > '\u2e80' ? 2 : 1), 0)
