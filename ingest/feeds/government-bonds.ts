import {
  bodyRefused,
  csvRecords,
  dayOf,
  type Feed,
  figureOf,
  isObject,
  type Parsed,
  parseBy,
  requireColumns,
  textCell,
} from '../formats/index.ts'
import { type BondYield, curvesOf } from './shared/nearest-bonds.ts'

const [DAY, BOND, YEARS, YIELD] = ['recorddate', 'bond_code', 'time_to_maturity_years', 'yield_pct'] as const
/** Of BDdys01a; the second column of a name is the one of yields, the first of prices. */
const TRADED = { bond: '代號 Code', years: 'DY', yield: '平均 Volume-Weighted Average' } as const

const curves = (yields: readonly BondYield[], emitter: string, day: string | null): Parsed => {
  const rows = curvesOf(yields, emitter)
  if (rows.length === 0) return { kind: 'empty', date: day, reason: 'no bond near any tenor' }
  return { kind: 'rows', rows: { 'bond-yield-curve': rows } }
}

/** Bonds of the central government begin with A; those of others trade at other yields. */
const CENTRAL = /^A/

/** A bond of another issuer, or without a yield that day, says nothing of the curve. */
function bondOn(said: unknown, bond: string, years: unknown, percent: unknown): readonly BondYield[] {
  const day = dayOf(said)
  if (day === undefined)
    throw bodyRefused(
      'impossible_date',
      {
        en: `The day of ${bond} says "${String(said)}", which is no day; check the file against its source.`,
        zh: `${bond} 的日期為「${String(said)}」，並非日期；請與來源核對檔案。`,
      },
      { said },
    )
  const [left, rate] = [figureOf(years), figureOf(percent)]
  return CENTRAL.test(bond) && typeof left === 'number' && typeof rate === 'number' ? [{ day, bond, years: left, yield: rate }] : []
}

function readList(text: string, requestedDay: string | undefined): Parsed {
  const records = csvRecords(text)
  requireColumns(records, [DAY, BOND, YEARS, YIELD], { en: 'the list of government bonds by day', zh: '公債每日清單' })
  const yields = records.rows.flatMap(row => bondOn(textCell(row, DAY), textCell(row, BOND), textCell(row, YEARS), textCell(row, YIELD)))
  return curves(yields, 'tpex_government_bond_list', requestedDay ?? null)
}

function readTrades(value: unknown, requestedDay: string | undefined): Parsed {
  const days = isObject(value) && isObject(value['dates']) ? Object.entries(value['dates']) : []
  const yields = days.flatMap(([day, table]) => {
    const records = isObject(table) && Array.isArray(table['records']) ? table['records'].filter(isObject) : []
    return records.flatMap(record => bondOn(day, String(record[TRADED.bond] ?? ''), record[TRADED.years], record[TRADED.yield]))
  })
  const isTrades = days.length > 0 && days.every(([, table]) => isObject(table) && Array.isArray(table['records']))
  if (!isTrades)
    throw bodyRefused('wrong_table', {
      en: 'This is not a collection of BDdys01a, trades of government bonds by day; give the file to the feed of its own table.',
      zh: '這不是公債每日成交彙編 BDdys01a；請將檔案交給其所屬表格的資料來源。',
    })
  return curves(yields, 'tpex_ebts_trades', requestedDay ?? null)
}

const feed: Feed = {
  name: 'government-bonds',
  title: 'TPEx government bonds by day, a curve read off the bonds nearest to each tenor: list of bonds as CSV, or trades BDdys01a as JSON',
  datasets: ['bond-yield-curve'],
  url: 'https://www.tpex.org.tw/zh-tw/bond/info/statistics/government-bond.html',
  parse: parseBy({ csv: readList, json: readTrades }),
}

export default feed
