import type { FlatFeed } from '../formats/index.ts'

const feed: FlatFeed = {
  name: 'tpex-delistings',
  title: 'TPEx companies whose over-the-counter trading ended, one year: JSON',
  dataset: 'delistings',
  called: { en: 'the list of delisted over-the-counter companies', zh: '終止上櫃公司' },
  url: 'https://www.tpex.org.tw/zh-tw/mainboard/listed/delisted.html',
  columns: {
    ticker: '股票代號',
    market: { always: 'TPEX' },
    delisting_date: '終止上櫃日期',
    company_name: '公司名稱',
    reason: '終止上櫃原因',
  },
}

export default feed
