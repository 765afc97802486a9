import {
  BOTH_EXCHANGES,
  defineDataset,
  exampleRows,
  integersIn,
  KNOWN_MARKET,
  MARKET,
  MARKET_ON_DAY,
  TRADING_DAYS,
} from '../schema/index.ts'

const COLUMNS = {
  ...MARKET_ON_DAY,
  volume: integersIn('shares')(
    '成交股數',
    'Number of shares traded. TPEx publishes thousands of shares, so TPEx figures are multiples of 1,000.',
    '成交股數；櫃買中心以仟股公布。',
  ),
  value: integersIn('TWD')(
    '成交金額',
    'Value traded. TPEx publishes thousands of TWD, so TPEx figures are multiples of TWD 1,000.',
    '成交金額；櫃買中心以仟元公布。',
  ),
  transactions: { type: 'integer', zh: '成交筆數', doc: 'Number of trades.', docZh: '成交筆數。' },
  index_close: {
    type: 'number',
    unit: 'index points',
    zh: '收盤指數',
    doc: 'Closing value of the main index of the market: TAIEX or TPEx index.',
    docZh: '發行量加權股價指數或櫃買指數的收盤值。',
  },
  index_change: {
    type: 'number',
    unit: 'index points',
    zh: '漲跌點數',
    doc: 'Change of the main index since the previous close, in points.',
    docZh: '指數的漲跌點數。',
  },
} as const

export default defineDataset({
  slug: 'market-turnover',
  id: 'market_turnover',
  title: 'Market turnover',
  titleZh: '每日市場成交資訊',
  family: 'market_structure',
  description: 'Volume, value traded, number of trades and main index of each market per trading day.',
  descriptionZh: '各市場每個交易日的成交股數、金額與筆數，以及收盤指數。',
  access: { plan: 'free', credits: 1 },
  status: 'verified',
  version: '1.0.0',
  columns: COLUMNS,
  grain: ['market', 'trade_date'],
  key: 'market',
  date: 'trade_date',
  publish: { mode: 'merge', slice: ['market', 'trade_date'] },
  completeness: { severity: 'warning' },
  rules: [
    KNOWN_MARKET,
    {
      name: 'counts_not_negative',
      column: ['volume', 'value', 'transactions'],
      min: 0,
      doc: 'Value, volume and number of trades are not negative.',
      docZh: '合計不為負數。',
    },
    { name: 'positive_index', column: 'index_close', above: 0, doc: 'The index is greater than zero.', docZh: '指數大於零。' },
  ],
  reconcile: [
    {
      method: 'value_of_all_classes',
      doc: 'For TWSE, compares the value with the sum over all classes in market-turnover-by-class.',
      docZh: '將上市市場的成交金額與「各類證券成交統計」各類的加總比對。',
      source: 'twse_market_statistics',
      over: 'release',
      against: {
        dataset: 'market-turnover-by-class',
        on: { market: 't.market', trade_date: 't.trade_date' },
        sums: { by: { market: 'market', trade_date: 'trade_date' }, take: { value: 'sum(value)' } },
      },
      holds: "CASE t.market WHEN 'TWSE' THEN t.value = o.value END",
    },
  ],
  filters: {
    market: MARKET,
    ...TRADING_DAYS,
  },
  order: [
    ['trade_date', 'desc'],
    ['market', 'asc'],
  ],
  sortable: ['trade_date'],
  envelope: { kind: 'B', fieldGroup: 'market_turnover', view: 'daily_time_series' },
  lineage: {
    ...BOTH_EXCHANGES,
    families: ['twse_fmtqik', 'tpex_trading_index'],
    semantics: 'turnover_of_the_market_by_day',
    selected: 'exchange_daily_turnover',
    notes: ['thousands_of_tpex_are_stored_in_full_units'],
    url: 'https://www.twse.com.tw/zh/trading/historical/fmtqik.html',
  },
  knownGaps: {
    no_captured_table_of_tpex: {
      en: 'The feed of the TPEx table follows the published headings. No real file was available for a check.',
      zh: '尚無櫃買中心表格的實際檔案；匯入程式依公布的欄位名稱撰寫。',
    },
  },
  warnings: ['not_investment_advice'],
  cadence: { every: 'trading_day', expectedAt: '15:00' },
  coverage: { markets: ['TWSE', 'TPEX'], delisted: true, scope: 'market_totals', type: 'daily_time_series' },
  sample: 'trading_days',
  example: exampleRows(
    COLUMNS,
    ['TPEX', '2026-06-30', 830_000_000, 252_000_000_000, 900_000, 417.07, 3.21],
    ['TWSE', '2026-06-30', 10_650_000_000, 974_000_000_000, 4_630_000, 30_300, 300],
  ),
})
