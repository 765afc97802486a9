import { defineDataset, exampleRows } from '../schema/index.ts'

const COLUMNS = {
  pair: {
    type: 'text',
    zh: '幣別對',
    doc: 'Pair of currencies in the form BASE/QUOTE. The rate is the price of one unit of BASE in units of QUOTE.',
    docZh: '幣別對，格式為「基準/計價」；匯率為一單位基準幣的計價幣金額。',
  },
  source: {
    type: 'text',
    zh: '來源',
    doc: 'Source of the rate: cbc (central bank) or taifex (reference rates of TAIFEX).',
    docZh: 'cbc 為中央銀行，taifex 為期交所參考匯率。',
  },
  date: { type: 'date', zh: '日期', doc: 'Day of the rate.', docZh: '匯率日期。' },
  rate: {
    type: 'number',
    zh: '匯率',
    doc: 'Price of one unit of the base currency in units of the quote currency.',
    docZh: '一單位基準幣可兌換的計價幣金額。',
  },
} as const

export default defineDataset({
  slug: 'fx-rates',
  id: 'fx_rates',
  title: 'Exchange rates',
  titleZh: '外幣匯率',
  family: 'macroeconomics',
  description:
    'Daily exchange rates from two sources. The central bank publishes US dollar rates of the currencies of Taiwan’s main trading partners. TAIFEX publishes ten reference rates.',
  descriptionZh: '每日匯率：中央銀行公布的主要貿易對手通貨對美元匯率，以及期交所的十種參考匯率。',
  access: { plan: 'free', credits: 1 },
  status: 'verified',
  version: '1.0.0',
  columns: COLUMNS,
  grain: ['pair', 'source', 'date'],
  key: 'pair',
  date: 'date',
  publish: { mode: 'merge' },

  rules: [
    {
      name: 'known_source',
      column: 'source',
      values: ['cbc', 'taifex'],
      doc: 'The source is cbc or taifex.',
      docZh: '來源為 cbc 或 taifex。',
    },
    {
      name: 'known_pair',
      column: 'pair',
      pattern: '[A-Z]{3}/[A-Z]{3}',
      doc: 'The pair consists of two currency codes.',
      docZh: '幣別對為兩個幣別代碼。',
    },
    { name: 'positive_rate', column: 'rate', above: 0, doc: 'The rate is greater than zero.', docZh: '匯率大於零。' },
  ],
  filters: {
    pair: {
      column: 'pair',
      op: 'in',
      max: 50,
      fold: 'upper',
      pattern: '[A-Za-z]{3}/[A-Za-z]{3}',
      example: 'USD/TWD',
      doc: 'One pair of currencies, or up to 50 separated by commas.',
    },
    source: { column: 'source', op: 'eq', values: ['cbc', 'taifex'], example: 'cbc', doc: 'Source of the rates to return.' },
    start_date: { column: 'date', op: 'from', doc: 'First day to return, inclusive.', example: '2026-06-01' },
    end_date: { column: 'date', op: 'to', doc: 'Last day to return, inclusive.', example: '2026-06-30' },
  },
  order: [
    ['date', 'desc'],
    ['pair', 'asc'],
  ],
  sortable: ['date'],
  envelope: { kind: 'B', fieldGroup: 'fx', view: 'daily_time_series' },
  lineage: {
    families: ['cbc_daily_rates', 'taifex_reference_rates'],
    semantics: 'exchange_rate_by_day',
    role: 'canonical',
    selected: 'cbc_bp01d01',
    fallbacks: [],
    notes: ['rates_of_the_two_sources_are_separate_rows'],
    url: 'https://cpx.cbc.gov.tw/',
    attribution: 'Central Bank of the Republic of China (Taiwan); Securities and Futures Bureau, Financial Supervisory Commission',
    attributionZh: '中央銀行、金融監督管理委員會證券期貨局',
  },
  knownGaps: {
    central_bank_refreshes_monthly: {
      en: 'The central bank updates its table about once a month. Days after the latest update have rates of TAIFEX only.',
      zh: '中央銀行約每月更新一次；較新的日期僅有期交所的匯率。',
    },
  },
  warnings: ['not_investment_advice'],
  cadence: { every: 'trading_day', expectedAt: '18:00', sparse: 10 },
  coverage: { markets: [], delisted: false, scope: 'exchange_rates', type: 'daily_time_series' },
  sample: 'trading_days',
  example: exampleRows(
    COLUMNS,
    ['EUR/USD', 'cbc', '2026-06-30', 1.12],
    ['USD/TWD', 'cbc', '2026-06-30', 30.1],
    ['USD/TWD', 'taifex', '2026-06-30', 30.12],
  ),
})
