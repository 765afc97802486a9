import type { FlatFeed } from '../formats/index.ts'

const feed: FlatFeed = {
  name: 'twse-market-classes',
  title: 'TWSE MI_INDEX, turnover of each class of securities on one day: JSON',
  dataset: 'market-turnover-by-class',
  called: { en: 'the market statistics of MI_INDEX', zh: 'MI_INDEX 大盤統計資訊' },
  url: 'https://www.twse.com.tw/zh/trading/historical/mi-index.html',
  fetch: [
    {
      period: 'day',
      since: '2004-02-11',
      requests: [{ url: 'https://www.twse.com.tw/rwd/zh/afterTrading/MI_INDEX?date={YYYYMMDD}&type=MS&response=json' }],
    },
  ],
  daily: 'TWSE',
  rows: { from: '成交統計', is: /^\d/ },
  columns: {
    class: {
      from: '成交統計',
      part: /^\d+\.(.+)$/,
      words: {
        一般股票: 'stocks',
        台灣存託憑證: 'depositary_receipts',
        受益憑證: 'fund_certificates',
        ETF: 'etf',
        受益證券: 'beneficiary_securities',
        變更交易股票: 'altered_trading_stocks',
        '認購(售)權證': 'warrants',
        轉換公司債: 'convertible_bonds',
        附認股權特別股: 'preferred_shares_with_warrants',
        附認股權公司債: 'bonds_with_warrants',
        認股權憑證: 'stock_options',
        公司債: 'corporate_bonds',
        ETN: 'etn',
        創新板股票: 'innovation_board_stocks',
        '創新板-變更交易方法股票': 'innovation_board_altered_trading',
      },
    },
    market: { always: 'TWSE' },
    name: '成交統計',
    value: '成交金額(元)',
    volume: '成交股數(股)',
    transactions: '成交筆數',
  },
  totals: { from: '成交統計', is: /^總計/, columns: ['value', 'volume', 'transactions'] },
}

export default feed
