import { type ChangeNames, changesFeed, NO_TERMS, termsOf } from './shared/capital-change.ts'

const NAMES = {
  day: '恢復買賣日期',
  ticker: '股票代號',
  name: '名稱',
  closeBefore: '最後交易日之收盤價格',
  reference: '減資恢復買賣開始日參考價格',
  limitUp: '漲停價格',
  limitDown: '跌停價格',
  opening: '開始交易基準價',
  lessRights: '除權參考價',
  reason: '減資原因',
  details: '詳細資料',
} as const satisfies ChangeNames

export default changesFeed({
  feed: {
    name: 'tpex-capital-reductions',
    title: 'TPEx capital reductions of a range of days, with reference prices and terms: JSON',
    url: 'https://www.tpex.org.tw/www/zh-tw/bulletin/revivt',
    fetch: [
      {
        period: 'month',
        since: '2013-01-01',
        requests: [
          { url: 'https://www.tpex.org.tw/www/zh-tw/bulletin/revivt?startDate={first:YYYY/MM/DD}&endDate={YYYY/MM/DD}&response=json' },
        ],
      },
    ],
  },
  called: 'TPEx 減資恢復買賣參考價格',
  market: 'TPEX',
  names: NAMES,
  terms: row => {
    const { halted_on, figure } = termsOf(row, NAMES.details)
    const perThousand = figure('每壹仟股換發新股票')
    // The table prints the ratio per thousand shares.
    const exchange_ratio = perThousand === null ? null : Number((perThousand / 1000).toFixed(11))
    return { ...NO_TERMS, change_type: 'capital_reduction', halted_on, exchange_ratio, refund_per_share: figure('每股退還股款') }
  },
})
