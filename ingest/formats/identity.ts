import { isObject } from './content.ts'
import { agreedDay, agreedRange, type BodyProblem, type DayRange, refusedFor, statedDays, statedRanges } from './days.ts'
import { bodyRefused, type Called, calledIn } from './feed.ts'
import { type Table, tablesOf } from './table.ts'

export interface Wanted {
  readonly called: Called
  readonly isTable: (fields: readonly string[]) => boolean
}

/**
 * Describes a message that the exchange sends in `stat` instead of OK, for example for a day before
 * the table existed. Undefined without such a message.
 */
function sourceProblem(value: unknown): BodyProblem | undefined {
  const stat = isObject(value) ? String(value['stat'] ?? '') : ''
  if (stat === '' || /^ok$/i.test(stat)) return undefined
  const words = {
    en: `The exchange sent the message "${stat}" instead of data. Change the request accordingly.`,
    zh: `交易所回覆「${stat}」，未提供資料；請依其說明修改查詢條件。`,
  }
  return { rule: 'source_refused', words }
}

function tableProblem(tables: readonly Table[], called: Called): BodyProblem {
  const name = calledIn(called)
  const titles = tables.map(({ title }) => title).filter(title => title !== '')
  const found =
    titles.length > 0
      ? { en: `it is "${titles.join('", "')}"`, zh: `內容為「${titles.join('」、「')}」` }
      : { en: 'no table in the file has its columns', zh: '檔案中沒有欄位相符的表格' }
  const words = {
    en: `This is not ${name.en}: ${found.en}. If another feed reads this file, use that feed (see twmd ingest --help).`,
    zh: `此檔案不是「${name.zh}」：${found.zh}。若有其他資料來源可讀取此檔案，請改用該來源（見 twmd ingest --help）。`,
  }
  return { rule: 'wrong_table', words }
}

/**
 * True if at least one day is stated and all stated days are valid. Otherwise, the file may be
 * another publication, and is refused only for the wrong table.
 */
const areValid = (stated: readonly unknown[]): boolean => stated.length > 0 && !stated.includes(undefined)

/**
 * Returns the day and the wanted tables of a file. Checks that the file states only one day, and
 * that this is the requested day.
 *
 * @throws Refusal wrong_day, wrong_table, or both if all stated days are valid; source_refused if
 * the exchange only sent a message
 */
export function identify(
  value: unknown,
  requestedDay: string | undefined,
  wanted: Wanted,
): { readonly day: string; readonly tables: readonly Table[] } {
  const stated = statedDays(value)
  const agreed = agreedDay(stated, requestedDay)
  const days = stated.map(({ day }) => day)
  const tables = wantedTables(value, wanted, 'problem' in agreed && areValid(days) ? agreed.problem : undefined)
  if ('problem' in agreed) throw refusedFor(agreed.problem)
  return { day: agreed.day, tables }
}

/**
 * Returns the tables of a file without a date.
 *
 * @param others a further fault to report in a refusal
 * @throws Refusal wrong_table, or source_refused if the exchange only sent a message
 */
export function wantedTables(value: unknown, { called, isTable }: Wanted, others?: BodyProblem): readonly Table[] {
  const all = tablesOf(value)
  const tables = all.filter(({ fields }) => isTable(fields))
  const kind = sourceProblem(value) ?? (tables.length === 0 ? tableProblem(all, called) : undefined)
  if (kind !== undefined) throw others === undefined ? refusedFor(kind) : refusedFor(others, kind)
  return tables
}

/**
 * Returns the range of days and the wanted tables of a file. Checks that the file states only one
 * range, and that the range contains the requested day.
 *
 * @throws Refusal wrong_day, wrong_table, or both if all stated days are valid; source_refused if
 * the exchange only sent a message
 */
export function identifyRange(
  value: unknown,
  requestedDay: string | undefined,
  wanted: Wanted,
): { readonly range: DayRange; readonly tables: readonly Table[] } {
  const stated = statedRanges(value)
  const agreed = agreedRange(stated, requestedDay)
  const ranges = stated.map(({ range }) => range)
  const tables = wantedTables(value, wanted, 'problem' in agreed && areValid(ranges) ? agreed.problem : undefined)
  if ('problem' in agreed) throw refusedFor(agreed.problem)
  return { range: agreed.range, tables }
}

/** @throws Refusal row_outside_range */
export function requireWithin(day: string, [first, last]: DayRange, row: string): void {
  if (day >= first && day <= last) return
  throw bodyRefused(
    'row_outside_range',
    {
      en: `${row} is dated ${day}, but the file covers ${first} to ${last}. Fetch the file again.`,
      zh: `${row} 的日期為 ${day}，不在檔案期間 ${first} 至 ${last} 之內；請重新取得。`,
    },
    { row, day },
  )
}
