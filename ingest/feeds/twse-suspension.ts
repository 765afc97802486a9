import { dayOrNull, type Feed } from '../formats/index.ts'
import { CODE, isBlank, type Named, openData, parseFlags, symbolOf } from './shared/risk-flags.ts'

const HALTED: Named = ['TradingHaltDate', '暫停交易日期']
const HALTED_AT: Named = ['TradingHaltTime', '暫停交易時間']
const RESUMED: Named = ['TradingResumptionDate', '恢復交易日期']
const RESUMED_AT: Named = ['TradingResumptionTime', '恢復交易時間']
const URL = 'https://openapi.twse.com.tw/v1/exchangeReport/TWTAWU'

const feed: Feed = {
  name: 'twse-suspension',
  title: 'TWSE halted securities, open data TWTAWU: JSON or CSV',
  datasets: ['company-risk-events'],
  url: URL,
  fetch: openData(URL),
  nothing: /./,
  parse: parseFlags({
    feed: 'twse-suspension',
    called: { en: 'the list of halted securities (TWTAWU)', zh: '暫停交易證券清單（TWTAWU）' },
    authority: 'TWSE',
    columns: [CODE, HALTED, RESUMED],
    flagsOf(cell) {
      if (isBlank(cell)) return []
      const [from, to] = [dayOrNull(cell(HALTED), HALTED[0]), dayOrNull(cell(RESUMED), RESUMED[0])]
      // A row with only a resumption of trading is not a new flag.
      if (from === null) return []
      const resumed = to === null ? '' : `；恢復交易 ${to} ${cell(RESUMED_AT)}`
      return [
        {
          symbol: symbolOf(cell),
          announced: from,
          type: 'suspension',
          reason: `暫停交易 ${from} ${cell(HALTED_AT)}${resumed}`.replace(/ +(；|$)/g, '$1'),
          from,
          to,
        },
      ]
    },
  }),
}

export default feed
