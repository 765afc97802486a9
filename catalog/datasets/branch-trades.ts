import {
  defineDataset,
  EXCHANGE_WEBSITES,
  exampleRows,
  KNOWN_MARKET,
  MARKET,
  SECURITY_ON_DAY,
  TICKERS,
  TRADING_DAYS,
} from '../schema/index.ts'

const shares = (zh: string, doc: string, docZh: string) => ({ type: 'integer', unit: 'shares', zh, doc, docZh }) as const

const COLUMNS = {
  ...SECURITY_ON_DAY,
  branch_code: { type: 'text', zh: '券商代號', doc: 'Exchange code of the branch or head office.', docZh: '證券商分公司或總公司的代號。' },
  price: { type: 'number', unit: 'TWD per share', zh: '價格', doc: 'Price at which the shares traded.', docZh: '成交價格。' },
  buy_volume: shares('買進股數', 'Number of shares that the branch bought at this price.', '以該價格買進的股數。'),
  sell_volume: shares('賣出股數', 'Number of shares that the branch sold at this price.', '以該價格賣出的股數。'),
  net_volume: {
    ...shares('買賣超股數', 'Shares bought minus shares sold.', '買進股數減賣出股數。'),
    virtual: 'buy_volume - sell_volume',
  },
} as const

export default defineDataset({
  slug: 'branch-trades',
  id: 'branch_trades',
  title: 'Trades by branch',
  titleZh: '分點進出',
  family: 'capital_flows',
  description:
    'Shares that each branch bought and sold per security, day and price. The dataset has rows only if the operator of the service supplies files.',
  descriptionZh: '各券商分點每日對各證券、各價格的買賣股數；僅在服務營運者提供檔案時才有資料。',
  access: { plan: 'max', credits: 2 },
  status: 'preview',
  version: '1.0.0',
  columns: COLUMNS,
  grain: ['ticker', 'trade_date', 'branch_code', 'price'],
  key: 'ticker',
  date: 'trade_date',
  publish: { mode: 'merge' },
  drift: 'any',
  rules: [
    KNOWN_MARKET,
    {
      name: 'price_in_twd',
      column: 'price',
      above: 0,
      below: 1_000_000,
      doc: 'Prices are in TWD per share.',
      docZh: '價格以每股新臺幣元表示。',
    },
    {
      name: 'shares_not_negative',
      column: ['buy_volume', 'sell_volume'],
      min: 0,
      doc: 'Shares are not negative.',
      docZh: '股數不為負數。',
    },
  ],
  filters: {
    symbol: TICKERS,
    market: MARKET,
    branch_code: { column: 'branch_code', op: 'eq', pattern: '[0-9A-Za-z]{4}', example: '9800', doc: 'Branch to return.' },
    ...TRADING_DAYS,
  },
  order: [
    ['trade_date', 'desc'],
    ['ticker', 'asc'],
    ['branch_code', 'asc'],
  ],
  sortable: ['trade_date'],
  search: [{ type: 'symbol', id: 'ticker', market: 'market', rank: 5, param: 'symbol' }],
  envelope: { kind: 'B', fieldGroup: 'branch_trades', view: 'daily_time_series' },
  lineage: {
    ...EXCHANGE_WEBSITES,
    families: ['files_of_the_operator'],
    semantics: 'trades_by_branch_security_and_price',
    role: 'reference',
    selected: 'files_of_the_operator',
    notes: ['no_feed_reads_the_source'],
    url: 'https://bsr.twse.com.tw/bshtm/',
  },
  knownGaps: {
    source_requires_a_captcha: {
      en: 'The exchanges require a captcha for the trades by branch of each security, so the service does not fetch these trades. The dataset has rows only if the operator supplies files.',
      zh: '交易所的分點資料須逐檔輸入驗證碼，因此不自動匯入；僅在營運者自備檔案時才有資料。',
    },
    no_scheduled_producer: {
      en: 'Updates have no fixed schedule, so no next update date is announced.',
      zh: '更新沒有固定排程，因此不預告下次更新日期。',
    },
  },
  warnings: ['not_investment_advice', 'preview_schema_may_change'],
  cadence: { every: 'on_change' },
  coverage: { markets: ['TWSE', 'TPEX'], delisted: true, scope: 'trades_by_branch', type: 'daily_time_series' },
  sample: 'trading_days',
  example: exampleRows(
    COLUMNS,
    ['2330', 'TWSE', '2026-06-30', '9800', 1_490, 120_000, 80_000, 40_000],
    ['2330', 'TWSE', '2026-06-30', '9A00', 1_490, 30_000, 70_000, -40_000],
  ),
})
