import type { Feed } from '../formats/index.ts'
import { announcedOn, CODE, DATE, isBlank, type Named, openData, parseFlags, periodOf, symbolOf } from './shared/risk-flags.ts'

const REASON: Named = ['ReasonsOfDisposition', '處置條件']
const PERIOD: Named = ['DispositionPeriod', '處置起迄時間']
const MEASURES: Named = ['DispositionMeasures', '處置措施']
const URL = 'https://openapi.twse.com.tw/v1/announcement/punish'

const feed: Feed = {
  name: 'twse-disposition',
  title: 'TWSE securities under disposition: open data or the table of the site, JSON or CSV',
  datasets: ['company-risk-events'],
  url: URL,
  fetch: [
    ...openData(URL),
    {
      period: 'month',
      requests: [
        {
          url: 'https://www.twse.com.tw/rwd/zh/announcement/punish?startDate={first:YYYYMMDD}&endDate={YYYYMMDD}&response=json',
        },
      ],
    },
  ],
  nothing: /./,
  parse: parseFlags({
    feed: 'twse-disposition',
    called: { en: 'the list of securities under disposition (punish)', zh: '處置有價證券清單（punish）' },
    authority: 'TWSE',
    columns: [CODE, REASON, PERIOD, DATE],
    flagsOf: cell =>
      isBlank(cell)
        ? []
        : [
            {
              symbol: symbolOf(cell),
              announced: announcedOn(cell),
              type: 'disposition',
              reason: [cell(REASON), cell(MEASURES)].filter(Boolean).join(' / '),
              ...periodOf(cell(PERIOD)),
            },
          ],
  }),
}

export default feed
