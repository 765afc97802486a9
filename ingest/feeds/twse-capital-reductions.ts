import { type ChangeNames, changesFeed, haltedOn, NO_TERMS } from './shared/capital-change.ts'

const NAMES = {
  day: '恢復買賣日期',
  ticker: '股票代號',
  name: '名稱',
  closeBefore: '停止買賣前收盤價格',
  reference: '恢復買賣參考價',
  limitUp: '漲停價格',
  limitDown: '跌停價格',
  opening: '開盤競價基準',
  lessRights: '除權參考價',
  reason: '減資原因',
  details: '詳細資料',
} as const satisfies ChangeNames

export default changesFeed({
  feed: {
    name: 'twse-capital-reductions',
    title: 'TWSE TWTAUU, reference prices after capital reductions over a range of days: JSON',
    url: 'https://www.twse.com.tw/rwd/zh/reducation/TWTAUU',
    fetch: [
      {
        period: 'month',
        since: '2011-01-01',
        requests: [{ url: 'https://www.twse.com.tw/rwd/zh/reducation/TWTAUU?startDate={first:YYYYMMDD}&endDate={YYYYMMDD}&response=json' }],
      },
    ],
  },
  called: 'TWTAUU 股票減資恢復買賣參考價格',
  market: 'TWSE',
  names: NAMES,
  terms: row => ({ ...NO_TERMS, change_type: 'capital_reduction', halted_on: haltedOn(row, NAMES.details) }),
})
