import { bodyRefused } from './feed.ts'
import { plainText } from './html.ts'

/** What the exchanges print for a missing figure. Zero is not a missing figure. */
const ABSENT = /^(-+|N\/A|NA)?$/i
/** Maximum number of significant digits. Figures are doubles, so more digits would be rounded. */
const MOST_DIGITS = 17
const NUMBER = /^[+-]?(\d{1,3}(,\d{3})+|\d+)?(\.\d+)?$/

/**
 * Parses a figure. Null if missing, undefined for other text. Ignores the mark X for changes that
 * cannot be compared.
 */
export function figureOf(cell: unknown): number | null | undefined {
  if (typeof cell === 'number') return Number.isFinite(cell) ? cell : undefined
  if (cell === null || cell === undefined) return null
  if (typeof cell !== 'string') return undefined
  const text = plainText(cell).normalize('NFKC').replace('\u2212', '-').replace(/^X/i, '').trim()
  if (ABSENT.test(text)) return null
  if (!NUMBER.test(text) || !/\d/.test(text) || digitsOf(text) > MOST_DIGITS) return undefined
  const value = Number(text.replaceAll(',', ''))
  return value === 0 ? 0 : value
}

/** Counts significant digits. 0012.50 has three. */
const digitsOf = (text: string): number => text.replace(/\D/g, '').replace(/^0+|0+$/g, '').length

/**
 * Null if the cell represents a missing value.
 *
 * @throws Refusal unreadable_number, which names the row and column
 */
export function decimalCell(cell: unknown, column: string, row: string): number | null {
  const value = figureOf(cell)
  if (value === undefined) {
    const text = String(cell)
    throw bodyRefused(
      'unreadable_number',
      {
        en: `${row}: ${column} is "${text}", not a number. Check the file against its source.`,
        zh: `${row}：${column} 為「${text}」，並非數字；請與來源核對檔案。`,
      },
      { row, column, said: text },
    )
  }
  return value
}

/**
 * Parses a whole number. Null if the value is missing.
 *
 * @throws Refusal unreadable_number also for fractions and figures beyond 2^53
 */
export function integerCell(cell: unknown, column: string, row: string): number | null {
  const value = decimalCell(cell, column, row)
  if (value !== null && !Number.isSafeInteger(value)) {
    throw bodyRefused(
      'unreadable_number',
      {
        en: `${row}: ${column} is ${value}; expected a whole number. Check the file against its source.`,
        zh: `${row}：${column} 為 ${value}，應為整數；請與來源核對檔案。`,
      },
      { row, column, said: value },
    )
  }
  return value
}

/** @throws Refusal absent_number if the value is missing */
export function presentInteger(cell: unknown, column: string, row: string): number {
  const value = integerCell(cell, column, row)
  if (value === null) {
    throw bodyRefused(
      'absent_number',
      {
        en: `${row}: ${column} is empty, but must have a number. Fetch the file again.`,
        zh: `${row}：${column} 空白，應有數字；請重新取得檔案。`,
      },
      { row, column },
    )
  }
  return value
}
