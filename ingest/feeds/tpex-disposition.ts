import type { Feed } from '../formats/index.ts'
import { announcedOn, CODE, DATE, isBlank, type Named, openData, parseFlags, periodOf, symbolOf } from './shared/risk-flags.ts'

const REASON: Named = ['DispositionReasons', '處置原因', '處置條件']
const PERIOD: Named = ['DispositionPeriod', '處置起訖時間', '處置起迄時間']
const URL = 'https://www.tpex.org.tw/openapi/v1/tpex_disposal_information'

const feed: Feed = {
  name: 'tpex-disposition',
  title: 'TPEx securities under disposition: open data or the table of the site, JSON or CSV',
  datasets: ['company-risk-events'],
  url: URL,
  fetch: openData(URL),
  nothing: /./,
  parse: parseFlags({
    feed: 'tpex-disposition',
    called: {
      en: 'the list of securities under disposition (tpex_disposal_information)',
      zh: '處置有價證券清單（tpex_disposal_information）',
    },
    authority: 'TPEX',
    columns: [CODE, REASON, PERIOD, DATE],
    flagsOf: cell =>
      isBlank(cell)
        ? []
        : [
            {
              symbol: symbolOf(cell),
              announced: announcedOn(cell),
              type: 'disposition',
              reason: cell(REASON),
              ...periodOf(cell(PERIOD)),
            },
          ],
  }),
}

export default feed
