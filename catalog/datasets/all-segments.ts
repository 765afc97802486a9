import { defineDataset, QUARTERLY_FILINGS } from '../schema/index.ts'

export default defineDataset({
  slug: 'all-segments',
  id: 'all_segments',
  path: '/v1/segments/all',
  title: 'Business segments',
  titleZh: '部門別營運資訊',
  family: 'financial_statements',
  description: 'Revenue and net income of each business segment a company reports, per fiscal period, in TWD.',
  access: { plan: 'pro', credits: 3 },
  status: 'verified',
  version: '1.0.0',
  columns: {
    ticker: { type: 'text', zh: '公司代號', doc: 'Exchange code of the company.' },
    fiscal_period: { type: 'text', zh: '財報期間', doc: 'Quarter as 2026-Q1, or fiscal year as 2025.' },
    segment: { type: 'text', zh: '部門', doc: 'Segment as the company names it.' },
    revenue: {
      type: 'number',
      unit: 'TWD',
      nullable: true,
      zh: '部門收入',
      doc: 'Revenue of the segment in the period; null where not disclosed.',
    },
    net_income: {
      type: 'number',
      unit: 'TWD',
      nullable: true,
      zh: '部門損益',
      doc: 'Net income of the segment, negative for a loss; null where not disclosed.',
    },
    period_end: { type: 'date', zh: '財報期間截止日', doc: 'Last day of the fiscal period.' },
    announcement_date: { type: 'date', nullable: true, zh: '公告日', doc: 'Day the company announced the report; null where unknown.' },
  },
  grain: ['ticker', 'fiscal_period', 'segment'],
  key: 'ticker',
  date: 'period_end',
  publish: { mode: 'merge' },
  rules: [
    { name: 'known_period', holds: "regexp_full_match(fiscal_period, '\\d{4}(-Q[1-4])?')", doc: 'The period is a quarter or a year.' },
    {
      name: 'announced_after_period',
      holds: 'announcement_date IS NULL OR announcement_date > period_end',
      doc: 'A report is announced after the period it covers.',
    },
  ],
  filters: {
    symbol: { column: 'ticker', op: 'eq', required: true, pattern: '[0-9A-Za-z]{4,8}', fold: 'upper', example: '2330', doc: 'One ticker.' },
    date: {
      column: 'period_end',
      also: 'announcement_date',
      op: 'eq',
      example: '2026-03-31',
      doc: 'One day: the end of the fiscal period or the day of announcement.',
    },
    start_date: { column: 'period_end', op: 'from', example: '2025-01-01', doc: 'Earliest period end wanted, inclusive.' },
    end_date: { column: 'period_end', op: 'to', example: '2026-06-30', doc: 'Latest period end wanted, inclusive.' },
  },
  order: [
    ['period_end', 'desc'],
    ['fiscal_period', 'desc'],
    ['segment', 'asc'],
  ],
  sortable: ['period_end', 'announcement_date'],
  search: [{ type: 'symbol', id: 'ticker', param: 'symbol' }],
  envelope: { kind: 'D', role: 'canonical', freshness: true },
  lineage: {
    families: ['company_financial_reports'],
    semantics: 'segment_revenue_and_income_by_period',
    role: 'canonical',
    selected: 'company_financial_reports',
    fallbacks: [],
    notes: ['segments_are_named_by_the_company_and_may_change'],
    url: 'https://mops.twse.com.tw/',
    attribution: 'Taiwan Stock Exchange; Taipei Exchange',
  },
  knownGaps: ['no_structured_public_source', 'announcement_date_has_no_bulk_source', 'segment_names_are_not_normalized'],
  warnings: ['not_investment_advice'],
  cadence: QUARTERLY_FILINGS,
  pointInTime: 'publication_date',
  coverage: { markets: ['TWSE', 'TPEX'], delisted: false, scope: 'business_segment', type: 'fiscal_period_series' },
  example: [
    row('2026-Q1', '其他', 120_000_000_000, 40_000_000_000, '2026-03-31', '2026-05-14'),
    row('2026-Q1', '晶圓', 780_000_000_000, 348_950_000_000, '2026-03-31', '2026-05-14'),
    row('2025-Q4', '晶圓', 745_000_000_000, null, '2025-12-31', null),
  ],
})

function row(period: string, segment: string, revenue: number, income: number | null, end: string, announced: string | null) {
  return { ticker: '2330', fiscal_period: period, segment, revenue, net_income: income, period_end: end, announcement_date: announced }
}
