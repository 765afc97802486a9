import type { FlatFeed } from '../formats/index.ts'

const feed: FlatFeed = {
  name: 'twse-day-trading',
  title: 'TWSE TWTB4U, day trades of one day: JSON',
  url: 'https://www.twse.com.tw/zh/trading/day-trading/twtb4u.html',
  fetch: [
    {
      period: 'day',
      since: '2014-01-06',
      requests: [{ url: 'https://www.twse.com.tw/exchangeReport/TWTB4U?response=json&date={YYYYMMDD}&selectType=All' }],
    },
  ],
  daily: 'TWSE',
  closedDay: ['證券代號', '證券名稱', '暫停現股賣出後現款買進當沖註記'],
  tables: [
    {
      dataset: 'day-trading',
      called: 'TWTB4U 當日沖銷交易標的及統計',
      columns: {
        ticker: '證券代號',
        market: { always: 'TWSE' },
        name: '證券名稱',
        suspension_mark: '暫停現股賣出後現款買進當沖註記',
        volume: '當日沖銷交易成交股數',
        buy_value: '當日沖銷交易買進成交金額',
        sell_value: '當日沖銷交易賣出成交金額',
      },
    },
    {
      dataset: 'day-trading-market',
      called: 'TWTB4U 當日沖銷交易標的及統計',
      columns: {
        market: { always: 'TWSE' },
        volume: '當日沖銷交易總成交股數',
        volume_share: '當日沖銷交易總成交股數占市場比重%',
        buy_value: '當日沖銷交易總買進成交金額',
        buy_share: '當日沖銷交易總買進成交金額占市場比重%',
        sell_value: '當日沖銷交易總賣出成交金額',
        sell_share: '當日沖銷交易總賣出成交金額占市場比重%',
      },
    },
  ],
}

export default feed
