import type { FlatFeed } from '../formats/index.ts'

const feed: FlatFeed = {
  name: 'tpex-announcements',
  title: 'TPEx material information of one day, open data mopsfin_t187ap04_O: JSON',
  dataset: 'announcements',
  called: { en: 't187ap04_O, material information', zh: 't187ap04_O 每日重大訊息' },
  url: 'https://www.tpex.org.tw/openapi/v1/mopsfin_t187ap04_O',
  fetch: [{ period: 'latest', requests: [{ url: 'https://www.tpex.org.tw/openapi/v1/mopsfin_t187ap04_O' }] }],
  nothing: /^\[\]$/,
  repeats: true,
  columns: {
    ticker: ['SecuritiesCompanyCode', '公司代號'],
    market: { always: 'TPEX' },
    announced_on: '發言日期',
    announced_time: { from: '發言時間', form: 'time' },
    subject: '主旨',
    name: ['CompanyName', '公司名稱'],
    clause: '符合條款',
    event_date: '事實發生日',
    description: '說明',
  },
}

export default feed
