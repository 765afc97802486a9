import type { Row } from '../../catalog/index.ts'
import { type Feed, heading, identify, parseBy, presentInteger, type Table } from '../formats/index.ts'

const LINES: Readonly<Record<string, readonly [count: string, atLimit?: string]>> = {
  '上漲(漲停)': ['advances', 'limit_up'],
  '下跌(跌停)': ['declines', 'limit_down'],
  持平: ['unchanged'],
  未成交: ['no_trade'],
  無比價: ['no_comparison'],
}

const SCOPES = [
  ['整體市場', 'all'],
  ['股票', 'stocks'],
] as const

const KIND = '類型'

/** Splits a cell such as 4,916(55): all securities, and securities at the price limit. */
const countsOf = (cell: unknown): readonly string[] => String(cell).replace(')', '').split('(')

function rowOf({ fields, data }: Table, day: string, field: string, scope: string): Row {
  const counts = Object.entries(LINES).flatMap(([kind, columns]) => {
    const line = data.find(cells => heading(cells[fields.indexOf(KIND)]) === kind)
    const cells = countsOf(line?.[fields.indexOf(field)] ?? '')
    return columns.map((column, index) => [column, presentInteger(cells[index] ?? '', kind, field)] as const)
  })
  return { market: 'TWSE', trade_date: day, scope, listed: null, ...Object.fromEntries(counts) }
}

const feed: Feed = {
  name: 'twse-market-breadth',
  title: 'TWSE MI_INDEX, advances and declines on one day: JSON',
  datasets: ['market-breadth'],
  url: 'https://www.twse.com.tw/zh/trading/historical/mi-index.html',
  fetch: [
    {
      period: 'day',
      since: '2011-08-01',
      requests: [{ url: 'https://www.twse.com.tw/rwd/zh/afterTrading/MI_INDEX?date={YYYYMMDD}&type=MS&response=json' }],
    },
  ],
  daily: 'TWSE',
  parse: parseBy({
    json: (value, requestedDay) => {
      const isTable = (fields: readonly string[]): boolean => [KIND, ...SCOPES.map(([field]) => field)].every(name => fields.includes(name))
      const { day, tables } = identify(value, requestedDay, { called: 'MI_INDEX 漲跌證券數合計', isTable })
      const rows = SCOPES.map(([field, scope]) => rowOf(tables[0]!, day, field, scope))
      return { kind: 'rows', rows: { 'market-breadth': rows } }
    },
  }),
}

export default feed
