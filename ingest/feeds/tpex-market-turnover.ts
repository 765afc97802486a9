import type { FlatFeed } from '../formats/index.ts'

const feed: FlatFeed = {
  name: 'tpex-market-turnover',
  title: 'TPEx turnover of the market by day: JSON of one month',
  dataset: 'market-turnover',
  called: { en: 'the TPEx turnover and index by day', zh: '櫃買中心日成交量值指數' },
  url: 'https://www.tpex.org.tw/zh-tw/mainboard/trading/info/trading-index.html',
  fetch: [
    {
      period: 'month',
      since: '2007-04-01',
      requests: [{ url: 'https://www.tpex.org.tw/www/zh-tw/afterTrading/tradingIndex?date={first:YYYY/MM/DD}&response=json' }],
    },
  ],
  nothing: /without rows/,
  columns: {
    market: { always: 'TPEX' },
    trade_date: '日期',
    volume: { from: ['成交張數', '成交股數(仟股)'], times: 1_000 },
    value: { from: ['金額(仟元)', '成交金額(仟元)'], times: 1_000 },
    transactions: ['筆數', '成交筆數'],
    index_close: '櫃買指數',
    index_change: ['漲/跌', '漲跌'],
  },
}

export default feed
