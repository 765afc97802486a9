import type { Total } from '../../../src/releases/index.ts'
import { bodyRefused, figureOf, isObject, type Table } from '../../formats/index.ts'

/**
 * Selections of the exchange's daily tables that count as complete: the first contains all
 * securities, the second all except warrants.
 */
const EVERYTHING = 'ALL'
const WHOLE = [EVERYTHING, 'ALLBUT0999']

/**
 * Refuses a partial list, such as one industry, because a list is published as the complete day.
 *
 * @throws Refusal partial_list if the body is only a part of the market
 */
export function requireWholeList(value: unknown): void {
  const selection = selectionOf(value)
  if (typeof selection === 'string' && !WHOLE.includes(selection)) {
    throw bodyRefused(
      'partial_list',
      {
        en: `The file has only the part "${selection}" of the market. Fetch it again with ALLBUT0999.`,
        zh: `檔案只有市場的一部分「${selection}」；請以 ALLBUT0999 重新取得。`,
      },
      { selection },
    )
  }
}

/** True if the list contains warrants. */
export const holdsWarrants = (value: unknown): boolean => selectionOf(value) === EVERYTHING

function selectionOf(value: unknown): unknown {
  if (!isObject(value)) return undefined
  const params = isObject(value['params']) ? value['params'] : {}
  return value['selectType'] ?? params['selectType'] ?? params['type']
}

/**
 * Turnover is excluded. The statistics convert amounts of securities that are quoted in foreign
 * currency, but the quotes do not.
 */
const COLUMNS = { volume: '成交股數(股)', trades: '成交筆數' } as const
const WARRANTS = /認購\(售\)權證/

/**
 * Volume and trades of the whole market, from the statistics that MI_INDEX contains in addition to
 * the quotes. Empty if the statistics are incomplete.
 *
 * @param warrants true if the list of quotes contains warrants; otherwise their line is subtracted
 */
export function twseTotals(tables: readonly Table[], warrants: boolean): readonly Total[] {
  const table = tables.find(({ fields }) => fields[0] === '成交統計')
  if (table === undefined) return []
  const rowLike = (wanted: RegExp) => table.data.find(row => wanted.test(String(row[0]).normalize('NFKC')))
  const [whole, without] = [rowLike(/^總計/), rowLike(WARRANTS)]
  return Object.entries(COLUMNS).flatMap(([column, field]) => {
    const place = table.fields.indexOf(field)
    const [sum, less] = [figureOf(whole?.[place]), warrants ? 0 : figureOf(without?.[place])]
    return typeof sum === 'number' && typeof less === 'number' ? [{ column, of: null, stated: sum - less }] : []
  })
}

/**
 * Pattern of codes of stocks: four digits, followed by a letter for preferred stocks. The totals
 * above the quotes count only stocks.
 */
const STOCKS = '\\d{4}[A-Z]?'

/**
 * Volume and trades of stocks, from the totals above the TPEx quotes. The exchange misspells the
 * second name.
 */
export function tpexTotals(value: unknown): readonly Total[] {
  const tables = isObject(value) && Array.isArray(value['tables']) ? value['tables'].filter(isObject) : []
  const stated = { volume: 'totalTradingShares', trades: 'totalTranscations' }
  return Object.entries(stated).flatMap(([column, name]) => {
    const figures = tables.map(table => figureOf(table[name])).filter(figure => typeof figure === 'number')
    return figures.length > 0 ? [{ column, of: STOCKS, stated: figures.reduce((sum, each) => sum + each, 0) }] : []
  })
}

/** Number of rows in all tables, including rows that have too few cells. */
export const heldBy = (tables: readonly { readonly held: number }[]): number => tables.reduce((sum, { held }) => sum + held, 0)
