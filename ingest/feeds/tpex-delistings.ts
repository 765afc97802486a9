import type { FlatFeed } from '../formats/index.ts'

const feed: FlatFeed = {
  name: 'tpex-delistings',
  title: 'TPEx companies whose over-the-counter trading ended, all years or one: JSON',
  dataset: 'delistings',
  called: { en: 'the list of delisted over-the-counter companies', zh: '終止上櫃公司' },
  url: 'https://www.tpex.org.tw/zh-tw/mainboard/listed/delisted.html',
  fetch: [
    {
      period: 'latest',
      keeps: 'all',
      requests: [
        {
          url: 'https://www.tpex.org.tw/www/zh-tw/company/deListed',
          // Without a page size, the source returns ten rows. A list that is cut off is refused.
          form: { code: '', date: 'ALL', reason: '-1', response: 'json', 'paging-offset': '0', 'paging-size': '1000' },
        },
      ],
    },
  ],
  columns: {
    ticker: '股票代號',
    market: { always: 'TPEX' },
    delisting_date: '終止上櫃日期',
    company_name: '公司名稱',
    reason: '終止上櫃原因',
  },
}

export default feed
