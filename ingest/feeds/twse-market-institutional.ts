import type { FlatFeed } from '../formats/index.ts'

const feed: FlatFeed = {
  name: 'twse-market-institutional',
  title: 'TWSE BFI82U, institutional trades of the market on one day: JSON',
  dataset: 'market-institutional',
  called: { en: 'BFI82U, institutional trades of the market', zh: 'BFI82U 三大法人買賣金額統計表' },
  url: 'https://www.twse.com.tw/zh/trading/foreign/bfi82u.html',
  fetch: [
    {
      period: 'day',
      since: '2004-04-07',
      requests: [{ url: 'https://www.twse.com.tw/rwd/zh/fund/BFI82U?type=day&dayDate={YYYYMMDD}&response=json' }],
    },
  ],
  daily: 'TWSE',
  columns: {
    investor: {
      from: '單位名稱',
      words: {
        '自營商(自行買賣)': 'dealers_proprietary',
        '自營商(避險)': 'dealers_hedging',
        投信: 'investment_trust',
        '外資及陸資(不含外資自營商)': 'foreign',
        外資自營商: 'foreign_dealers',
        合計: 'total',
      },
    },
    market: { always: 'TWSE' },
    buy: '買進金額',
    sell: '賣出金額',
    net: '買賣差額',
  },
  totals: {
    from: '單位名稱',
    is: /^合計$/,
    columns: ['buy', 'sell', 'net'],
    of: 'dealers_proprietary|dealers_hedging|investment_trust|foreign',
  },
}

export default feed
