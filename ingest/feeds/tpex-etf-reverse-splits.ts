import { becameCheaper, changesFeed, NO_TERMS, termsOf } from './shared/capital-change.ts'
import { isFund, requireChange, SPLIT_NAMES } from './shared/tpex-splits.ts'

export default changesFeed({
  feed: {
    name: 'tpex-etf-reverse-splits',
    title: 'TPEx reference prices after reverse splits of funds over a range of days: JSON',
    url: 'https://www.tpex.org.tw/www/zh-tw/bulletin/etfRvsRslt',
    fetch: [
      {
        period: 'month',
        requests: [
          { url: 'https://www.tpex.org.tw/www/zh-tw/bulletin/etfRvsRslt?startDate={first:YYYY/MM/DD}&endDate={YYYY/MM/DD}&response=json' },
        ],
      },
    ],
  },
  called: 'TPEx ETF 反分割恢復買賣參考價格',
  market: 'TPEX',
  names: SPLIT_NAMES,
  terms: row => {
    requireChange(row, isFund(row) && becameCheaper(row, SPLIT_NAMES) !== true, { en: 'reverse splits of funds', zh: '基金反分割' })
    return { ...NO_TERMS, halted_on: termsOf(row, SPLIT_NAMES.details).halted_on, change_type: 'etf_reverse_split' }
  },
})
