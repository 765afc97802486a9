import type { FlatFeed } from '../formats/index.ts'
import { balanceSheets } from './shared/balance-sheet.ts'
import { NO_COMPANIES } from './shared/filed-quarter.ts'
import { requestsOfForms } from './shared/open-data-income.ts'

const TABLES = requestsOfForms('https://www.tpex.org.tw/openapi/v1/mopsfin_t187ap07_O')

const feed: FlatFeed = {
  name: 'tpex-balance-sheets',
  title: 'Balance sheets of over-the-counter companies, open data mopsfin_t187ap07_O in six forms: JSON or CSV of the newest quarter',
  url: TABLES[0].url,
  fetch: [{ period: 'latest', requests: TABLES }],
  nothing: NO_COMPANIES,
  ...balanceSheets('TPEX'),
}

export default feed
