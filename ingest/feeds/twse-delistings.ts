import type { FlatFeed } from '../formats/index.ts'

const feed: FlatFeed = {
  name: 'twse-delistings',
  title: 'TWSE companies whose listing ended, open data suspendListingCsvAndHtml: JSON',
  dataset: 'delistings',
  called: { en: 'the list of delisted companies', zh: '終止上市公司' },
  url: 'https://openapi.twse.com.tw/v1/company/suspendListingCsvAndHtml',
  fetch: [{ period: 'latest', requests: [{ url: 'https://openapi.twse.com.tw/v1/company/suspendListingCsvAndHtml' }] }],
  columns: {
    ticker: 'Code',
    market: { always: 'TWSE' },
    delisting_date: 'DelistingDate',
    company_name: 'Company',
    reason: { always: null },
  },
}

export default feed
