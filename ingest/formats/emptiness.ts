import { type Content, isObject } from './content.ts'
import { agreedDay, agreedRange, refusedFor, statedDays, statedRanges } from './days.ts'
import type { Parsed } from './feed.ts'
import { tablesOf } from './table.ts'

type Empty = Extract<Parsed, { kind: 'empty' }>

const NOTHING = /沒有符合條件|無相關資料|查無資料|查無所需資料|查無需求資料|查詢無資料/
/**
 * Matches "no data" as the whole text of an element, or in a redirect. Scripts may contain the same
 * words.
 */
const NOTHING_SHOWN =
  />\s*((很抱歉，)?沒有符合條件的資料|無相關資料|查無資料|查無所需資料|(?:資料庫中)?查無需求資料|查詢無資料)[!！。]?\s*<|alert\("(查無資料)"\);?\s*window\.location\.replace\("\w+"\)|location\.replace\("(class_nofind)/
/** A page with a table of securities or companies is not empty. */
const HEADING = /<t[hd][^>]*>\s*(公司|有價證券|證券|股票)?\s*(<br\s*\/?>)?\s*代號/i

/** True for the record with number 0, which represents an empty list in open data. */
const isSentinel = (row: unknown): boolean => isObject(row) && row['Number'] === '0' && row['Code'] === ''

/**
 * Returns the message of a file without data. Undefined if the file has rows, states a number of
 * rows, or does not come from an exchange.
 */
function emptyJson(value: unknown): string | undefined {
  if (Array.isArray(value)) return value.every(isSentinel) ? (value.length === 0 ? '[]' : 'a record numbered 0 without a code') : undefined
  if (!isObject(value)) return undefined
  if (Object.keys(value).length === 0) return '{}'
  const tables = tablesOf(value)
  if (tables.some(({ data, stated }) => data.length > 0 || (stated ?? 0) > 0)) return undefined
  const stat = String(value['stat'] ?? '')
  if (NOTHING.test(stat)) return stat
  const hasTables = Array.isArray(value['tables']) || Array.isArray(value['data'])
  return /^ok$/i.test(stat) && hasTables ? `stat ${stat} without rows` : undefined
}

function emptyPage(page: string): string | undefined {
  const found = NOTHING_SHOWN.exec(page.replace(/<!--.*?-->/gs, ''))
  return found === null || HEADING.test(page) ? undefined : (found[1] ?? found[3] ?? found[4])
}

function emptyReason(content: Content): string | undefined {
  if (content.form === 'json') return emptyJson(content.value)
  if (content.form === 'html') return emptyPage(content.text)
  return NOTHING.test(content.text) && !content.text.includes(',') ? content.text.trim() : undefined
}

/**
 * Detects a file without data before its tables are parsed. The result has the day that the file
 * states, or else the requested day.
 *
 * @throws Refusal wrong_day if the file states other days than the requested one
 */
export function emptinessOf(content: Content, requestedDay: string | undefined): Empty | undefined {
  const reason = emptyReason(content)
  if (reason === undefined) return undefined
  const stated = content.form === 'json' ? statedDays(content.value).filter(({ day }) => day !== undefined) : []
  const ranges = content.form === 'json' ? statedRanges(content.value) : []
  if (ranges.some(({ range }) => range !== undefined && range[0] < range[1])) {
    const agreed = agreedRange(ranges, requestedDay)
    if ('problem' in agreed) throw refusedFor(agreed.problem)
    return { kind: 'empty', date: requestedDay ?? null, reason }
  }
  if (stated.length === 0) return { kind: 'empty', date: requestedDay ?? null, reason }
  const agreed = agreedDay(stated, requestedDay)
  if ('problem' in agreed) throw refusedFor(agreed.problem)
  return { kind: 'empty', date: agreed.day, reason }
}
