import { csvRecords, type Feed, jsonRecords, type Parsed, parseBy, type Records, requireColumns } from '../formats/index.ts'
import { FIRM, firmRow } from './shared/firm.ts'

function readRegister(records: Records, requestedDay: string | undefined): Parsed {
  requireColumns(records, Object.values(FIRM), { en: 't187ap18, the register of securities firms', zh: 't187ap18 證券商基本資料' })
  if (records.rows.length === 0) return { kind: 'empty', date: requestedDay ?? null, reason: 'a heading without rows' }
  return { kind: 'rows', rows: { 'securities-firm-master': records.rows.map(firmRow) } }
}

const feed: Feed = {
  name: 'securities-firms',
  title: 'TWSE register of securities firms, open data t187ap18: JSON or CSV',
  datasets: ['securities-firm-master'],
  leastRows: { 'securities-firm-master': 30 },
  url: 'https://openapi.twse.com.tw/v1/opendata/t187ap18',
  fetch: [{ period: 'latest', requests: [{ url: 'https://openapi.twse.com.tw/v1/opendata/t187ap18' }] }],
  parse: parseBy({
    json: (value, requestedDay) => readRegister(jsonRecords(value), requestedDay),
    csv: (text, requestedDay) => readRegister(csvRecords(text), requestedDay),
  }),
}

export default feed
