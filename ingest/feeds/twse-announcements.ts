import type { FlatFeed } from '../formats/index.ts'

const feed: FlatFeed = {
  name: 'twse-announcements',
  title: 'TWSE material information of one day, open data t187ap04_L: JSON',
  dataset: 'announcements',
  called: { en: 't187ap04_L, material information', zh: 't187ap04_L 每日重大訊息' },
  url: 'https://openapi.twse.com.tw/v1/opendata/t187ap04_L',
  fetch: [{ period: 'latest', requests: [{ url: 'https://openapi.twse.com.tw/v1/opendata/t187ap04_L' }] }],
  nothing: /^\[\]$/,
  repeats: true,
  columns: {
    ticker: '公司代號',
    market: { always: 'TWSE' },
    announced_on: '發言日期',
    announced_time: { from: '發言時間', form: 'time' },
    subject: '主旨',
    name: '公司名稱',
    clause: '符合條款',
    event_date: '事實發生日',
    description: '說明',
  },
}

export default feed
