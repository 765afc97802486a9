import { defineDataset, SECURITY, TICKER_LIST } from '../schema/index.ts'

const SPANS = [12, 24, 60] as const

/** Minimum months of revenue for a record high. */
const FEWEST = 12

const BEFORE = 'ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING'

export default defineDataset({
  slug: 'revenue-highs',
  id: 'revenue_highs',
  title: 'Revenue highs',
  titleZh: '營收創新高',
  family: 'financial_statements',
  description:
    'Months in which the revenue of a company was a new high. The revenue is compared with the last 12, 24 and 60 months, with all earlier months on record, and with the same month of all earlier years.',
  descriptionZh: '公司月營收創近 12、24、60 個月新高、有紀錄以來新高，或歷年同期新高的月份。',
  access: { plan: 'free', credits: 1 },
  status: 'verified',
  version: '1.0.0',
  columns: {
    ticker: { type: 'text', zh: '公司代號', doc: 'Exchange code of the company.', docZh: '公司的證券代號。' },
    market: SECURITY.market,
    month: { type: 'text', zh: '資料年月', doc: 'Month of the revenue, for example 2026-05.', docZh: '營收所屬月份，例如 2026-05。' },
    period_end: { type: 'date', zh: '資料月份截止日', doc: 'Last day of the month.', docZh: '該月份的最後一日。' },
    revenue: { type: 'integer', unit: 'TWD', zh: '當月營收', doc: 'Revenue of the month.', docZh: '當月營收。' },
    highest_12m: highest(12),
    highest_24m: highest(24),
    highest_60m: highest(60),
    highest_on_record: {
      type: 'boolean',
      nullable: true,
      mayNotApply: true,
      zh: '歷史新高',
      doc: `True if the revenue is higher than in all earlier months on record. Null if fewer than ${FEWEST} months are on record.`,
      docZh: `當月營收高於紀錄中所有先前月份時為 true；紀錄少於 ${FEWEST} 個月時為空值。`,
    },
    highest_same_month: {
      type: 'boolean',
      nullable: true,
      mayNotApply: true,
      zh: '同期新高',
      doc: 'True if the revenue is higher than in the same month of all earlier years on record. Null without an earlier year.',
      docZh: '當月營收高於紀錄中歷年同月時為 true；沒有先前年度時為空值。',
    },
    previous_record: {
      type: 'integer',
      unit: 'TWD',
      nullable: true,
      mayNotApply: true,
      zh: '先前最高月營收',
      doc: 'Highest revenue of an earlier month on record. Null if there is no earlier month.',
      docZh: '紀錄中先前月份的最高月營收；沒有先前月份時為空值。',
    },
    months_on_record: {
      type: 'integer',
      zh: '紀錄月數',
      doc: 'Number of months on record for the company, including this month.',
      docZh: '該公司紀錄中的月數，含當月。',
    },
    announced_by: {
      type: 'date',
      zh: '最遲公告日',
      doc: 'Latest possible publication date of the revenue, from the dataset monthly-revenue.',
      docZh: '營收最遲公布的日期，取自每月營業收入。',
    },
  },
  grain: ['ticker', 'period_end'],
  key: 'ticker',
  date: 'period_end',
  publish: { mode: 'merge' },
  from: {
    inputs: ['monthly-revenue'],
    by: 'key',
    sql: `
      SELECT ticker, market, month, period_end, revenue,
        ${SPANS.map(months => `CASE WHEN count(*) OVER last_${months} = ${months - 1} THEN revenue > max(revenue) OVER last_${months} END AS highest_${months}m`).join(', ')},
        CASE WHEN count(*) OVER earlier >= ${FEWEST - 1} THEN revenue > max(revenue) OVER earlier END AS highest_on_record,
        revenue > max(revenue) OVER same_month AS highest_same_month,
        max(revenue) OVER earlier AS previous_record, count(*) OVER earlier + 1 AS months_on_record, announced_by
      FROM monthly_revenue WHERE revenue IS NOT NULL
      WINDOW ${SPANS.map(months => `last_${months} AS (PARTITION BY ticker ORDER BY period_end RANGE BETWEEN INTERVAL ${months - 1} MONTH PRECEDING AND INTERVAL 1 DAY PRECEDING)`).join(', ')},
        earlier AS (PARTITION BY ticker ORDER BY period_end ${BEFORE}),
        same_month AS (PARTITION BY ticker, month(period_end) ORDER BY period_end ${BEFORE})
      QUALIFY highest_12m OR highest_on_record OR highest_same_month`,
  },
  rules: [
    {
      name: 'a_high_of_some_kind',
      holds: 'coalesce(highest_12m, false) OR coalesce(highest_on_record, false) OR coalesce(highest_same_month, false)',
      doc: 'At least one of the columns for highs is true.',
      docZh: '每列至少為一種新高。',
    },
    {
      name: 'months_from_one',
      column: 'months_on_record',
      min: 1,
      doc: 'The number of months on record is at least 1, because it includes this month.',
      docZh: '月數含當月，至少為 1。',
    },
  ],
  filters: {
    symbol: { ...TICKER_LIST, column: 'ticker' },
    month: { column: 'month', op: 'eq', pattern: '\\d{4}-\\d{2}', example: '2026-05', doc: 'Month to return, for example 2026-05.' },
    start_date: { column: 'period_end', op: 'from', example: '2026-01-01', doc: 'First month end to return, inclusive.' },
    end_date: { column: 'period_end', op: 'to', example: '2026-06-30', doc: 'Last month end to return, inclusive.' },
    market: { column: 'market', op: 'eq', values: ['TWSE', 'TPEX'], fold: 'upper', example: 'TWSE', doc: 'Market to return.' },
  },
  order: [
    ['period_end', 'desc'],
    ['ticker', 'asc'],
  ],
  sortable: ['period_end'],
  envelope: { kind: 'A', scope: 'revenue_highs', coverage: 'event_history' },
  lineage: {
    families: ['mops_monthly_revenue', 'twse_open_data', 'tpex_open_data'],
    semantics: 'months_with_the_highest_revenue_by_company',
    role: 'derived',
    selected: 'computed_from_monthly_revenue',
    fallbacks: [],
    notes: ['a_high_exceeds_all_earlier_months', 'null_until_enough_months'],
    url: 'https://mops.twse.com.tw/',
    attribution: 'Taiwan Stock Exchange; Taipei Exchange',
    attributionZh: '臺灣證券交易所、證券櫃檯買賣中心',
  },
  knownGaps: {
    the_record_starts_with_the_data: {
      en: 'Only months in monthly-revenue are compared. Earlier revenue of the company may have been higher.',
      zh: '只計每月營業收入資料集所收錄的月份；更早的月份可能有更高的營收。',
    },
    restated_months_count_as_first_reported: {
      en: 'The revenue of a month is the figure in the monthly-revenue row of the same month. Restated figures in later rows are not used.',
      zh: '各月以其資料列的營收計算，即使其後的表格重編。',
    },
  },
  warnings: ['not_investment_advice'],
  cadence: { every: 'month', day: 10, expectedAt: '23:59' },
  knownAt: 'announced_by',
  coverage: { markets: ['TWSE', 'TPEX'], delisted: true },
  example: [
    {
      ticker: '2330',
      market: 'TWSE',
      month: '2026-05',
      period_end: '2026-05-31',
      revenue: 320_000_000_000,
      highest_12m: true,
      highest_24m: true,
      highest_60m: true,
      highest_on_record: true,
      highest_same_month: true,
      previous_record: 310_000_000_000,
      months_on_record: 257,
      announced_by: '2026-06-10',
    },
    {
      ticker: '2330',
      market: 'TWSE',
      month: '2026-04',
      period_end: '2026-04-30',
      revenue: 300_000_000_000,
      highest_12m: null,
      highest_24m: null,
      highest_60m: null,
      highest_on_record: null,
      highest_same_month: true,
      previous_record: null,
      months_on_record: 1,
      announced_by: '2026-05-11',
    },
  ],
})

function highest(months: (typeof SPANS)[number]) {
  return {
    type: 'boolean',
    nullable: true,
    mayNotApply: true,
    zh: `${months} 個月新高`,
    doc: `True if the revenue is higher than in each of the previous ${months - 1} months. Null if one of these months is missing.`,
    docZh: `當月營收為最近 ${months} 個月中最高且無相同者時為 true；缺少其中任一月份時為空值。`,
  } as const
}
