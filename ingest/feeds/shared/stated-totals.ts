import type { Total } from '../../../src/releases/index.ts'
import { bodyRefused, figureOf, isObject, type Table } from '../../formats/index.ts'

/** Selections of the exchange's daily tables that hold every security; the second leaves warrants out. */
const EVERYTHING = 'ALL'
const WHOLE = [EVERYTHING, 'ALLBUT0999']

/**
 * A day's list is published as that whole day, so a list of one industry must not pass for it.
 *
 * @throws Refusal partial_list when the body says it was asked for a part of the market
 */
export function requireWholeList(value: unknown): void {
  const selection = selectionOf(value)
  if (typeof selection === 'string' && !WHOLE.includes(selection)) {
    throw bodyRefused(
      'partial_list',
      {
        en: `The body is the part "${selection}" of the market; fetch it again with ALLBUT0999.`,
        zh: `內容僅為市場的一部分「${selection}」；請以 ALLBUT0999 重新取得。`,
      },
      { selection },
    )
  }
}

/** Whether the body says that warrants are in its list. */
export const holdsWarrants = (value: unknown): boolean => selectionOf(value) === EVERYTHING

function selectionOf(value: unknown): unknown {
  if (!isObject(value)) return undefined
  const params = isObject(value['params']) ? value['params'] : {}
  return value['selectType'] ?? params['selectType'] ?? params['type']
}

/** Value traded is left out: the statistics convert securities quoted in foreign currency, the quotes do not. */
const COLUMNS = { volume: '成交股數(股)', trades: '成交筆數' } as const
const WARRANTS = /認購\(售\)權證/

/**
 * Shares and trades of the whole market, from the statistics MI_INDEX prints beside the quotes; none where they are not printed completely.
 *
 * @param warrants whether the list of quotes holds warrants; without them their line is taken off the total
 */
export function twseTotals(tables: readonly Table[], warrants: boolean): readonly Total[] {
  const table = tables.find(({ fields }) => fields[0] === '成交統計')
  if (table === undefined) return []
  const line = (wanted: RegExp) => table.data.find(row => wanted.test(String(row[0]).normalize('NFKC')))
  const [whole, without] = [line(/^總計/), line(WARRANTS)]
  return Object.entries(COLUMNS).flatMap(([column, field]) => {
    const at = table.fields.indexOf(field)
    const [sum, less] = [figureOf(whole?.[at]), warrants ? 0 : figureOf(without?.[at])]
    return typeof sum === 'number' && typeof less === 'number' ? [{ column, of: null, stated: sum - less }] : []
  })
}

/** Stocks, preferred ones included: four digits, and a letter for a preferred one. The heading of the quotes counts those alone. */
const STOCKS = '\\d{4}[A-Z]?'

/** Shares and trades of the stocks, from the heading of the TPEx quotes. The second name is misspelt by the exchange. */
export function tpexTotals(value: unknown): readonly Total[] {
  const tables = isObject(value) && Array.isArray(value['tables']) ? value['tables'].filter(isObject) : []
  const stated = { volume: 'totalTradingShares', trades: 'totalTranscations' }
  return Object.entries(stated).flatMap(([column, name]) => {
    const figures = tables.map(table => figureOf(table[name])).filter(figure => typeof figure === 'number')
    return figures.length > 0 ? [{ column, of: STOCKS, stated: figures.reduce((sum, each) => sum + each, 0) }] : []
  })
}

/** Rows that tables hold together, those with too few cells to be read included. */
export const heldBy = (tables: readonly { readonly held: number }[]): number => tables.reduce((sum, { held }) => sum + held, 0)
