import type { SchemaColumn } from '../../../clients/typescript/src/index.ts'
import { say } from '../../parts/language.ts'
import { type Range, rangesIn, rangesText } from '../../parts/range-text.ts'

/** Numbers that the service accepts. */
export const NUMBER = '-?[0-9]+([.][0-9]+)?([eE][+\\-]?[0-9]{1,3})?'

export const rangeColumns = (columns: readonly SchemaColumn[]): readonly SchemaColumn[] =>
  columns.filter(({ range_filterable: isRanged }) => isRanged)

/** Replaces one range. Removes the range if both ends are open. */
export function withRange(text: string | undefined, range: Range): string {
  const others = rangesIn(text).filter(({ column }) => column !== range.column)
  return rangesText(range.from === '' && range.to === '' ? others : [...others, range])
}

/**
 * Narrows the range of a column. A histogram bar may extend beyond the present range, but the
 * result does not.
 */
export function narrowedTo(text: string | undefined, range: Range): string {
  const before = rangesIn(text).find(({ column }) => column === range.column)
  if (!before) return withRange(text, range)
  const from = range.from === '' || (before.from !== '' && Number(before.from) > Number(range.from)) ? before.from : range.from
  const isBefore =
    range.to === '' ||
    (before.to !== '' && (Number(before.to) < Number(range.to) || (before.below && Number(before.to) === Number(range.to))))
  return withRange(text, { ...range, from, ...(isBefore ? { to: before.to, below: before.below } : {}) })
}

/**
 * Returns the upper end of a histogram bar as text. Empty (no upper end) if the value is too large
 * for an integer column.
 */
export const endOf = (edge: number, type: SchemaColumn['type']): string =>
  type === 'integer' && !Number.isSafeInteger(edge) ? '' : String(edge)

const grouped = new Intl.NumberFormat('en', { maximumFractionDigits: 20, maximumSignificantDigits: 17 })
const shown = (end: string): string => (Number.isFinite(Number(end)) ? grouped.format(Number(end)) : end)

export function rangeWords({ from, to, below }: Range): string {
  const [first, last] = [shown(from), shown(to)]
  if (to === '') return say({ en: `from ${first}`, zh: `${first} 以上` })
  if (from === '') return below ? say({ en: `below ${last}`, zh: `未滿 ${last}` }) : say({ en: `up to ${last}`, zh: `${last} 以下` })
  return below
    ? say({ en: `${first} to below ${last}`, zh: `${first} 至未滿 ${last}` })
    : say({ en: `${first} to ${last}`, zh: `${first} 至 ${last}` })
}
