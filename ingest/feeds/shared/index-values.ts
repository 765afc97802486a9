import type { Row } from '../../../catalog/index.ts'
import { decimalCell, plainText, type Table, wholeRows } from '../../formats/index.ts'

/** Codes of the main and sector indices, keyed by the name in the exchange's list of indices. */
const CODES: Readonly<Record<string, string>> = {
  發行量加權股價指數: 'IX0001',
  寶島股價指數: 'FRMSA',
  臺灣50指數: 'TW50',
  臺灣中型100指數: 'TWMC',
  臺灣高股息指數: 'TWDP',
  臺灣公司治理100指數: 'CG100',
  小型股300指數: 'SC300',
  未含金融指數: 'IX0007',
  未含電子指數: 'IX0008',
  未含金融電子指數: 'IX0009',
  水泥窯製類指數: 'IX0013',
  塑膠化工類指數: 'IX0014',
  機電類指數: 'IX0015',
  水泥類指數: 'IX0010',
  食品類指數: 'IX0011',
  塑膠類指數: 'IX0012',
  紡織纖維類指數: 'IX0016',
  電機機械類指數: 'IX0017',
  電器電纜類指數: 'IX0018',
  化學生技醫療類指數: 'IX0019',
  化學類指數: 'IX0020',
  生技醫療類指數: 'IX0021',
  玻璃陶瓷類指數: 'IX0022',
  造紙類指數: 'IX0023',
  鋼鐵類指數: 'IX0024',
  橡膠類指數: 'IX0025',
  汽車類指數: 'IX0026',
  電子工業類指數: 'IX0027',
  半導體類指數: 'IX0028',
  電腦及週邊設備類指數: 'IX0029',
  光電類指數: 'IX0030',
  通信網路類指數: 'IX0031',
  電子零組件類指數: 'IX0032',
  電子通路類指數: 'IX0033',
  資訊服務類指數: 'IX0034',
  其他電子類指數: 'IX0035',
  建材營造類指數: 'IX0036',
  航運類指數: 'IX0037',
  觀光餐旅類指數: 'IX0038',
  金融保險類指數: 'IX0039',
  貿易百貨類指數: 'IX0040',
  油電燃氣類指數: 'IX0041',
  其他類指數: 'IX0042',
  綠能環保類指數: 'IX0185',
  數位雲端類指數: 'IX0186',
  運動休閒類指數: 'IX0187',
  居家生活類指數: 'IX0188',
}

/** Maps names in the daily report to names in the list of indices. */
const ALIASES: Readonly<Record<string, string>> = {
  電子類指數: '電子工業類指數',
  航運業類指數: '航運類指數',
  觀光類指數: '觀光餐旅類指數',
  觀光事業類指數: '觀光餐旅類指數',
}

/**
 * Returns the code of an index. Undefined if the service does not cover the index. The name of a
 * total return index adds 報酬 to the name of the price index. IR0010 is the total return index of
 * IX0010.
 */
export function indexCodeOf(name: string): string | undefined {
  const price = name.replace(/報酬指數$/, '指數')
  const code = CODES[ALIASES[price] ?? price]
  if (price === name) return code
  return code?.startsWith('IX') ? `IR${code.slice(2)}` : undefined
}

/** Headings of the name column, for price indices and for total return indices. */
const [PRICE, RETURN] = ['指數', '報酬指數'] as const
const VALUE = '收盤指數'
const SIGN = '漲跌(+/-)'
const POINTS = '漲跌點數'
const PERCENT = '漲跌百分比(%)'

/** True for a table of price indices or total return indices. */
export const hasIndices = (fields: readonly string[]): boolean =>
  (fields[0] === PRICE || fields[0] === RETURN) && [VALUE, SIGN, POINTS, PERCENT].every(name => fields.includes(name))

/**
 * Adds the sign, which the report prints in a separate column. Points never have a sign of their
 * own, percentages only sometimes. Null if the sign column is empty, because the exchange then made
 * no comparison.
 */
function signed(sign: string, figure: number | null): number | null {
  if (figure === null || figure === 0) return figure
  if (sign === '+') return Math.abs(figure)
  return sign === '-' ? -Math.abs(figure) : null
}

interface IndexCells {
  readonly value: unknown
  readonly sign: unknown
  readonly points: unknown
  readonly percent: unknown
}

/**
 * Returns one row, or none if the report has no value.
 *
 * @throws Refusal unreadable_number
 */
export function indexRow(code: string, name: string, day: string, cells: IndexCells): readonly Row[] {
  const value = decimalCell(cells.value, VALUE, name)
  if (value === null) return []
  const sign = plainText(String(cells.sign ?? '')).trim()
  const change = signed(sign, decimalCell(cells.points, POINTS, name))
  const percent = signed(sign, decimalCell(cells.percent, PERCENT, name))
  return [{ index_code: code, name, trade_date: day, value, change, change_pct: percent }]
}

/**
 * Returns the rows, and the number of indices in the tables. Skips indices without a code or a
 * value.
 *
 * @throws Refusal row_count_mismatch, row_shape or unreadable_number
 */
export function indicesOfTables(tables: readonly Table[], day: string): { readonly rows: readonly Row[]; readonly named: number } {
  const whole = tables.map(table => ({ fields: table.fields, lines: wholeRows(table).rows }))
  const rows = whole.flatMap(({ fields, lines }) => {
    const placeOf = (field: string): number => fields.indexOf(field)
    return lines.flatMap(cells => {
      const name = String(cells[0] ?? '').trim()
      const code = indexCodeOf(name)
      if (code === undefined || code.startsWith('IR') !== (fields[0] === RETURN)) return []
      return indexRow(code, name, day, {
        value: cells[placeOf(VALUE)],
        sign: cells[placeOf(SIGN)],
        points: cells[placeOf(POINTS)],
        percent: cells[placeOf(PERCENT)],
      })
    })
  })
  return { rows, named: whole.reduce((sum, { lines }) => sum + lines.length, 0) }
}

/**
 * Returns a note about skipped indices, if any.
 *
 * @param kept number of rows
 * @param named number of indices in the report
 */
export const leftOutNotes = (kept: number, named: number): readonly string[] =>
  kept === named ? [] : [`${named - kept} of ${named} indices have no code in the service or no value, and were skipped`]
