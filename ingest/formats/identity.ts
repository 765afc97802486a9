import { isObject } from './content.ts'
import { agreedDay, agreedRange, type BodyProblem, type DayRange, refusedFor, statedDays, statedRanges } from './days.ts'
import { bodyRefused, type Called, calledIn } from './feed.ts'
import { type Table, tablesOf } from './table.ts'

/** Which tables of a body a feed reads. */
export interface Wanted {
  /** Name of the publication, for the refusal. */
  readonly called: Called
  /** Whether folded field names are those of the wanted table. */
  readonly isTable: (fields: readonly string[]) => boolean
}

/** The exchanges put a sentence in `stat` when they will not answer, for example for a day before a table began. */
function sourceProblem(value: unknown): BodyProblem | undefined {
  const stat = isObject(value) ? String(value['stat'] ?? '') : ''
  if (stat === '' || /^ok$/i.test(stat)) return undefined
  const words = {
    en: `The exchange answered "${stat}" instead of data; ask for what it names.`,
    zh: `交易所回覆「${stat}」而未提供資料；請依其說明查詢。`,
  }
  return { rule: 'source_refused', words }
}

function tableProblem(tables: readonly Table[], called: Called): BodyProblem {
  const name = calledIn(called)
  const titles = tables.map(({ title }) => title).filter(title => title !== '')
  const found =
    titles.length > 0
      ? { en: `it is "${titles.join('", "')}"`, zh: `內容為「${titles.join('」、「')}」` }
      : { en: 'no table of the body has its columns', zh: '沒有任何表格具備其欄位' }
  const words = {
    en: `This is not ${name.en}: ${found.en}. Give the file to the feed of its own table.`,
    zh: `這不是「${name.zh}」：${found.zh}。請將檔案交給其所屬表格的資料來源。`,
  }
  return { rule: 'wrong_table', words }
}

/**
 * The day a body is of and its wanted tables, both proven by what the body says of itself.
 *
 * @throws Refusal wrong_day or wrong_table, both named when both hold; source_refused when the exchange only gave a sentence
 */
export function identify(
  value: unknown,
  requestedDay: string | undefined,
  wanted: Wanted,
): { readonly day: string; readonly tables: readonly Table[] } {
  const stated = statedDays(value)
  const agreed = agreedDay(stated, requestedDay)
  const tables = wantedTables(value, wanted, 'problem' in agreed && stated.length > 0 ? agreed.problem : undefined)
  if ('problem' in agreed) throw refusedFor(agreed.problem)
  return { day: agreed.day, tables }
}

/**
 * The wanted tables of a body that states no day.
 *
 * @throws Refusal wrong_table, or source_refused when the exchange only gave a sentence; with `beside`, what else is wrong of the body
 */
export function wantedTables(value: unknown, { called, isTable }: Wanted, beside?: BodyProblem): readonly Table[] {
  const all = tablesOf(value)
  const tables = all.filter(({ fields }) => isTable(fields))
  const kind = sourceProblem(value) ?? (tables.length === 0 ? tableProblem(all, called) : undefined)
  if (kind !== undefined) throw beside === undefined ? refusedFor(kind) : refusedFor(beside, kind)
  return tables
}

/**
 * The days a body of several days covers and its wanted tables, both proven by what the body says of itself.
 *
 * @throws Refusal wrong_day or wrong_table, both named when both hold; source_refused when the exchange only gave a sentence
 */
export function identifyRange(
  value: unknown,
  requestedDay: string | undefined,
  wanted: Wanted,
): { readonly range: DayRange; readonly tables: readonly Table[] } {
  const stated = statedRanges(value)
  const agreed = agreedRange(stated, requestedDay)
  const tables = wantedTables(value, wanted, 'problem' in agreed && stated.length > 0 ? agreed.problem : undefined)
  if ('problem' in agreed) throw refusedFor(agreed.problem)
  return { range: agreed.range, tables }
}

/**
 * Proof that a row is of the days its body covers.
 *
 * @throws Refusal row_outside_range when it is not
 */
export function requireWithin(day: string, [first, last]: DayRange, row: string): void {
  if (day >= first && day <= last) return
  throw bodyRefused(
    'row_outside_range',
    {
      en: `${row} is dated ${day}, and the body covers ${first} to ${last}; fetch it again.`,
      zh: `${row} 的日期為 ${day}，內容涵蓋的期間為 ${first} 至 ${last}；請重新取得。`,
    },
    { row, day },
  )
}
