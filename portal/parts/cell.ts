import type { SchemaColumn } from '../../clients/typescript/src/index.ts'
import type { Cell } from '../api/client.ts'
import { number, say } from './language.ts'

/** What stands where there is no value. */
export const NOTHING = '–'

/** Digits after the point at most: rates and factors have six that mean something. */
const DIGITS = 6

const isNumeric = (type: SchemaColumn['type']): boolean => type === 'number' || type === 'integer'

/** True where values stand under each other by their last digit. */
export const isRight = isNumeric

/** A value as it is read: numbers with separators, times in Taipei to the minute, null as a dash. */
export function cellText(value: Cell | undefined, type: SchemaColumn['type']): string {
  if (value === null || value === undefined) return NOTHING
  if (typeof value === 'number') return number(value, DIGITS)
  if (typeof value === 'boolean') return value ? say({ en: 'yes', zh: '是' }) : say({ en: 'no', zh: '否' })
  if (typeof value !== 'string') return JSON.stringify(value)
  return type === 'timestamp' ? value.slice(0, 16).replace('T', ' ') : value
}

/** Characters a text takes, a Chinese one for two. */
export const widthOf = (text: string): number => [...text].reduce((sum, character) => sum + (character > '\u2e80' ? 2 : 1), 0)
