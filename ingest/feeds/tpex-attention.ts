import type { Feed } from '../formats/index.ts'
import { announcedOn, CODE, DATE, isBlank, type Named, openData, parseFlags, symbolOf } from './shared/risk-flags.ts'

const REASON: Named = ['TradingInformation', '注意交易資訊', '注意資訊']
const URL = 'https://www.tpex.org.tw/openapi/v1/tpex_trading_warning_information'

const feed: Feed = {
  name: 'tpex-attention',
  title: 'TPEx securities under attention: open data or the table of the site, JSON or CSV',
  datasets: ['company-risk-events'],
  url: URL,
  fetch: openData(URL),
  nothing: /./,
  parse: parseFlags({
    feed: 'tpex-attention',
    called: {
      en: 'the list of securities under attention (tpex_trading_warning_information)',
      zh: '注意有價證券清單（tpex_trading_warning_information）',
    },
    authority: 'TPEX',
    columns: [CODE, REASON, DATE],
    flagsOf: cell =>
      isBlank(cell) ? [] : [{ symbol: symbolOf(cell), announced: announcedOn(cell), type: 'attention', reason: cell(REASON) }],
  }),
}

export default feed
