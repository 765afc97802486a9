import type { SchemaColumn } from '../../clients/typescript/src/index.ts'
import type { Cell } from '../api/client.ts'
import { number, say } from './language.ts'

/** Text of a null value. */
export const NOTHING = '–'

/** Maximum number of decimals. Rates and factors have up to six. */
const DIGITS = 6

const isNumeric = (type: SchemaColumn['type']): boolean => type === 'number' || type === 'integer'

/** True for types whose values are aligned right, so that their digits line up. */
export const isRight = isNumeric

/** The text of a value: numbers with separators, times in Taipei to the minute, null as a dash. */
export function cellText(value: Cell | undefined, type: SchemaColumn['type']): string {
  if (value === null || value === undefined) return NOTHING
  if (typeof value === 'number') return number(value, DIGITS)
  if (typeof value === 'boolean') return value ? say({ en: 'yes', zh: '是' }) : say({ en: 'no', zh: '否' })
  if (typeof value !== 'string') return JSON.stringify(value)
  return type === 'timestamp' ? value.slice(0, 16).replace('T', ' ') : value
}

/** Width of a text in characters; a Chinese character counts as two. */
export const widthOf = (text: string): number => [...text].reduce((sum, character) => sum + (character > '\u2e80' ? 2 : 1), 0)
