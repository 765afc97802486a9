import type { Total } from '../../../src/releases/index.ts'
import { figureOf, isObject, type Table } from '../../formats/index.ts'

/** Value traded is left out: the statistics convert securities quoted in foreign currency, the quotes do not. */
const COLUMNS = { volume: '成交股數(股)', trades: '成交筆數' } as const
const WARRANTS = /認購\(售\)權證/

/**
 * Shares and trades of the whole market, from the statistics MI_INDEX prints beside the quotes; none where they are not printed whole.
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
