import type { FlatFeed } from '../formats/index.ts'

const feed: FlatFeed = {
  name: 'twse-market-turnover',
  title: 'TWSE FMTQIK, turnover of the market by day: JSON of one month, or open data FMTQIK',
  dataset: 'market-turnover',
  called: { en: 'FMTQIK, turnover of the market', zh: 'FMTQIK 每日市場成交資訊' },
  url: 'https://www.twse.com.tw/zh/trading/historical/fmtqik.html',
  fetch: [
    { period: 'latest', requests: [{ url: 'https://openapi.twse.com.tw/v1/exchangeReport/FMTQIK' }] },
    {
      period: 'month',
      since: '1990-01-01',
      requests: [{ url: 'https://www.twse.com.tw/rwd/zh/afterTrading/FMTQIK?date={first:YYYYMMDD}&response=json' }],
    },
  ],
  nothing: /沒有符合條件/,
  columns: {
    market: { always: 'TWSE' },
    trade_date: ['日期', 'Date'],
    volume: ['成交股數', 'TradeVolume'],
    value: ['成交金額', '成交金額(元)', 'TradeValue'],
    transactions: ['成交筆數', 'Transaction'],
    index_close: ['發行量加權股價指數', 'TAIEX'],
    index_change: ['漲跌點數', 'Change'],
  },
}

export default feed
