import type { FlatFeed } from '../formats/index.ts'

const feed: FlatFeed = {
  name: 'tpex-market-classes',
  title: 'TPEx turnover of each class of securities on one day: JSON',
  dataset: 'market-turnover-by-class',
  called: { en: 'the TPEx turnover of each class of securities', zh: '上櫃證券成交統計' },
  url: 'https://www.tpex.org.tw/zh-tw/mainboard/trading/info/market-statistics.html',
  fetch: [
    {
      period: 'day',
      requests: [{ url: 'https://www.tpex.org.tw/www/zh-tw/afterTrading/marketStats?date={YYYY/MM/DD}&response=json' }],
    },
  ],
  daily: 'TPEX',
  rows: { from: '成交統計', is: /^\d/ },
  columns: {
    class: {
      from: '成交統計',
      part: /^\d+\.(.+)$/,
      words: {
        一般股票: 'stocks',
        變更交易股票: 'altered_trading_stocks',
        管理股票: 'managed_stocks',
        '認購(售)權證': 'warrants',
        '台灣存託憑證(TDR)': 'depositary_receipts',
        '指數股票型基金(ETF)': 'etf',
        受益證券: 'beneficiary_securities',
        '轉(交)換公司債': 'convertible_bonds',
        附認股權公司債: 'bonds_with_warrants',
        '指數投資證券(ETN)': 'etn',
      },
    },
    market: { always: 'TPEX' },
    name: '成交統計',
    value: '成交金額(元)',
    volume: '成交股數(股)',
    transactions: '成交筆數',
  },
  totals: { from: '成交統計', is: /^總計/, columns: ['value', 'volume', 'transactions'] },
}

export default feed
