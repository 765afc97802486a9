import { type Feed, figureOf } from '../formats/index.ts'
import { announcedOn, CODE, isBlank, type Named, parseFlags, symbolOf } from './shared/risk-flags.ts'

const REPORTED: Named = ['申報日期', 'Date']
const AMOUNT: Named = ['個股違約總金額(註1)', '個股違約總金額']
const BROKERS: Named = ['證券商名稱']

const feed: Feed = {
  name: 'default-settlement',
  title: 'TPEx list of settlement defaults of TWD 10 million or more per security and day, both markets: JSON',
  datasets: ['company-risk-events'],
  url: 'https://www.tpex.org.tw/www/zh-tw/bulletin/breach',
  fetch: [
    {
      period: 'month',
      requests: [
        {
          url: 'https://www.tpex.org.tw/www/zh-tw/bulletin/breach?startDate={first:YYYY/MM/DD}&endDate={YYYY/MM/DD}&response=json',
        },
      ],
    },
  ],
  nothing: /./,
  parse: parseFlags({
    feed: 'default-settlement',
    called: { en: 'the table of settlement defaults by security (breach)', zh: '個股違約交割表（breach）' },
    authority: 'TPEX',
    columns: [CODE, REPORTED, AMOUNT],
    flagsOf(cell) {
      if (isBlank(cell)) return []
      const amount = figureOf(cell(AMOUNT))
      const sum = typeof amount === 'number' ? `${amount.toLocaleString('en-US')} 元` : cell(AMOUNT)
      const brokers = cell(BROKERS) === '' ? '' : `（申報證券商：${cell(BROKERS)}）`
      return [
        {
          symbol: symbolOf(cell),
          announced: announcedOn(cell, REPORTED),
          type: 'default_settlement',
          reason: `違約交割 ${sum}${brokers}`,
        },
      ]
    },
  }),
}

export default feed
