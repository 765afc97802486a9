import { type Feed, parseBy } from '../formats/index.ts'
import { readDayTable } from './shared/day-table.ts'
import { lendingTable } from './shared/lending.ts'

const TWT93U = lendingTable('TWSE', {
  ticker: ['代號', '股票代號'],
  name: ['名稱', '股票名稱'],
  margin_short_balance: ['今日餘額'],
  adjusted: ['當日調整'],
  balance: ['當日餘額'],
  next_day_limit: ['次一營業日可限額'],
})

const feed: Feed = {
  name: 'twse-lending',
  title: 'TWSE TWT93U, short sales of borrowed shares on one day: JSON',
  datasets: ['securities-lending'],
  url: 'https://www.twse.com.tw/zh/trading/margin/twt93u.html',
  fetch: [
    {
      period: 'day',
      since: '2012-03-19',
      requests: [{ url: 'https://www.twse.com.tw/rwd/zh/marginTrading/TWT93U?date={YYYYMMDD}&response=json' }],
    },
  ],
  daily: 'TWSE',
  parse: parseBy({ json: (value, requestedDay) => readDayTable(value, requestedDay, TWT93U) }),
}

export default feed
