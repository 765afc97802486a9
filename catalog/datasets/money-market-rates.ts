import { defineDataset, exampleRows } from '../schema/index.ts'

const COLUMNS = {
  item: {
    type: 'text',
    zh: '項目',
    doc: 'Instrument, market and term, for example interbank_call_loan (loans between banks).',
    docZh: '工具、市場與天期，例如 interbank_call_loan 為金融業拆款。',
  },
  month: { type: 'text', zh: '期間', doc: 'Month to which the rate applies, for example 2026-05.', docZh: '利率所屬月份，例如 2026-05。' },
  period_end: { type: 'date', zh: '月份截止日', doc: 'Last day of the month.', docZh: '該月份的最後一日。' },
  rate: { type: 'number', unit: 'percent', zh: '利率', doc: 'Rate of the month in percent per year.', docZh: '該月利率，年息百分比率。' },
} as const

export default defineDataset({
  slug: 'money-market-rates',
  id: 'money_market_rates',
  title: 'Money market rates',
  titleZh: '貨幣市場利率',
  family: 'macroeconomics',
  description:
    'Monthly rates of the money market by instrument and term: call loans, commercial paper, certificates of deposit, bills and repurchase agreements.',
  descriptionZh: '貨幣市場各工具與天期的每月利率：拆款、商業本票、可轉讓定期存單、國庫券與附條件交易等。',
  access: { plan: 'pro', credits: 1 },
  status: 'verified',
  version: '1.0.0',
  columns: COLUMNS,
  grain: ['item', 'month'],
  key: 'item',
  date: 'period_end',
  publish: { mode: 'merge' },

  rules: [
    {
      name: 'known_month',
      column: 'month',
      pattern: '\\d{4}-\\d{2}',
      doc: 'The month has the format YYYY-MM.',
      docZh: '期間的格式為 YYYY-MM。',
    },
    { name: 'plausible_rate', column: 'rate', min: -5, below: 50, doc: 'The rate is in percent per year.', docZh: '利率為年息百分比。' },
  ],
  filters: {
    item: {
      column: 'item',
      op: 'in',
      max: 25,
      pattern: '[a-z0-9_]+',
      example: 'interbank_call_loan',
      doc: 'One item, or up to 25 separated by commas.',
    },
    start_date: { column: 'period_end', op: 'from', doc: 'First month end to return, inclusive.', example: '2026-01-31' },
    end_date: { column: 'period_end', op: 'to', doc: 'Last month end to return, inclusive.', example: '2026-06-30' },
  },
  order: [
    ['period_end', 'desc'],
    ['item', 'asc'],
  ],
  sortable: ['period_end'],
  envelope: { kind: 'B', fieldGroup: 'money_market', view: 'monthly_series' },
  lineage: {
    families: ['cbc_financial_statistics'],
    semantics: 'money_market_rate_by_month',
    role: 'canonical',
    selected: 'cbc_eg41m01',
    fallbacks: [],
    notes: ['months_without_a_rate_have_no_row'],
    url: 'https://cpx.cbc.gov.tw/',
    attribution: 'Central Bank of the Republic of China (Taiwan)',
    attributionZh: '中央銀行',
  },
  knownGaps: {},
  warnings: ['not_investment_advice'],
  cadence: { every: 'month', day: 28, expectedAt: '18:00' },
  coverage: { markets: [], delisted: false, scope: 'interest_rates', type: 'monthly_time_series' },
  sample: 'months',
  example: exampleRows(
    COLUMNS,
    ['commercial_paper_secondary_1_30', '2026-05', '2026-05-31', 1.32],
    ['interbank_call_loan', '2026-05', '2026-05-31', 0.823],
  ),
})
