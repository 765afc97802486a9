import type { FlatFeed } from '../formats/index.ts'

const feed: FlatFeed = {
  name: 'tpex-day-trading',
  title: 'TPEx day trades of one day: JSON',
  url: 'https://www.tpex.org.tw/zh-tw/mainboard/trading/day-trading/statistics/day.html',
  fetch: [
    {
      period: 'day',
      since: '2014-01-06',
      requests: [{ url: 'https://www.tpex.org.tw/www/zh-tw/intraday/stat?date={YYYY/MM/DD}&type=Daily&response=json' }],
    },
  ],
  daily: 'TPEX',
  tables: [
    {
      dataset: 'day-trading',
      called: 'TPEx 現股當沖交易統計資訊',
      columns: {
        ticker: '證券代號',
        market: { always: 'TPEX' },
        name: '證券名稱',
        suspension_mark: '暫停現股賣出後現款買進當沖註記',
        volume: '當日沖銷交易成交股數',
        buy_value: '當日沖銷交易買進成交金額',
        sell_value: '當日沖銷交易賣出成交金額',
      },
    },
    {
      dataset: 'day-trading-market',
      called: 'TPEx 現股當沖交易統計資訊',
      columns: {
        market: { always: 'TPEX' },
        volume: '當日沖銷交易總成交股數',
        volume_share: '當日沖銷交易總成交股數占市場比重',
        buy_value: '當日沖銷交易總買進成交金額',
        buy_share: '當日沖銷交易總買進成交金額占市場比重',
        sell_value: '當日沖銷交易總賣出成交金額',
        sell_share: '當日沖銷交易總賣出成交金額占市場比重',
      },
    },
  ],
}

export default feed
