import type { Total } from '../../../src/releases/index.ts'
import { bodyRefused, figureOf, isObject, type Table } from '../../formats/index.ts'

/**
 * Selections that count as complete: `ALL` contains all securities, `ALLBUT0999` all except
 * warrants.
 */
const EVERYTHING = 'ALL'
const WHOLE = [EVERYTHING, 'ALLBUT0999']

/**
 * Refuses a list of one industry, which would look like a complete day.
 *
 * @throws Refusal partial_list
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

export const holdsWarrants = (value: unknown): boolean => selectionOf(value) === EVERYTHING

function selectionOf(value: unknown): unknown {
  if (!isObject(value)) return undefined
  const params = isObject(value['params']) ? value['params'] : {}
  return value['selectType'] ?? params['selectType'] ?? params['type']
}

/**
 * Columns with totals. Turnover is not compared, because the statistics convert foreign currencies
 * and the quotes do not.
 */
const COLUMNS = { volume: '成交股數(股)', trades: '成交筆數' } as const
const WARRANTS = /認購\(售\)權證/

/**
 * Returns the totals of the whole market from the statistics in MI_INDEX. Empty if the statistics
 * are incomplete. Subtracts warrants unless the quotes include them.
 *
 * @param warrants true if the quotes include warrants
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
 * Pattern of stock codes: four digits, then a letter for preferred stocks. The totals of the TPEx
 * quotes count only stocks.
 */
const STOCKS = '\\d{4}[A-Z]?'

/** Returns the totals of stocks. The misspelled name is the exchange's own. */
export function tpexTotals(value: unknown): readonly Total[] {
  const tables = isObject(value) && Array.isArray(value['tables']) ? value['tables'].filter(isObject) : []
  const stated = { volume: 'totalTradingShares', trades: 'totalTranscations' }
  return Object.entries(stated).flatMap(([column, name]) => {
    const figures = tables.map(table => figureOf(table[name])).filter(figure => typeof figure === 'number')
    return figures.length > 0 ? [{ column, of: STOCKS, stated: figures.reduce((sum, each) => sum + each, 0) }] : []
  })
}

/** Counts the rows of all tables, including incomplete ones. */
export const heldBy = (tables: readonly { readonly held: number }[]): number => tables.reduce((sum, { held }) => sum + held, 0)
