import type { FlatFeed } from '../formats/index.ts'

const feed: FlatFeed = {
  name: 'twse-etf-register',
  title: 'TWSE register of funds, open data t187ap47_L: JSON or CSV',
  dataset: 'etf-register',
  called: { en: 't187ap47_L, the register of funds', zh: 't187ap47_L 基金基本資料彙總表' },
  url: 'https://openapi.twse.com.tw/v1/opendata/t187ap47_L',
  fetch: [{ period: 'latest', requests: [{ url: 'https://openapi.twse.com.tw/v1/opendata/t187ap47_L' }] }],
  leastRows: { 'etf-register': 100 },
  columns: {
    ticker: '基金代號',
    name: '基金簡稱',
    full_name: '基金中文名稱',
    english_name: '基金英文名稱',
    fund_type: '基金類型',
    index_name: '標的指數/追蹤指數名稱',
    custom_index: '標的指數是否為客製化或需揭露相關資訊之指數',
    foreign_members: '是否包含國外成分股',
    benchmark_name: '績效指標中文名稱',
    established_on: '成立日期',
    listed_on: '上市日期',
    units_issued: '發行單位數/轉換數',
    custodian: '保管機構',
    remarks: '備註',
    as_of_date: '出表日期',
  },
}

export default feed
