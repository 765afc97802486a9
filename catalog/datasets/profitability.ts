import {
  BOTH_EXCHANGES,
  defineDataset,
  END_OF_A_QUARTER,
  exampleRows,
  FISCAL_QUARTER,
  KNOWN_MARKET,
  MARKET,
  NAMES_ONLY,
  QUARTERLY_FILINGS,
  QUARTERS,
  SECURITY,
  TICKERS,
} from '../schema/index.ts'

const margin = (zh: string, doc: string, docZh: string) => ({ type: 'number', unit: 'percent', nullable: true, zh, doc, docZh }) as const

const COLUMNS = {
  ...SECURITY,
  period_end: { type: 'date', zh: '財報期間截止日', doc: 'Last day of the quarter.', docZh: '該季最後一日。' },
  name: { type: 'text', zh: '公司名稱', doc: 'Short name of the company.', docZh: '公司簡稱。' },
  revenue: {
    type: 'integer',
    unit: 'TWD',
    nullable: true,
    zh: '營業收入',
    doc: 'Revenue, converted from the published figure in million TWD with two decimals. Null if not published.',
    docZh: '營業收入；原表以百萬元（小數二位）表示，未載明時為空值。',
  },
  gross_margin: margin(
    '毛利率',
    'Gross profit as a percentage of revenue. Null if not published.',
    '營業毛利占營業收入的百分比；未載明時為空值。',
  ),
  operating_margin: margin(
    '營業利益率',
    'Operating income as a percentage of revenue. Null if not published.',
    '營業利益占營業收入的百分比；未載明時為空值。',
  ),
  pretax_margin: margin(
    '稅前純益率',
    'Income before tax as a percentage of revenue. Null if not published.',
    '稅前純益占營業收入的百分比；未載明時為空值。',
  ),
  net_margin: margin(
    '稅後純益率',
    'Income after tax as a percentage of revenue. Null if not published.',
    '稅後純益占營業收入的百分比；未載明時為空值。',
  ),
  ...FISCAL_QUARTER,
} as const

const STATEMENT = {
  dataset: 'income-statements',
  on: { ticker: 't.ticker', fiscal_year: 'year(t.period_end)', season: 'quarter(t.period_end)' },
} as const

export default defineDataset({
  slug: 'profitability',
  id: 'profitability',
  title: 'Profitability',
  titleZh: '營益分析',
  family: 'financial_statements',
  description: 'Revenue and profit margins of each company by quarter, as published by the exchanges.',
  descriptionZh: '各公司每季的營業收入與毛利率、營業利益率、純益率，依交易所公布。',
  access: { plan: 'free', credits: 1 },
  status: 'preview',
  version: '1.0.0',
  columns: COLUMNS,
  grain: ['ticker', 'period_end'],
  key: 'ticker',
  date: 'period_end',
  publish: { mode: 'merge' },
  rules: [
    KNOWN_MARKET,
    END_OF_A_QUARTER,
    {
      name: 'part_of_revenue',
      column: 'gross_margin',
      max: 100,
      severity: 'warning',
      doc: 'The gross margin is at most 100 percent.',
      docZh: '毛利率不超過 100%。',
    },
  ],
  reconcile: [
    {
      method: 'revenue_of_income_statements',
      doc: 'Compares the revenue with the year-to-date revenue in income-statements.',
      docZh: '將營業收入與綜合損益表的本年累計營業收入比對。',
      source: 'mops_income_statements',
      over: 'release',
      against: STATEMENT,
      holds: 'abs(t.revenue - 1000 * o.revenue) <= 10000',
    },
    {
      method: 'gross_margin_of_income_statements',
      doc: 'Compares the gross margin with gross profit divided by revenue in income-statements.',
      docZh: '將毛利率與綜合損益表的營業毛利占營業收入百分比比對。',
      source: 'mops_income_statements',
      over: 'release',
      against: STATEMENT,
      holds: 'abs(t.gross_margin - 100 * o.gross_profit / nullif(o.revenue, 0)) < 0.011',
    },
  ],
  filters: {
    symbol: TICKERS,
    market: MARKET,
    ...QUARTERS,
  },
  fields: [
    {
      time: 'series',
      entity: 'company',
      id: 'ticker',
      date: 'period_end',
      of: 'the newest published quarter',
      ofZh: '最近公布的一季',
      names: {
        'profitability.gross_margin': 'gross_margin',
        'profitability.operating_margin': 'operating_margin',
        'profitability.pretax_margin': 'pretax_margin',
        'profitability.net_margin': 'net_margin',
      },
    },
  ],
  order: [
    ['period_end', 'desc'],
    ['ticker', 'asc'],
  ],
  sortable: ['period_end'],
  search: [{ type: 'symbol', id: 'ticker', title: ['name'], market: 'market', rank: 5, param: 'symbol' }],
  envelope: { kind: 'B', fieldGroup: 'profitability', view: 'quarterly_time_series' },
  lineage: {
    ...BOTH_EXCHANGES,
    families: ['twse_t187ap17', 'tpex_187ap17'],
    semantics: 'margins_by_company_and_quarter',
    selected: 'exchange_profitability_tables',
    notes: ['millions_of_twd_are_converted_to_twd', 'margins_are_as_printed'],
    url: 'https://openapi.twse.com.tw/',
  },
  knownGaps: {
    no_captured_file_seen: NAMES_ONLY,
    period_of_the_figures_not_verified: {
      en: 'The field list does not state whether the figures cover the quarter or the year to date. The comparison with income-statements indicates which of the two applies.',
      zh: '欄位清單未載明數字為單季或本年累計，可從與綜合損益表的比對結果判斷。',
    },
    newest_quarter_only_at_the_source: {
      en: 'The source offers only the newest quarter. Quarters that were not collected in time are missing.',
      zh: '來源僅提供最新一季。未及時收錄的季別沒有資料。',
    },
  },
  warnings: ['not_investment_advice', 'preview_schema_may_change'],
  cadence: QUARTERLY_FILINGS,
  coverage: { markets: ['TWSE', 'TPEX'], delisted: true, scope: 'margins_of_companies', type: 'quarterly_time_series' },
  sample: 'quarters',
  example: exampleRows(COLUMNS, ['2330', 'TWSE', '2026-06-30', '台積電', 1_900_000_000_000, 58.5, 47.8, 50.1, 43.2, 2026, 2]),
})
