import { bodyRefused, heading } from '../formats/index.ts'
import { becameCheaper, type ChangeNames, changesFeed, NO_TERMS } from './shared/capital-change.ts'
import type { EventRow } from './shared/event-rows.ts'

const KIND = '分割(反分割)'
const KINDS: Readonly<Record<string, string>> = { 分割: 'etf_split', 反分割: 'etf_reverse_split' }

const NAMES = {
  day: '恢復買賣日期',
  ticker: 'ETF代號',
  name: '名稱',
  closeBefore: '停止買賣前收盤價格',
  reference: '恢復買賣參考價',
  limitUp: '漲停價格',
  limitDown: '跌停價格',
  opening: '開盤競價基準',
  reason: KIND,
} as const satisfies ChangeNames

/** Returns the kind of split according to the prices, because some rows do not name the kind. */
const byPrices = (row: EventRow): string | undefined => {
  const cheaper = becameCheaper(row, NAMES)
  return cheaper === null ? undefined : cheaper ? 'etf_split' : 'etf_reverse_split'
}

export default changesFeed({
  feed: {
    name: 'twse-etf-splits',
    title: 'TWSE TWTCAU, reference prices after splits and reverse splits of funds over a range of days: JSON',
    url: 'https://www.twse.com.tw/rwd/zh/split/TWTCAU',
    fetch: [
      {
        period: 'month',
        requests: [{ url: 'https://www.twse.com.tw/rwd/zh/split/TWTCAU?startDate={first:YYYYMMDD}&endDate={YYYYMMDD}&response=json' }],
      },
    ],
  },
  called: 'TWTCAU ETF 分割(反分割)恢復買賣參考價格',
  market: 'TWSE',
  names: NAMES,
  terms: row => {
    const kind = heading(row.cell(KIND))
    const change_type = KINDS[kind] ?? (kind === '' ? byPrices(row) : undefined)
    if (change_type === undefined)
      throw bodyRefused(
        'unknown_kind',
        {
          en: `${row.ticker}: ${KIND} is "${kind}"; expected 分割 or 反分割. Check the file against its source.`,
          zh: `${row.ticker}：${KIND} 為「${kind}」，應為分割或反分割；請與來源核對檔案。`,
        },
        { said: kind },
      )
    return { ...NO_TERMS, change_type }
  },
})
