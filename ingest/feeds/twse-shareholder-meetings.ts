import type { FlatFeed } from '../formats/index.ts'

const feed: FlatFeed = {
  name: 'twse-shareholder-meetings',
  title: 'TWSE shareholders’ meetings, open data t187ap41_L: JSON',
  dataset: 'shareholder-meetings',
  called: { en: 't187ap41_L, shareholders’ meetings', zh: 't187ap41_L 召開股東常(臨時)會日期、地點' },
  url: 'https://openapi.twse.com.tw/v1/opendata/t187ap41_L',
  fetch: [{ period: 'latest', requests: [{ url: 'https://openapi.twse.com.tw/v1/opendata/t187ap41_L' }] }],
  columns: {
    ticker: '公司代號',
    market: { always: 'TWSE' },
    meeting_date: '開會日期',
    meeting_type: { from: '股東常(臨時)會', words: { 常會: 'annual', 臨時會: 'extraordinary' } },
    name: '公司名稱',
    location: '開會地點',
    director_election: { from: '是否改選董監', words: { 是: true, 否: false, '': null } },
    agent: '股務單位',
    e_voting: '是否採電子投票',
  },
}

export default feed
