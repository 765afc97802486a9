import type { Row } from '../../catalog/index.ts'
import {
  bodyRefused,
  csvRecords,
  dayOf,
  decimalCell,
  type Feed,
  jsonRecords,
  type Parsed,
  parseBy,
  presentInteger,
  type Records,
  requireColumns,
  textCell,
  tickerCell,
} from '../formats/index.ts'

const [DAY, CODE, LEVEL, HOLDERS, SHARES, PERCENT] = ['資料日期', '證券代號', '持股分級', '人數', '股數', '占集保庫存數比例%'] as const

/** Rows per security: 15 sizes of holdings, a difference and a total. */
const LEVELS = 17

/** @throws Refusal wrong_day if the file has several days, or another day than the requested one */
function dayOfBody({ rows }: Records, requestedDay: string | undefined): string {
  const days = [...new Set(rows.map(row => textCell(row, DAY)))]
  const day = dayOf(days[0])
  if (days.length > 1 || day === undefined) {
    throw bodyRefused(
      'wrong_day',
      {
        en: `The file has several dates: ${days.slice(0, 5).join(', ')}. Each file must have the data of one week. Fetch it again.`,
        zh: `檔案含有多個日期：${days.slice(0, 5).join('、')}，應只有一週的資料；請重新取得。`,
      },
      { said: days },
    )
  }
  if (requestedDay !== undefined && requestedDay !== day) {
    throw bodyRefused(
      'wrong_day',
      {
        en: `The file is for ${day}, not for the requested ${requestedDay}. TDCC publishes only the newest week: omit --date.`,
        zh: `檔案的日期為 ${day}，與指定的 ${requestedDay} 不符；集保結算所只公布最新一週，請勿使用 --date。`,
      },
      { day, asked: requestedDay },
    )
  }
  return day
}

function rowOf(record: Records['rows'][number], day: string): Row {
  const ticker = tickerCell(textCell(record, CODE))
  const level = presentInteger(textCell(record, LEVEL), LEVEL, ticker)
  const named = `${ticker} level ${level}`
  return {
    ticker,
    week_date: day,
    level,
    holders: presentInteger(textCell(record, HOLDERS), HOLDERS, named),
    shares: presentInteger(textCell(record, SHARES), SHARES, named),
    percent: decimalCell(textCell(record, PERCENT), PERCENT, named),
  }
}

/**
 * Parses one week.
 *
 * @throws Refusal wrong_table, wrong_day; incomplete_body if a security lacks or repeats a level
 */
function readWeek(records: Records, requestedDay: string | undefined): Parsed {
  requireColumns(records, [DAY, CODE, LEVEL, HOLDERS, SHARES, PERCENT], {
    en: 'TDCC_OD_1-5, the distribution of shareholders',
    zh: 'TDCC_OD_1-5 集保戶股權分散表',
  })
  if (records.rows.length === 0) return { kind: 'empty', date: requestedDay ?? null, reason: 'a heading without rows' }
  const day = dayOfBody(records, requestedDay)
  const rows = records.rows.map(record => rowOf(record, day))
  const levels = Map.groupBy(rows, ({ ticker }) => String(ticker))
  const partial = [...levels].filter(([, own]) => own.length !== LEVELS || new Set(own.map(({ level }) => level)).size !== LEVELS)
  if (partial.length > 0) {
    const named = partial.slice(0, 5).map(([ticker]) => ticker)
    const words = {
      en: `${partial.length} securities do not have each of the ${LEVELS} levels exactly once, for example ${named.join(', ')}. Fetch the file again.`,
      zh: `有 ${partial.length} 檔證券的 ${LEVELS} 個持股分級有缺漏或重複，例如 ${named.join('、')}；請重新取得檔案。`,
    }
    throw bodyRefused('incomplete_body', words, { securities: partial.length, named })
  }
  return { kind: 'rows', rows: { 'shareholder-distribution': rows } }
}

const feed: Feed = {
  name: 'tdcc-distribution',
  title: 'TDCC distribution of shareholders, open data 1-5: CSV or JSON of the newest week',
  datasets: ['shareholder-distribution'],
  url: 'https://opendata.tdcc.com.tw/getOD.ashx?id=1-5',
  fetch: [
    { period: 'latest', requests: [{ url: 'https://opendata.tdcc.com.tw/getOD.ashx?id=1-5' }] },
    { period: 'latest', requests: [{ url: 'https://smart.tdcc.com.tw/opendata/getOD.ashx?id=1-5' }] },
  ],
  parse: parseBy({
    csv: (text, requestedDay) => readWeek(csvRecords(text), requestedDay),
    json: (value, requestedDay) => readWeek(jsonRecords(value), requestedDay),
  }),
}

export default feed
