import type { FlatTable } from '../../formats/index.ts'
import { COMPANY, NEWEST_QUARTER } from './filed-quarter.ts'

/** Headings of TWSE include the formula of the margin, headings of TPEx do not. */
export const profitability = (market: 'TWSE' | 'TPEX'): FlatTable => ({
  dataset: 'profitability',
  called: { en: 't187ap17, profitability', zh: 't187ap17 營益分析查詢彙總表' },
  ...NEWEST_QUARTER,
  columns: {
    ...COMPANY,
    market: { always: market },
    revenue: { from: ['營業收入(百萬元)', '營業收入百萬元'], times: 1_000_000 },
    gross_margin: ['毛利率(%)(營業毛利)/(營業收入)', '毛利率'],
    operating_margin: ['營業利益率(%)(營業利益)/(營業收入)', '營業利益率'],
    pretax_margin: ['稅前純益率(%)(稅前純益)/(營業收入)', '稅前純益率'],
    net_margin: ['稅後純益率(%)(稅後純益)/(營業收入)', '稅後純益率'],
  },
})
