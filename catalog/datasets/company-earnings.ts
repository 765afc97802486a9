import { defineDataset, QUARTERLY_FILINGS } from '../schema/index.ts'

export default defineDataset({
  slug: 'company-earnings',
  id: 'company_earnings',
  path: '/v1/financial-reports/company-earnings',
  title: 'Company earnings',
  titleZh: '公司盈餘',
  family: 'financial_statements',
  description:
    'Revenue, net income and earnings per share of a company per fiscal period, quarters on their own and whole years, with the currency stated.',
  access: { plan: 'pro', credits: 2 },
  status: 'verified',
  version: '1.0.0',
  columns: {
    ticker: { type: 'text', zh: '公司代號', doc: 'Exchange code of the company.' },
    fiscal_period: { type: 'text', zh: '財報期間', doc: 'Quarter as 2026-Q1, or fiscal year as 2025.' },
    revenue: {
      type: 'number',
      unit: 'TWD',
      nullable: true,
      zh: '營業收入',
      doc: 'Operating revenue of the period; negative in rare cases. Null for banks, which report none.',
    },
    eps: {
      type: 'number',
      unit: 'TWD per share',
      nullable: true,
      zh: '基本每股盈餘',
      doc: 'Basic earnings per share of the period; negative for a loss.',
    },
    net_income: {
      type: 'number',
      unit: 'TWD',
      nullable: true,
      zh: '本期淨利（淨損）',
      doc: 'Net income attributable to the parent’s owners where stated, otherwise of the period; negative for a loss.',
    },
    currency: { type: 'text', zh: '幣別', doc: 'Currency of the amounts, ISO 4217; TWD for every company listed in Taiwan.' },
    period_end: { type: 'date', zh: '財報期間截止日', doc: 'Last day of the fiscal period.' },
    announcement_date: { type: 'date', nullable: true, zh: '公告日', doc: 'Day the company announced the report; null where unknown.' },
  },
  grain: ['ticker', 'fiscal_period'],
  key: 'ticker',
  date: 'period_end',
  publish: { mode: 'merge' },
  rules: [
    { name: 'known_period', holds: "regexp_full_match(fiscal_period, '\\d{4}(-Q[1-4])?')", doc: 'The period is a quarter or a year.' },
    { name: 'amounts_in_twd', holds: "currency = 'TWD'", doc: 'Amounts are stated in TWD.' },
    {
      name: 'announced_after_period',
      holds: 'announcement_date IS NULL OR announcement_date > period_end',
      doc: 'A report is announced after the period it covers.',
    },
  ],
  reconcile: [
    {
      method: 'equals_earnings',
      doc: 'Revenue, net income and earnings per share, beside those of the earnings report for the same company and period.',
      source: 'earnings',
      over: 'release',
      against: {
        dataset: 'earnings',
        on: {
          ticker: 't.ticker',
          fiscal_period: 't.fiscal_period',
          report_type: "CASE WHEN contains(t.fiscal_period, 'Q') THEN 'quarterly' ELSE 'annual' END",
        },
      },
      holds:
        'CASE WHEN o.ticker IS NOT NULL THEN t.revenue IS NOT DISTINCT FROM o.revenue AND t.net_income IS NOT DISTINCT FROM o.net_income AND t.eps IS NOT DISTINCT FROM o.eps END',
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
  fields: [
    {
      time: 'announced',
      entity: 'company',
      id: 'ticker',
      date: 'period_end',
      period: 'fiscal_period',
      announced: 'announcement_date',
      rows: 'length(fiscal_period) > 4',
      of: 'the newest announced quarter, on its own',
      names: {
        'company_earnings.revenue': 'revenue',
        'company_earnings.eps': 'eps',
        'company_earnings.net_income': 'net_income',
        'company_earnings.currency': 'currency',
      },
    },
    {
      time: 'announced',
      entity: 'company',
      id: 'ticker',
      date: 'period_end',
      period: 'fiscal_period',
      announced: 'announcement_date',
      rows: 'length(fiscal_period) = 4',
      of: 'the newest announced fiscal year',
      names: {
        'annual_company_earnings.revenue': 'revenue',
        'annual_company_earnings.eps': 'eps',
        'annual_company_earnings.net_income': 'net_income',
        'annual_company_earnings.currency': 'currency',
      },
    },
  ],
  order: [
    ['period_end', 'desc'],
    ['fiscal_period', 'desc'],
  ],
  sortable: ['period_end', 'announcement_date'],
  search: [{ type: 'symbol', id: 'ticker', param: 'symbol' }],
  envelope: { kind: 'D', role: 'canonical', freshness: true },
  lineage: {
    families: ['mops_income_statements', 'twse_open_data', 'tpex_open_data'],
    semantics: 'revenue_income_and_eps_by_company_and_period',
    role: 'canonical',
    selected: 'mops_income_statements',
    fallbacks: [],
    notes: ['filed_figures_are_year_to_date_and_are_differenced_into_quarters', 'thousands_as_filed_are_stated_in_twd'],
    url: 'https://mops.twse.com.tw/',
    attribution: 'Taiwan Stock Exchange; Taipei Exchange',
  },
  knownGaps: [
    'announcement_date_has_no_bulk_source',
    'fourth_quarter_is_annual_minus_three_quarters',
    'quarter_missing_when_an_earlier_quarter_is_missing',
  ],
  warnings: ['not_investment_advice'],
  cadence: QUARTERLY_FILINGS,
  pointInTime: 'publication_date',
  coverage: { markets: ['TWSE', 'TPEX'], delisted: false, scope: 'company_earnings', type: 'fiscal_period_series' },
  example: [
    row('2026-Q1', 900_000_000_000, 15, 388_950_000_000, '2026-03-31', '2026-05-14'),
    row('2025-Q4', 860_000_000_000, 14, 363_020_000_000, '2025-12-31', '2026-02-26'),
    row('2025', 3_280_000_000_000, 53, 1_374_290_000_000, '2025-12-31', '2026-02-26'),
  ],
})

function row(period: string, revenue: number, eps: number, income: number, end: string, announced: string) {
  return {
    ticker: '2330',
    fiscal_period: period,
    revenue,
    eps,
    net_income: income,
    currency: 'TWD',
    period_end: end,
    announcement_date: announced,
  }
}
