import { visible } from './visible.ts'

export interface TextColumn {
  readonly head: string
  /** Shown in a second header line. Null if there is no unit. */
  readonly unit?: string | null
  readonly align: 'left' | 'right'
}

export interface TextTable {
  readonly lines: readonly string[]
  /** Headings of the columns that did not fit. */
  readonly leftOut: readonly string[]
}

const GAP = '  '
/**
 * Minimum width of a text column in terminal cells. If there is less space, columns are dropped.
 */
const LEAST_TEXT = 12

/**
 * Shortens texts first, then drops columns from the right.
 * @param width maximum width in terminal cells, two per Han character. Infinity for no limit.
 */
export function textTable(named: readonly TextColumn[], rows: readonly (readonly unknown[])[], width: number): TextTable {
  const columns = named.map(({ head, unit, align }) => ({ head: visible(head), unit: visible(unit ?? ''), align }))
  const cells = rows.map(row => row.map(textOfCell))
  const wanted = columns.map(({ head, unit }, at) =>
    cells.reduce((most, row) => Math.max(most, cellsOf(row[at]!)), Math.max(cellsOf(head), cellsOf(unit))),
  )
  const least = columns.map(({ head, unit, align }, at) =>
    align === 'right' ? wanted[at]! : Math.min(wanted[at]!, Math.max(LEAST_TEXT, cellsOf(head), cellsOf(unit))),
  )
  let shown = columns.length
  while (shown > 1 && total(least.slice(0, shown)) > width) shown--
  const widths = spread(least.slice(0, shown), wanted.slice(0, shown), width)
  const line = (texts: readonly string[]): string =>
    widths
      .map((cellWidth, at) => padded(shortened(texts[at]!, cellWidth), cellWidth, columns[at]!.align))
      .join(GAP)
      .trimEnd()
  const units = columns.slice(0, shown).map(({ unit }) => unit)
  return {
    lines: [line(columns.map(({ head }) => head)), ...(units.some(Boolean) ? [line(units)] : []), ...cells.map(line)],
    leftOut: columns.slice(shown).map(({ head }) => head),
  }
}

const total = (widths: readonly number[]): number => widths.reduce((sum, one) => sum + one, 0) + GAP.length * (widths.length - 1)

/** Distributes the remaining width to wide columns, from left to right. */
function spread(least: readonly number[], wanted: readonly number[], width: number): readonly number[] {
  let room = width - total(least)
  return least.map((cellWidth, at) => {
    const more = Math.max(0, Math.min(room, wanted[at]! - cellWidth))
    room -= more
    return cellWidth + more
  })
}

function textOfCell(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(typeof value === 'number' ? rounded(value) : value)
  return visible(text)
}

/** Six decimals are enough for a table. Other formats show all digits. */
const rounded = (value: number): number => (Math.abs(value) < 1e-4 ? value : Number(value.toFixed(6)))

let segmenter: Intl.Segmenter | undefined
/** Created on demand, because most commands print no table. */
function segmentsOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('zh-Hant', { granularity: 'grapheme' })
  return segmenter.segment(text)
}

const WIDE =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u

export function cellsOf(text: string): number {
  let cells = 0
  for (const { segment } of segmentsOf(text)) cells += WIDE.test(segment) ? 2 : 1
  return cells
}

function shortened(text: string, width: number): string {
  if (cellsOf(text) <= width) return text
  let [kept, cells] = ['', 0]
  for (const { segment } of segmentsOf(text)) {
    cells += cellsOf(segment)
    if (cells > width - 1) break
    kept += segment
  }
  return `${kept}…`
}

function padded(text: string, width: number, align: 'left' | 'right'): string {
  const blanks = ' '.repeat(Math.max(0, width - cellsOf(text)))
  return align === 'right' ? blanks + text : text + blanks
}
