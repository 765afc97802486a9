import type { Row, Rows } from '../../api/client.ts'
import type { Point } from '../../parts/chart-series.ts'
import type { Measure } from '../../parts/figures.ts'
import { say, signed } from '../../parts/language.ts'

/** Reverses the rows of a response, which are newest first. */
export const oldestFirst = ({ rows }: Rows): readonly Row[] => [...rows].reverse()

export const numberIn = (row: Row | undefined, column: string): number | null => {
  const value = row?.[column]
  return typeof value === 'number' ? value : null
}

export const textIn = (row: Row | undefined, column: string): string | null => {
  const value = row?.[column]
  return typeof value === 'string' ? value : null
}

/** @param date name of the date column */
export const pointsOf = (rows: readonly Row[], date: string, column: string): readonly Point[] =>
  rows.map(row => ({ x: textIn(row, date)!, value: numberIn(row, column) }))

export const pointsWithValue = (points: readonly Point[]): readonly { readonly x: string; readonly value: number }[] =>
  points.flatMap(({ x, value }) => (value === null ? [] : [{ x: String(x), value }]))

/**
 * Returns a change in percent. Null if the earlier value is not positive. A percentage of other
 * values would be meaningless.
 */
export const percentChange = (from: number, to: number): number | null => (from > 0 ? (100 * (to - from)) / from : null)

/**
 * Describes a series by its first, last, highest and lowest value. Changes of percentages are in
 * percentage points.
 *
 * @param what name of the series, in the language of the page
 */
export function rangeSentence(what: string, points: readonly Point[], { text, unit }: Measure): string {
  const values = pointsWithValue(points)
  const [first, last] = [values[0], values.at(-1)]
  if (!first || !last) return say({ en: `${what}: no value.`, zh: `${what}：沒有值。` })
  const highest = values.reduce((a, b) => (b.value > a.value ? b : a))
  const lowest = values.reduce((a, b) => (b.value < a.value ? b : a))
  const change = unit === '%' ? last.value - first.value : percentChange(first.value, last.value)
  const unitOfChange = unit === '%' ? say({ en: ' points', zh: ' 個百分點' }) : '%'
  const percent = change === null ? '' : say({ en: ` (${signed(change)}${unitOfChange})`, zh: `（${signed(change)}${unitOfChange}）` })
  return say({
    en: `${what}: ${text(last.value)} on ${last.x}, ${text(first.value)} on ${first.x}${percent}; highest ${text(highest.value)} on ${highest.x}, lowest ${text(lowest.value)} on ${lowest.x}.`,
    zh: `${what}：${last.x} 為 ${text(last.value)}，${first.x} 為 ${text(first.value)}${percent}；最高 ${text(highest.value)}（${highest.x}），最低 ${text(lowest.value)}（${lowest.x}）。`,
  })
}
