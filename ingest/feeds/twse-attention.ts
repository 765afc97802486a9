import type { Feed } from '../formats/index.ts'
import { announcedOn, CODE, DATE, isBlank, type Named, openData, parseFlags, symbolOf } from './shared/risk-flags.ts'

const REASON: Named = ['TradingInfoForAttention', '注意交易資訊']
const URL = 'https://openapi.twse.com.tw/v1/announcement/notice'

const feed: Feed = {
  name: 'twse-attention',
  title: 'TWSE securities under attention: open data or the table of the site, JSON or CSV',
  datasets: ['company-risk-events'],
  url: URL,
  fetch: [
    ...openData(URL),
    {
      period: 'month',
      requests: [
        {
          url: 'https://www.twse.com.tw/rwd/zh/announcement/notice?startDate={first:YYYYMMDD}&endDate={YYYYMMDD}&response=json',
        },
      ],
    },
  ],
  nothing: /./,
  parse: parseFlags({
    feed: 'twse-attention',
    called: { en: 'the list of securities under attention (notice)', zh: '注意有價證券清單（notice）' },
    authority: 'TWSE',
    columns: [CODE, REASON, DATE],
    flagsOf: cell =>
      isBlank(cell) ? [] : [{ symbol: symbolOf(cell), announced: announcedOn(cell), type: 'attention', reason: cell(REASON) }],
  }),
}

export default feed
