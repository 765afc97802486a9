import { type Feed, parseBy } from '../formats/index.ts'
import { type DayTable, readDayTable } from './shared/day-table.ts'
import { HOLDING_HEADINGS, type HoldingColumn, holdingRow } from './shared/foreign-holding.ts'

const MI_QFIIS: DayTable<HoldingColumn | 'isin'> = {
  called: 'MI_QFIIS 外資及陸資投資持股統計',
  dataset: 'foreign-holding',
  market: 'TWSE',
  headings: {
    ...HOLDING_HEADINGS,
    isin: ['國際證券編碼'],
    reported_on: ['最近一次上市公司申報外資及陸資持股異動日期', '最近一次上市公司申報外資持股異動日期'],
  },
  figures: holdingRow,
}

const feed: Feed = {
  name: 'twse-foreign-holding',
  title: 'TWSE MI_QFIIS, holdings of foreign and mainland Chinese investors on one day: JSON',
  datasets: ['foreign-holding'],
  url: 'https://www.twse.com.tw/zh/trading/foreign/mi-qfiis.html',
  fetch: [
    {
      period: 'day',
      since: '2004-02-11',
      requests: [{ url: 'https://www.twse.com.tw/rwd/zh/fund/MI_QFIIS?date={YYYYMMDD}&selectType=ALLBUT0999&response=json' }],
    },
  ],
  daily: 'TWSE',
  parse: parseBy({ json: (value, requestedDay) => readDayTable(value, requestedDay, MI_QFIIS) }),
}

export default feed
