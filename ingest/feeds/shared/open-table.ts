import type { Row } from '../../../catalog/index.ts'
import { bodyRefused, dayOf, jsonRecords, type Parsed, requestedDayWords, requireColumns } from '../../formats/index.ts'
import { type Cells, rowOf } from './day-table.ts'

/** A daily table of open data, which contains only the newest day. */
export interface OpenTable<C extends string> {
  readonly called: string
  readonly dataset: string
  readonly market: 'TWSE' | 'TPEX'
  /** Name of the date column. Null if the records have no date. */
  readonly day: string | null
  readonly names: Readonly<Record<C | 'ticker' | 'name', string>>
  readonly figures: (cells: Cells<C>, ticker: string) => Row
}

/** True for open data, which is a list. Other tables are objects. */
export const isOpenData = (value: unknown): boolean => Array.isArray(value)

/** @throws Refusal wrong_table or wrong_day, or an error of `figures` */
export function readOpenTable<C extends string>(value: unknown, requestedDay: string | undefined, table: OpenTable<C>): Parsed {
  const { called, dataset, market, names, figures } = table
  const records = jsonRecords(value)
  requireColumns(records, [...Object.values<string>(names), ...(table.day === null ? [] : [table.day])], called)
  const day = dayOfRecords(records.rows, table, requestedDay)
  const columns = Object.entries<string>(names)
  const rows = records.rows.map(record => {
    const cells = Object.fromEntries(columns.map(([column, name]) => [column, record[name]])) as Cells<C | 'ticker' | 'name'>
    return rowOf(market, day, cells, ticker => figures(cells, ticker))
  })
  return { kind: 'rows', rows: { [dataset]: rows }, statedTotals: { [dataset]: { held: rows.length } } }
}

/** @throws Refusal wrong_day if the records have several days or not the requested one */
export function dayOfRecords(
  rows: readonly Readonly<Record<string, unknown>>[],
  { day, called }: Pick<OpenTable<string>, 'day' | 'called'>,
  requestedDay: string | undefined,
): string {
  const stated = day === null ? [] : [...new Set(rows.map(row => dayOf(row[day])))]
  const [only] = stated
  const agreed = day === null ? requestedDay : stated.length === 1 && (requestedDay ?? only) === only ? only : undefined
  if (agreed !== undefined) return agreed
  const found = {
    en: day === null ? 'none' : stated.map(each => each ?? 'none').join(' and '),
    zh: day === null ? '無' : stated.map(each => each ?? '無').join('、'),
  }
  const requested = requestedDayWords(requestedDay)
  throw bodyRefused(
    'wrong_day',
    {
      en: `Date in ${called}: ${found.en}; ${requested.en}. Set --date to the date of the file, or fetch the file of the requested day.`,
      zh: `「${called}」載明的日期為 ${found.zh}，${requested.zh}；請以 --date 指定檔案的日期，或重新取得該日的檔案。`,
    },
    { stated: stated.map(each => each ?? null), asked: requestedDay ?? null },
  )
}
