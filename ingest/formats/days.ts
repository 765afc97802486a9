import type { Refusal, Words } from '../../src/core/index.ts'
import { isObject } from './content.ts'
import { bodyRefused } from './feed.ts'

const SEPARATED = /^(?:民國)?\s*(\d{1,4})\s*[/.\-年]\s*(\d{1,2})\s*[/.\-月]\s*(\d{1,2})\s*日?$/
const IN_PROSE = /(?:民國\s*)?\d{2,4}\s*年\s*\d{1,2}\s*月\s*\d{1,2}\s*日|\d{2,4}[/.-]\d{1,2}[/.-]\d{1,2}/g

/** Undefined for an invalid day. Years below 1000 are Republic of China years: 112 is 2023. */
function calendarDay(year: number, month: number, day: number): string | undefined {
  const full = year < 1000 ? year + 1911 : year
  const date = new Date(Date.UTC(full, month - 1, day))
  const exists = full >= 1900 && full < 2200 && date.getUTCMonth() === month - 1
  return exists ? date.toISOString().slice(0, 10) : undefined
}

/**
 * Converts a day in any format of the exchanges to `YYYY-MM-DD`. Undefined if invalid. Eight
 * digits are a Gregorian date. Six or seven digits start with a Republic of China year.
 */
export function dayOf(cell: unknown): string | undefined {
  const text = String(cell ?? '')
    .normalize('NFKC')
    .trim()
  const compact = /^(\d{2,4})(\d{2})(\d{2})$/.exec(text)
  const parts = compact ?? SEPARATED.exec(text)
  return parts === null ? undefined : calendarDay(Number(parts[1]), Number(parts[2]), Number(parts[3]))
}

/** Parses days separated by ~, ～ or 〜. A single day counts as a range. Undefined if invalid. */
export function rangeOf(cell: unknown): readonly [first: string, last: string] | undefined {
  const ends = String(cell ?? '').split(/[~～〜]/)
  const first = dayOf(ends[0])
  const last = dayOf(ends.at(-1))
  return ends.length > 2 || first === undefined || last === undefined || first > last ? undefined : [first, last]
}

/** Returns the days in a text, in order. Undefined marks an invalid day. */
export const daysIn = (text: string): readonly (string | undefined)[] => (text.normalize('NFKC').match(IN_PROSE) ?? []).map(dayOf)

/**
 * Parses a day. Null for an empty cell, dashes or "0".
 *
 * @throws Refusal impossible_date
 */
export function dayOrNull(cell: unknown, column: string): string | null {
  const text = String(cell ?? '').trim()
  if (/^(0*|-+)$/.test(text)) return null
  const day = dayOf(text)
  if (day === undefined) {
    throw bodyRefused(
      'impossible_date',
      {
        en: `${column} is "${text}", not a date. Check the file against its source.`,
        zh: `${column} 為「${text}」，不是有效日期；請將檔案與來源核對。`,
      },
      { column, said: text },
    )
  }
  return day
}

export interface StatedDay {
  readonly where: string
  readonly day: string | undefined
}

export interface BodyProblem {
  readonly rule: string
  readonly words: Words
}

const single = (cell: unknown): string | undefined => {
  const range = rangeOf(cell)
  return range !== undefined && range[0] === range[1] ? range[0] : undefined
}

const written = (where: string, text: unknown): readonly StatedDay[] => daysIn(String(text ?? '')).map(day => ({ where, day }))

/**
 * Returns the days in a JSON file: the requested date, then dates in titles, captions and tables.
 */
export function statedDays(value: unknown): readonly StatedDay[] {
  if (!isObject(value)) return []
  const tables = Array.isArray(value['tables']) ? value['tables'].filter(isObject) : [value]
  const params = isObject(value['params']) ? value['params'] : {}
  const echoed = [
    { where: 'date', cell: value['date'] },
    { where: 'params', cell: params['date'] },
  ].flatMap(({ where, cell }) => (cell === undefined ? [] : [{ where, day: single(cell) }]))
  const captions = tables.flatMap(table => [...written('title', table['title']), ...written('subtitle', table['subtitle'])])
  const dates = tables.filter(table => table !== value).flatMap(table => written('table date', table['date']))
  return [...echoed, ...captions, ...dates]
}

export const requestedDayWords = (day: string | undefined): Words => ({
  en: `the request has ${day ?? 'no date'}`,
  zh: day === undefined ? '未指定日期' : `指定的日期為 ${day}`,
})

/**
 * Returns the day if all statements and the requested day agree. Otherwise returns the
 * contradiction.
 */
export function agreedDay(
  statements: readonly StatedDay[],
  requestedDay: string | undefined,
): { readonly day: string } | { readonly problem: BodyProblem } {
  const days = new Set([...statements.map(({ day }) => day), ...(requestedDay === undefined ? [] : [requestedDay])])
  const [day] = days
  if (statements.length > 0 && days.size === 1 && day !== undefined) return { day }
  const by = Map.groupBy(statements, ({ where }) => where)
  const statedBy = [...by].map(([where, each]) => [where, [...new Set(each.map(one => one.day))]] as const)
  const en = statedBy.map(([where, each]) => `${where} has ${each.map(one => one ?? 'no single date').join(' and ')}`)
  const zh = statedBy.map(([where, each]) => `${where} 載明 ${each.map(one => one ?? '非單一日期').join('、')}`)
  const requested = requestedDayWords(requestedDay)
  const found = {
    en: [...(en.length > 0 ? en : ['the file has no date']), requested.en].join(', '),
    zh: [...(zh.length > 0 ? zh : ['檔案未載明日期']), requested.zh].join('，'),
  }
  const words = {
    en: `The dates do not match: ${found.en}. Fetch the requested day again.`,
    zh: `日期不符：${found.zh}。請重新取得該日資料。`,
  }
  return { problem: { rule: 'wrong_day', words } }
}

/** A range of days in the file. Undefined if the text contains none. */
export interface StatedRange {
  readonly where: string
  readonly range: DayRange | undefined
}

/** First and last day, inclusive. */
export type DayRange = readonly [first: string, last: string]

/** Returns the request dates that the source repeats, then ranges in titles and tables. */
export function statedRanges(value: unknown): readonly StatedRange[] {
  if (!isObject(value)) return []
  const tables = Array.isArray(value['tables']) ? value['tables'].filter(isObject) : []
  const params = isObject(value['params']) ? value['params'] : {}
  const echoed = value['date'] === undefined ? [] : [{ where: 'date', range: rangeOf(value['date']) }]
  const titles = [value, ...tables].flatMap(({ title }) => titled(String(title ?? '')))
  return [...echoed, ...bounds('params', params), ...[value, ...tables].flatMap(place => bounds('the dates', place)), ...titles]
}

function bounds(where: string, place: Readonly<Record<string, unknown>>): readonly StatedRange[] {
  const [first, last] = [place['strDate'] ?? place['startDate'], place['endDate']]
  return first === undefined || last === undefined ? [] : [{ where, range: rangeOf(`${String(first)}~${String(last)}`) }]
}

function titled(title: string): readonly StatedRange[] {
  const days = daysIn(title)
  return days.length === 0 ? [] : [{ where: 'title', range: rangeOf(`${days[0] ?? ''}~${days.at(-1) ?? ''}`) }]
}

/**
 * Returns the range if all statements agree and the range contains the requested day. Otherwise
 * returns the contradiction.
 */
export function agreedRange(
  statements: readonly StatedRange[],
  requestedDay: string | undefined,
): { readonly range: DayRange } | { readonly problem: BodyProblem } {
  const [range] = statements.map(each => each.range)
  const one = new Set(statements.map(each => each.range?.join())).size === 1
  if (range !== undefined && one && (requestedDay === undefined || (range[0] <= requestedDay && requestedDay <= range[1]))) return { range }
  const en = statements.map(({ where, range }) => `${where} has ${range?.join(' to ') ?? 'no date range'}`)
  const zh = statements.map(({ where, range }) => `${where} 載明 ${range?.join(' 至 ') ?? '非日期區間'}`)
  const requested = requestedDayWords(requestedDay)
  const found = {
    en: [...new Set(en.length > 0 ? en : ['the file has no date range']), requested.en].join(', '),
    zh: [...new Set(zh.length > 0 ? zh : ['檔案未載明日期']), requested.zh].join('，'),
  }
  const words = {
    en: `The dates do not match: ${found.en}. Fetch the requested days again.`,
    zh: `日期不符：${found.zh}。請重新取得指定日期的資料。`,
  }
  return { problem: { rule: 'wrong_day', words } }
}

/** Creates a refusal with all problems. The first problem determines the rule. */
export function refusedFor(...problems: readonly [BodyProblem, ...BodyProblem[]]): Refusal {
  const words = { en: problems.map(one => one.words.en).join(' '), zh: problems.map(one => one.words.zh).join('') }
  return bodyRefused(problems[0].rule, words, { rules: problems.map(({ rule }) => rule) })
}
