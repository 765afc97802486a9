import { type Feed, parseBy } from '../formats/index.ts'
import { type Heading, readDayTable } from './shared/day-table.ts'
import { lendingTable } from './shared/lending.ts'

/** The two balances of a day have the same heading. */
const balance = (side: number): readonly Heading[] => [['當日餘額', side, 2]]

const TABLE = lendingTable('TPEX', {
  ticker: ['股票代號'],
  name: ['股票名稱'],
  margin_short_balance: balance(1),
  adjusted: ['當日調整數額'],
  balance: balance(2),
  next_day_limit: ['次一營業日可借券賣出限額'],
})

const feed: Feed = {
  name: 'tpex-lending',
  title: 'TPEx short sales of borrowed shares on one day: JSON',
  datasets: ['securities-lending'],
  url: 'https://www.tpex.org.tw/zh-tw/mainboard/trading/margin-trading/sbl.html',
  fetch: [{ period: 'day', requests: [{ url: 'https://www.tpex.org.tw/www/zh-tw/margin/sbl?date={YYYY/MM/DD}&response=json' }] }],
  daily: 'TPEX',
  parse: parseBy({ json: (value, requestedDay) => readDayTable(value, requestedDay, TABLE) }),
}

export default feed
