import type { FlatFeed } from '../formats/index.ts'

const feed: FlatFeed = {
  name: 'tpex-market-institutional',
  title: 'TPEx institutional trades of the market on one day: JSON',
  dataset: 'market-institutional',
  called: { en: 'the TPEx institutional trades of the market', zh: '櫃買中心三大法人買賣金額彙總表' },
  url: 'https://www.tpex.org.tw/zh-tw/mainboard/trading/major-institutional/summary/day.html',
  fetch: [
    {
      period: 'day',
      requests: [{ url: 'https://www.tpex.org.tw/www/zh-tw/insti/summary?type=Daily&date={YYYY/MM/DD}&response=json' }],
    },
  ],
  daily: 'TPEX',
  rows: { from: '單位名稱', not: /^(外資及陸資|自營商)合計/ },
  columns: {
    investor: {
      from: '單位名稱',
      words: {
        '自營商(自行買賣)': 'dealers_proprietary',
        '自營商(避險)': 'dealers_hedging',
        投信: 'investment_trust',
        '外資及陸資(不含自營商)': 'foreign',
        外資自營商: 'foreign_dealers',
        '三大法人合計*': 'total',
      },
    },
    market: { always: 'TPEX' },
    buy: '買進金額(元)',
    sell: '賣出金額(元)',
    net: '買賣超(元)',
  },
  totals: {
    from: '單位名稱',
    is: /^三大法人合計/,
    columns: ['buy', 'sell', 'net'],
    of: 'dealers_proprietary|dealers_hedging|investment_trust|foreign',
  },
}

export default feed
