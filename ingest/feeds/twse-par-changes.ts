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
  details: '詳細資料',
} as const satisfies ChangeNames

export default changesFeed({
  feed: {
    name: 'twse-par-changes',
    title: 'TWSE TWTB8U, reference prices after par value changes over a range of days: JSON',
    url: 'https://www.twse.com.tw/rwd/zh/change/TWTB8U',
    fetch: [
      {
        period: 'month',
        requests: [{ url: 'https://www.twse.com.tw/rwd/zh/change/TWTB8U?startDate={first:YYYYMMDD}&endDate={YYYYMMDD}&response=json' }],
      },
    ],
  },
  called: 'TWTB8U 變更股票面額恢復買賣參考價格',
  market: 'TWSE',
  names: NAMES,
  terms: row => ({ ...NO_TERMS, change_type: 'par_value_change', halted_on: haltedOn(row, NAMES.details) }),
})
