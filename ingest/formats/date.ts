import { bodyRefused } from './feed.ts'

const SEPARATED = /^(?:民國)?\s*(\d{1,4})\s*[/.\-年]\s*(\d{1,2})\s*[/.\-月]\s*(\d{1,2})\s*日?$/
const IN_PROSE = /(?:民國\s*)?\d{2,4}\s*年\s*\d{1,2}\s*月\s*\d{1,2}\s*日|\d{2,4}[/.-]\d{1,2}[/.-]\d{1,2}/g

/** `YYYY-MM-DD` where the day exists in the calendar. Years below 1000 are Republic of China years: 112 is 2023. */
function calendarDay(year: number, month: number, day: number): string | undefined {
  const full = year < 1000 ? year + 1911 : year
  const date = new Date(Date.UTC(full, month - 1, day))
  const exists = full >= 1900 && full < 2200 && date.getUTCMonth() === month - 1
  return exists ? date.toISOString().slice(0, 10) : undefined
}

/**
 * One day in any of the ways the exchanges write it, as `YYYY-MM-DD`; undefined where the text is no day or an impossible one.
 *
 * Eight digits are Gregorian; six or seven are Republic of China years, with or without a leading zero.
 */
export function dayOf(cell: unknown): string | undefined {
  const text = String(cell ?? '')
    .normalize('NFKC')
    .trim()
  const compact = /^(\d{2,4})(\d{2})(\d{2})$/.exec(text)
  const parts = compact ?? SEPARATED.exec(text)
  return parts === null ? undefined : calendarDay(Number(parts[1]), Number(parts[2]), Number(parts[3]))
}

/** First and last day of a range with ~, ～ or 〜; a single day is a range of itself. Undefined where either end is no day. */
export function rangeOf(cell: unknown): readonly [first: string, last: string] | undefined {
  const ends = String(cell ?? '').split(/[~～〜]/)
  const first = dayOf(ends[0])
  const last = dayOf(ends.at(-1))
  return ends.length > 2 || first === undefined || last === undefined || first > last ? undefined : [first, last]
}

/** Every day written in a title or caption, in order; an impossible one is kept as undefined so that it is not overlooked. */
export const daysIn = (text: string): readonly (string | undefined)[] => (text.normalize('NFKC').match(IN_PROSE) ?? []).map(dayOf)

/**
 * A cell that holds a day or nothing. The exchanges write nothing as an empty cell, dashes or "0".
 *
 * @throws Refusal impossible_date when the cell says something that is no day
 */
export function dayOrNull(cell: unknown, column: string): string | null {
  const text = String(cell ?? '').trim()
  if (/^(0*|-+)$/.test(text)) return null
  const day = dayOf(text)
  if (day === undefined) {
    throw bodyRefused('impossible_date', `${column} says "${text}", which is no day; check the file against its source.`, {
      column,
      said: text,
    })
  }
  return day
}
