import type { Row } from '../../catalog/index.ts'
import { type Feed, heading, identify, parseBy, presentInteger, type Table } from '../formats/index.ts'

/** Labels of two totals: in lots, and in thousands of TWD. */
const [LOTS, VALUE] = ['合計(張)', '融資金(仟元)'] as const
const MARGIN = { balance_before: '前資餘額(張)', buy: '資買', sell: '資賣', repayment: '現償', balance: '資餘額' } as const
const SHORT = { balance_before: '前券餘額(張)', buy: '券買', sell: '券賣', repayment: '券償', balance: '券餘額' } as const

const ITEMS = [
  ['margin', LOTS, MARGIN],
  ['margin_value', VALUE, MARGIN],
  ['short', LOTS, SHORT],
] as const

const NAME = '名稱'

const rowsOf = ({ fields, summary = [] }: Table, day: string): readonly Row[] =>
  ITEMS.map(([item, name, headings]) => {
    const line = summary.find(cells => heading(cells[fields.indexOf(NAME)]) === name)
    const figures = Object.entries(headings).map(([column, field]) => [column, presentInteger(line?.[fields.indexOf(field)], field, name)])
    return { item, market: 'TPEX', trade_date: day, ...Object.fromEntries(figures) }
  })

const feed: Feed = {
  name: 'tpex-market-margin',
  title: 'TPEx margin balances of the market on one day, from the totals of the table: JSON',
  datasets: ['market-margin'],
  url: 'https://www.tpex.org.tw/zh-tw/mainboard/trading/margin-trading/transactions.html',
  fetch: [
    {
      period: 'day',
      requests: [{ url: 'https://www.tpex.org.tw/www/zh-tw/margin/balance?date={YYYY/MM/DD}&id=&response=json' }],
    },
  ],
  daily: 'TPEX',
  parse: parseBy({
    json: (value, requestedDay) => {
      const wanted = [NAME, ...Object.values(MARGIN), ...Object.values(SHORT)]
      const isTable = (fields: readonly string[]): boolean => wanted.every(name => fields.includes(name))
      const { day, tables } = identify(value, requestedDay, { called: 'TPEx 上櫃股票融資融券餘額', isTable })
      return { kind: 'rows', rows: { 'market-margin': rowsOf(tables[0]!, day) } }
    },
  }),
}

export default feed
