import type { FlatFeed } from '../formats/index.ts'

const feed: FlatFeed = {
  name: 'tpex-lending',
  title: 'TPEx short sales of borrowed shares on one day: JSON',
  dataset: 'securities-lending',
  called: 'TPEx 信用額度總量管制餘額表',
  url: 'https://www.tpex.org.tw/zh-tw/mainboard/trading/margin-trading/sbl.html',
  fetch: [{ period: 'day', requests: [{ url: 'https://www.tpex.org.tw/www/zh-tw/margin/sbl?date={YYYY/MM/DD}&response=json' }] }],
  daily: 'TPEX',
  rows: { from: '股票名稱', not: /^合計$/ },
  columns: {
    ticker: '股票代號',
    market: { always: 'TPEX' },
    name: '股票名稱',
    margin_short_previous_balance: { from: '前日餘額', place: [1, 2] },
    margin_short_sold: '賣出',
    margin_short_bought: '買進',
    margin_short_returned: '現券',
    margin_short_balance: { from: '當日餘額', place: [1, 2] },
    margin_short_limit: ['限額', '次一營業日限額'],
    previous_balance: { from: '前日餘額', place: [2, 2] },
    sold: '當日賣出',
    returned: '當日還券',
    adjusted: '當日調整數額',
    balance: { from: '當日餘額', place: [2, 2] },
    next_day_limit: '次一營業日可借券賣出限額',
    remark: '備註',
  },
  // The sum of limits has no meaning, because limits apply to single securities.
  totals: {
    from: '股票名稱',
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
