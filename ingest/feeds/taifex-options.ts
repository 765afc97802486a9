import type { FlatFeed } from '../formats/index.ts'

const feed: FlatFeed = {
  name: 'taifex-options',
  title: 'TAIFEX daily options quotes of both sessions: CSV',
  dataset: 'options-daily',
  called: { en: 'the daily options report', zh: '選擇權每日交易行情' },
  url: 'https://www.taifex.com.tw/cht/3/optDailyMarketReport',
  fetch: [
    {
      period: 'day',
      requests: [
        {
          url: 'https://www.taifex.com.tw/cht/3/optDataDown',
          form: {
            down_type: '1',
            commodity_id: 'all',
            queryStartDate: '{YYYY/MM/DD}',
            queryEndDate: '{YYYY/MM/DD}',
          },
        },
      ],
    },
  ],
  daily: 'TAIFEX',
  columns: {
    contract: '契約',
    trade_date: ['交易日期', '日期'],
    contract_month: '到期月份(週別)',
    strike_price: '履約價',
    option_type: { from: '買賣權', words: { 買權: 'call', 賣權: 'put' } },
    session: { from: '交易時段', words: { 一般: 'regular', 盤後: 'after_hours' } },
    open: '開盤價',
    high: '最高價',
    low: '最低價',
    close: ['收盤價', '最後成交價'],
    change: '漲跌價',
    change_percent: '漲跌%',
    volume: ['成交量', '合計成交量'],
    settlement_price: '結算價',
    open_interest: ['未沖銷契約數', '未沖銷契約量'],
    best_bid: '最後最佳買價',
    best_ask: '最後最佳賣價',
    historical_high: '歷史最高價',
    historical_low: '歷史最低價',
    trading_halt: '是否因訊息面暫停交易',
  },
}

export default feed
