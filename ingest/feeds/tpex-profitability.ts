import type { FlatFeed } from '../formats/index.ts'
import { NO_COMPANIES } from './shared/filed-quarter.ts'
import { profitability } from './shared/profitability.ts'

const feed: FlatFeed = {
  name: 'tpex-profitability',
  title: 'Margins of over-the-counter companies, open data mopsfin_187ap17_O: JSON or CSV of the newest quarter',
  url: 'https://www.tpex.org.tw/openapi/v1/mopsfin_187ap17_O',
  fetch: [{ period: 'latest', requests: [{ url: 'https://www.tpex.org.tw/openapi/v1/mopsfin_187ap17_O' }] }],
  nothing: NO_COMPANIES,
  ...profitability('TPEX'),
}

export default feed
