import type { FlatFeed } from '../formats/index.ts'

const feed: FlatFeed = {
  name: 'tpex-cb-prices',
  title: 'TPEx RSta0113, trades of convertible bonds on one day: CSV',
  dataset: 'cb-prices',
  called: 'RSta0113 轉(交)換公司債買賣斷交易行情表',
  url: 'https://www.tpex.org.tw/zh-tw/bond/info/statistics-cb/day-quotes.html',
  fetch: [
    {
      period: 'day',
      since: '2017-01-17',
      requests: [{ url: 'https://www.tpex.org.tw/storage/bond_zone/tradeinfo/cb/{YYYY}/{YYYYMM}/RSta0113.{YYYYMMDD}-C.csv' }],
    },
  ],
  daily: 'TPEX',
  carried: ['代號', '名稱'],
  columns: {
    bond_code: '代號',
    trade_type: { from: '交易', words: { 等價: 'order_book', 議價: 'negotiated' } },
    name: '名稱',
    close: '收市',
    change: '漲跌',
    open: '開市',
    high: '最高',
    low: '最低',
    transactions: '筆數',
    units: '單位',
    value: '金額',
    average_price: '均價',
    next_reference_price: '明日參價',
    next_limit_up: '明日漲停',
    next_limit_down: '明日跌停',
  },
}

export default feed
