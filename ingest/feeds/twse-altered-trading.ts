import type { Feed } from '../formats/index.ts'
import { CODE, isBlank, type Named, openData, parseFlags, symbolOf } from './shared/risk-flags.ts'

const PERIODIC: Named = ['PeriodicCallAuctionTrading', '分盤集合競價']
const URL = 'https://openapi.twse.com.tw/v1/exchangeReport/TWT85U'

const feed: Feed = {
  name: 'twse-altered-trading',
  title: 'TWSE securities with altered trading, open data TWT85U: JSON or CSV (with --date)',
  datasets: ['company-risk-events'],
  url: URL,
  fetch: openData(URL, true),
  nothing: /./,
  parse: parseFlags({
    feed: 'twse-altered-trading',
    called: { en: 'the list of altered trading (TWT85U)', zh: '變更交易清單（TWT85U）' },
    authority: 'TWSE',
    columns: [CODE, PERIODIC],
    flagsOf: cell =>
      isBlank(cell)
        ? []
        : [
            {
              symbol: symbolOf(cell),
              announced: null,
              type: 'altered_trading',
              reason: cell(PERIODIC) === '' ? '變更交易方法' : '變更交易方法，分盤集合競價',
            },
          ],
  }),
}

export default feed
