import type { Cell, Row } from '../api/row.ts'

/** Spreadsheets run texts that start with these characters as formulas. */
const FORMULA = /^[=+\-@\t\r]/

function textOf(value: Cell | undefined): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const safe = FORMULA.test(text) ? `'${text}` : text
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Returns rows as CSV for spreadsheets, with a byte order mark. */
export function csvOf(rows: readonly Row[], columns: readonly string[] = Object.keys(rows[0] ?? {})): string {
  const lines = rows.map(row => columns.map(column => textOf(row[column])).join(','))
  return `\ufeff${[columns.map(textOf).join(','), ...lines].join('\r\n')}\r\n`
}
