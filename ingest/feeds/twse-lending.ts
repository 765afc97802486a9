import type { FlatFeed } from '../formats/index.ts'

const feed: FlatFeed = {
  name: 'twse-lending',
  title: 'TWSE TWT93U, short sales of borrowed shares on one day: JSON',
  dataset: 'securities-lending',
  called: 'TWT93U 信用額度總量管制餘額表',
  url: 'https://www.twse.com.tw/zh/trading/margin/twt93u.html',
  fetch: [
    {
      period: 'day',
      since: '2012-03-19',
      requests: [{ url: 'https://www.twse.com.tw/rwd/zh/marginTrading/TWT93U?date={YYYYMMDD}&response=json' }],
    },
  ],
  daily: 'TWSE',
  rows: { from: ['名稱', '股票名稱'], not: /^合計$/ },
  columns: {
    ticker: ['代號', '股票代號'],
    market: { always: 'TWSE' },
    name: ['名稱', '股票名稱'],
    margin_short_previous_balance: { from: '前日餘額', place: [1, 2] },
    margin_short_sold: '賣出',
    margin_short_bought: '買進',
    margin_short_returned: '現券',
    margin_short_balance: '今日餘額',
    margin_short_limit: ['限額', '次一營業日限額'],
    previous_balance: { from: '前日餘額', place: [2, 2] },
    sold: '當日賣出',
    returned: '當日還券',
    adjusted: '當日調整',
    balance: '當日餘額',
    next_day_limit: '次一營業日可限額',
    remark: '備註',
  },
  // The sum of limits has no meaning, because limits apply to single securities.
  totals: {
    from: ['名稱', '股票名稱'],
    is: /^合計$/,
    columns: [
      'previous_balance',
      'sold',
      'returned',
      'adjusted',
      'balance',
      'margin_short_previous_balance',
      'margin_short_sold',
      'margin_short_bought',
      'margin_short_returned',
      'margin_short_balance',
    ],
  },
}

export default feed
