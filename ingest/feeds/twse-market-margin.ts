import type { FlatFeed } from '../formats/index.ts'

const feed: FlatFeed = {
  name: 'twse-market-margin',
  title: 'TWSE MI_MARGN, margin balances of the market on one day: JSON',
  dataset: 'market-margin',
  called: { en: 'the statistics of MI_MARGN', zh: 'MI_MARGN 信用交易統計' },
  url: 'https://www.twse.com.tw/zh/trading/margin/mi-margn.html',
  fetch: [
    {
      period: 'day',
      since: '2001-01-01',
      requests: [{ url: 'https://www.twse.com.tw/rwd/zh/marginTrading/MI_MARGN?date={YYYYMMDD}&selectType=MS&response=json' }],
    },
  ],
  daily: 'TWSE',
  columns: {
    item: {
      from: '項目',
      words: { '融資(交易單位)': 'margin', '融券(交易單位)': 'short', '融資金額(仟元)': 'margin_value' },
    },
    market: { always: 'TWSE' },
    buy: '買進',
    sell: '賣出',
    repayment: '現金(券)償還',
    balance_before: '前日餘額',
    balance: '今日餘額',
  },
}

export default feed
