import {
  bodyRefused,
  csvRecords,
  dayOf,
  decimalCell,
  type Feed,
  isObject,
  type Parsed,
  parseBy,
  requireColumns,
  textCell,
} from '../formats/index.ts'
import { type BondYield, curvesOf } from './shared/nearest-bonds.ts'

const [DAY, BOND, YEARS, YIELD] = ['recorddate', 'bond_code', 'time_to_maturity_years', 'yield_pct'] as const
/** Columns of BDdys01a. Some headings occur twice: first the price, then the yield. */
const TRADED = { bond: '代號 Code', years: 'DY', yield: '平均 Volume-Weighted Average' } as const

const curves = (yields: readonly BondYield[], emitter: string, day: string | null): Parsed => {
  const rows = curvesOf(yields, emitter)
  if (rows.length === 0) return { kind: 'empty', date: day, reason: 'no bond near any tenor' }
  return { kind: 'rows', rows: { 'bond-yield-curve': rows } }
}

/** Central government bonds. Other issuers' bonds have different yields and are not used. */
const CENTRAL = /^A/

/** Returns one yield, or none for a bond of another issuer or without a yield. */
function bondOn(date: unknown, bond: string, years: unknown, percent: unknown): readonly BondYield[] {
  const day = dayOf(date)
  if (day === undefined)
    throw bodyRefused(
      'impossible_date',
      {
        en: `The date of ${bond} is "${String(date)}", not a date. Check the file against its source.`,
        zh: `${bond} 的日期為「${String(date)}」，不是有效日期；請將檔案與來源核對。`,
      },
      { said: date },
    )
  if (!CENTRAL.test(bond)) return []
  const [left, rate] = [decimalCell(years, 'the years to maturity', bond), decimalCell(percent, 'the yield', bond)]
  return left !== null && rate !== null ? [{ day, bond, years: left, yield: rate }] : []
}

/**
 * Refuses a table without central government bonds, because the format must have changed. The day
 * would otherwise count as a day without bonds.
 *
 * @throws Refusal unknown_form
 */
function requireCentralBonds(bonds: readonly string[]): void {
  if (bonds.length === 0 || bonds.some(bond => CENTRAL.test(bond))) return
  const [first] = bonds
  const words = {
    en: `The file has an unknown format: none of its ${bonds.length} rows is a central government bond, whose code starts with A (the first row has "${first}"). Compare the file with its source. If the source changed its format, the feed must be updated.`,
    zh: `無法辨識檔案格式：${bonds.length} 列中沒有代號以 A 開頭的中央政府公債（第一列為「${first}」）。請與來源核對檔案；若來源已變更格式，須更新匯入程式。`,
  }
  throw bodyRefused('unknown_form', words, { rows: bonds.length, said: first })
}

function readList(text: string, requestedDay: string | undefined): Parsed {
  const records = csvRecords(text)
  requireColumns(records, [DAY, BOND, YEARS, YIELD], { en: 'the list of government bonds by day', zh: '公債每日清單' })
  requireCentralBonds(records.rows.map(row => textCell(row, BOND)))
  const yields = records.rows.flatMap(row => bondOn(textCell(row, DAY), textCell(row, BOND), textCell(row, YEARS), textCell(row, YIELD)))
  return curves(yields, 'tpex_government_bond_list', requestedDay ?? null)
}

type TradeRecord = Readonly<Record<string, unknown>>

const recordsOf = (table: unknown): readonly TradeRecord[] =>
  isObject(table) && Array.isArray(table['records']) ? table['records'].map(record => (isObject(record) ? record : {})) : []

/** @throws Refusal unknown_form, which names the missing columns */
function requireTradeColumns(records: readonly TradeRecord[]): void {
  const missing = Object.values(TRADED).filter(name => records.some(record => !Object.hasOwn(record, name)))
  if (missing.length === 0) return
  const words = {
    en: `The trades of BDdys01a have no ${missing.join(', ')}. Compare the file with its source. If the source changed its format, the feed must be updated.`,
    zh: `BDdys01a 的成交資料缺少 ${missing.join('、')}。請與來源核對檔案；若來源已變更格式，須更新匯入程式。`,
  }
  throw bodyRefused('unknown_form', words, { missing })
}

/** @throws Refusal wrong_table, unknown_form, impossible_date or unreadable_number */
function readTrades(value: unknown, requestedDay: string | undefined): Parsed {
  const days = isObject(value) && isObject(value['dates']) ? Object.entries(value['dates']) : []
  const isTrades = days.length > 0 && days.every(([, table]) => isObject(table) && Array.isArray(table['records']))
  if (!isTrades)
    throw bodyRefused('wrong_table', {
      en: 'This is not a collection of BDdys01a, the daily government bond trades. If another feed reads this file, use that feed (see twmd ingest --help).',
      zh: '這不是公債每日成交彙編 BDdys01a；若有其他資料來源可讀取此檔案，請改用該來源（見 twmd ingest --help）。',
    })
  const trades = days.flatMap(([day, table]) => recordsOf(table).map(record => ({ day, record, bond: String(record[TRADED.bond] ?? '') })))
  requireTradeColumns(trades.map(({ record }) => record))
  requireCentralBonds(trades.map(({ bond }) => bond))
  const yields = trades.flatMap(({ day, bond, record }) => bondOn(day, bond, record[TRADED.years], record[TRADED.yield]))
  return curves(yields, 'tpex_ebts_trades', requestedDay ?? null)
}

const feed: Feed = {
  name: 'government-bonds',
  title: 'TPEx yield curve of the government bonds nearest to each tenor: daily bond list as CSV, or trades BDdys01a as JSON',
  datasets: ['bond-yield-curve'],
  url: 'https://www.tpex.org.tw/zh-tw/bond/info/statistics/government-bond.html',
  parse: parseBy({ csv: readList, json: readTrades }),
}

export default feed
