import type { FlatFeed } from '../formats/index.ts'
import { NO_COMPANIES } from './shared/filed-quarter.ts'
import { profitability } from './shared/profitability.ts'

const feed: FlatFeed = {
  name: 'twse-profitability',
  title: 'Margins of listed companies, open data t187ap17_L: JSON or CSV of the newest quarter',
  url: 'https://openapi.twse.com.tw/v1/opendata/t187ap17_L',
  fetch: [{ period: 'latest', requests: [{ url: 'https://openapi.twse.com.tw/v1/opendata/t187ap17_L' }] }],
  nothing: NO_COMPANIES,
  ...profitability('TWSE'),
}

export default feed
