import { type Feed, parseBy } from '../formats/index.ts'
import { type DayTable, readDayTable, tableOfPage } from './shared/day-table.ts'
import { HOLDING_HEADINGS, type HoldingColumn, holdingRow } from './shared/foreign-holding.ts'

const TABLE: DayTable<HoldingColumn> = {
  called: 'TPEx 外資及陸資投資持股統計',
  dataset: 'foreign-holding',
  market: 'TPEX',
  headings: {
    ...HOLDING_HEADINGS,
    reported_on: ['最近一次上櫃公司申報外資持股異動日期', '最近一次上櫃公司申報外資及陸資持股異動日期'],
  },
  figures: holdingRow,
}

const feed: Feed = {
  name: 'tpex-foreign-holding',
  title: 'TPEx holdings of foreign and mainland Chinese investors on one day: the HTML page',
  datasets: ['foreign-holding'],
  url: 'https://mops.twse.com.tw/server-java/t13sa150_otc',
  fetch: [
    {
      period: 'day',
      requests: [
        {
          url: 'https://mopsov.twse.com.tw/server-java/t13sa150_otc',
          form: { years: '{YYYY}', months: '{MM}', days: '{DD}', code: '', bcode: '', step: '2' },
        },
      ],
    },
  ],
  daily: 'TPEX',
  parse: parseBy({ html: (page, requestedDay) => readDayTable(tableOfPage(page, '證券代號'), requestedDay, TABLE) }),
}

export default feed
