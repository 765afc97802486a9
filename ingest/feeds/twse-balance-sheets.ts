import type { FlatFeed } from '../formats/index.ts'
import { balanceSheets } from './shared/balance-sheet.ts'
import { NO_COMPANIES } from './shared/filed-quarter.ts'
import { requestsOfForms } from './shared/open-data-income.ts'

const TABLES = requestsOfForms('https://openapi.twse.com.tw/v1/opendata/t187ap07_L')

const feed: FlatFeed = {
  name: 'twse-balance-sheets',
  title: 'Balance sheets of listed companies, open data t187ap07_L in six forms: JSON or CSV of the newest quarter',
  url: TABLES[0].url,
  fetch: [{ period: 'latest', requests: TABLES }],
  nothing: NO_COMPANIES,
  ...balanceSheets('TWSE'),
}

export default feed
