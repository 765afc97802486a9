import { type Feed, jsonRecords, type Parsed, parseBy, requireColumns, textCell } from '../formats/index.ts'
import { indexCodeOf, indexRow, leftOutNotes } from './shared/index-values.ts'
import { dayOfRecords } from './shared/open-table.ts'

const CALLED = 'MI_INDEX 每日收盤行情-大盤統計資訊'
const NAMES = { day: '日期', name: '指數', value: '收盤指數', sign: '漲跌', points: '漲跌點數', percent: '漲跌百分比' } as const

function readList(value: unknown, requestedDay: string | undefined): Parsed {
  const records = jsonRecords(value)
  requireColumns(records, Object.values(NAMES), CALLED)
  const day = dayOfRecords(records.rows, { day: NAMES.day, called: CALLED }, requestedDay)
  const rows = records.rows.flatMap(record => {
    const name = textCell(record, NAMES.name)
    const code = indexCodeOf(name)
    if (code === undefined) return []
    const { value, sign, points, percent } = NAMES
    return indexRow(code, name, day, { value: record[value], sign: record[sign], points: record[points], percent: record[percent] })
  })
  return {
    kind: 'rows',
    rows: { 'market-indices': rows },
    notes: leftOutNotes(rows.length, records.rows.length),
  }
}

// Indices and quotes are published at different times, so each has its own feed.
const feed: Feed = {
  name: 'twse-indices',
  title: 'TWSE index closing values of the newest day, open data MI_INDEX: JSON',
  datasets: ['market-indices'],
  url: 'https://openapi.twse.com.tw/v1/exchangeReport/MI_INDEX',
  fetch: [{ period: 'latest', requests: [{ url: 'https://openapi.twse.com.tw/v1/exchangeReport/MI_INDEX' }] }],
  parse: parseBy({ json: readList }),
}

export default feed
