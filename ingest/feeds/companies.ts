import {
  csvRecords,
  dayOrNull,
  type Feed,
  jsonRecords,
  type Parsed,
  parseBy,
  type Records,
  requireColumns,
  textCell,
  tickerCell,
  tidyOrNull,
  tidyText,
} from '../formats/index.ts'

const CHINESE = { day: '出表日期', code: '公司代號', name: '公司簡稱', english: '英文簡稱' }
/** Headings of mopsfin_t187ap03_O, the register that TPEx publishes itself. */
const ENGLISH = { day: 'Date', code: 'SecuritiesCompanyCode', name: 'CompanyAbbreviation', english: 'Symbol' }

const NONE = /^[-－—.]*$/

/** @throws Refusal impossible_date or unreadable_ticker */
function readRegister(records: Records, requestedDay: string | undefined): Parsed {
  const headings = records.columns.has(ENGLISH.code) ? ENGLISH : CHINESE
  requireColumns(records, Object.values(headings), { en: 't187ap03, the register of companies', zh: 't187ap03 公司基本資料' })
  if (records.rows.length === 0) return { kind: 'empty', date: requestedDay ?? null, reason: 'a heading without rows' }
  const rows = records.rows.map(row => {
    const english = tidyOrNull(textCell(row, headings.english))
    return {
      ticker: tickerCell(textCell(row, headings.code)),
      name: tidyText(textCell(row, headings.name)),
      english_name: english === null || NONE.test(english) ? null : english,
      as_of_date: dayOrNull(textCell(row, headings.day), headings.day),
      source_name: 'mops_company_register',
    }
  })
  return { kind: 'rows', rows: { 'company-names': rows } }
}

const feed: Feed = {
  name: 'companies',
  title:
    'Register of listed or over-the-counter companies, open data t187ap03, with their English short names: JSON or CSV, with Chinese headings or those of TPEx',
  datasets: ['company-names'],
  leastRows: { 'company-names': 500 },
  url: 'https://openapi.twse.com.tw/v1/opendata/t187ap03_L',
  fetch: [
    {
      period: 'latest',
      requests: [
        { url: 'https://openapi.twse.com.tw/v1/opendata/t187ap03_L' },
        { url: 'https://mopsfin.twse.com.tw/opendata/t187ap03_O.csv' },
      ],
    },
  ],
  parse: parseBy({
    json: (value, requestedDay) => readRegister(jsonRecords(value), requestedDay),
    csv: (text, requestedDay) => readRegister(csvRecords(text), requestedDay),
  }),
}

export default feed
