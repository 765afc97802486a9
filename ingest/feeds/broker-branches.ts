import {
  bodyRefused,
  csvRecords,
  type Feed,
  jsonRecords,
  type Parsed,
  parseBy,
  type Records,
  requireColumns,
  textCell,
} from '../formats/index.ts'
import { type BranchSource, branchRow, headOfficesOf } from './shared/branch.ts'
import { isFallbackCode } from './shared/broker-name.ts'

const COLUMNS = ['證券商代號', '證券商名稱', '開業日', '地址']
/** Heading of the publication date. Only open data has it. */
const PRINTED = '出表日期'

const OPEN_DATA: BranchSource = { provider: 'twse', role: 'canonical', family: 'twse_open_data', publication: 'twse_brk02' }
/** The table on the exchange's web site, which also lists head offices. */
const SHEET: BranchSource = { provider: 'twse', role: 'fallback', family: 'twse_website', publication: 'twse_broker_list_sheet' }

function readList(records: Records, requestedDay: string | undefined): Parsed {
  requireColumns(records, COLUMNS, { en: 'the list of securities firms and their branches', zh: '證券商與分公司清單' })
  if (records.rows.length === 0) return { kind: 'empty', date: requestedDay ?? null, reason: 'a heading without rows' }
  if (requestedDay === undefined && records.rows.some(row => textCell(row, PRINTED) === ''))
    throw bodyRefused('day_not_stated', {
      en: 'The list has no date. Set the day you downloaded it with --date YYYY-MM-DD.',
      zh: '清單未載明日期；請以 --date YYYY-MM-DD 指定取得清單的日期。',
    })
  const source = records.columns.has(PRINTED) ? OPEN_DATA : SHEET
  const offices = headOfficesOf(records.rows)
  const rows = records.rows.map(row => branchRow(row, offices, source, requestedDay ?? null)).filter(row => row !== undefined)
  if (rows.length === 0) {
    throw bodyRefused(
      'wrong_table',
      {
        en: 'The list has only head offices. Use the list of branches.',
        zh: '清單只有總公司而沒有分公司；請提供分公司的檔案。',
      },
      { rows: records.rows.length },
    )
  }
  const unresolved = rows.filter(row => isFallbackCode(String(row['parent_broker_code']))).length
  const notes = [
    `${records.rows.length - rows.length} head offices used as parent companies`,
    `${unresolved} branches got a fallback parent code`,
  ]
  return { kind: 'rows', rows: { 'broker-branch-reference': rows }, notes }
}

const feed: Feed = {
  name: 'broker-branches',
  title:
    'TWSE list of broker branches: open data OpenData_BRK02 (JSON or CSV), or the list of firms and branches as CSV without a date (with --date)',
  datasets: ['broker-branch-reference'],
  leastRows: { 'broker-branch-reference': 300 },
  url: 'https://openapi.twse.com.tw/v1/opendata/OpenData_BRK02',
  fetch: [{ period: 'latest', requests: [{ url: 'https://openapi.twse.com.tw/v1/opendata/OpenData_BRK02' }] }],
  parse: parseBy({
    json: (value, requestedDay) => readList(jsonRecords(value), requestedDay),
    csv: (text, requestedDay) => readList(csvRecords(text), requestedDay),
  }),
}

export default feed
