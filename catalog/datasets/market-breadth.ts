import { defineDataset, EXCHANGE_WEBSITES, exampleRows, KNOWN_MARKET, MARKET, MARKET_ON_DAY, TRADING_DAYS } from '../schema/index.ts'

const securities = (zh: string, doc: string, docZh: string) => ({ type: 'integer', zh, doc, docZh }) as const

const COLUMNS = {
  ...MARKET_ON_DAY,
  scope: {
    type: 'text',
    zh: '範圍',
    doc: 'Securities that are counted: stocks (shares only) or all (all securities, including warrants).',
    docZh: 'stocks 為股票，all 為含權證的整體市場。',
  },
  advances: securities('上漲', 'Number of securities that rose, including securities at the upper price limit.', '上漲家數，含漲停。'),
  limit_up: securities('漲停', 'Number of securities that closed at the upper price limit.', '漲停家數。'),
  declines: securities('下跌', 'Number of securities that fell, including securities at the lower price limit.', '下跌家數，含跌停。'),
  limit_down: securities('跌停', 'Number of securities that closed at the lower price limit.', '跌停家數。'),
  unchanged: securities('持平', 'Number of securities whose price did not change.', '持平家數。'),
  no_trade: securities(
    '未成交',
    'Number of securities without a trade. For TPEx, suspended securities are included.',
    '未成交家數；櫃買中心含暫停交易。',
  ),
  no_comparison: {
    ...securities(
      '無比價',
      'Number of securities without a comparable previous close, for example on an ex-day. Null for TPEx, which has no such count.',
      '無比價家數；櫃買中心未公布，為空值。',
    ),
    nullable: true,
    mayNotApply: true,
  },
  listed: {
    ...securities(
      '上櫃家數',
      'Number of listed companies. Null for TWSE, which does not publish this figure.',
      '上櫃家數；僅櫃買中心公布。',
    ),
    nullable: true,
    mayNotApply: true,
  },
} as const

export default defineDataset({
  slug: 'market-breadth',
  id: 'market_breadth',
  title: 'Market breadth',
  titleZh: '漲跌證券數',
  family: 'market_structure',
  description: 'Number of securities that rose, fell or did not trade in each market per trading day, as published.',
  descriptionZh: '各市場每個交易日上漲、下跌、持平與未成交的證券數，依交易所公布。',
  access: { plan: 'free', credits: 1 },
  status: 'verified',
  version: '1.0.0',
  columns: COLUMNS,
  grain: ['market', 'trade_date', 'scope'],
  key: 'market',
  date: 'trade_date',
  publish: { mode: 'merge', slice: ['market', 'trade_date'] },
  completeness: { severity: 'warning' },
  rules: [
    KNOWN_MARKET,
    {
      name: 'known_scope',
      column: 'scope',
      values: ['all', 'stocks'],
      doc: 'The scope is stocks or all.',
      docZh: '範圍為 stocks 或 all。',
    },
    {
      name: 'limits_within_moves',
      holds: 'limit_up <= advances AND limit_down <= declines',
      doc: 'The counts of securities at a price limit do not exceed the counts of securities that rose or fell.',
      docZh: '漲停、跌停家數不超過上漲、下跌家數。',
    },
    {
      name: 'all_listed_companies',
      column: 'listed',
      sum: ['advances', 'declines', 'unchanged', 'no_trade'],
      doc: 'For TPEx, the counts add up to the number of listed companies.',
      docZh: '櫃買中心各家數合計等於上櫃家數。',
    },
  ],
  filters: {
    market: MARKET,
    scope: {
      column: 'scope',
      op: 'eq',
      values: ['all', 'stocks'],
      example: 'stocks',
      doc: 'Scope to return. Only TWSE has rows with the scope `all`.',
    },
    ...TRADING_DAYS,
  },
  order: [
    ['trade_date', 'desc'],
    ['market', 'asc'],
  ],
  sortable: ['trade_date'],
  envelope: { kind: 'B', fieldGroup: 'market_breadth', view: 'daily_time_series' },
  lineage: {
    ...EXCHANGE_WEBSITES,
    families: ['twse_market_statistics', 'tpex_highlight'],
    semantics: 'advances_and_declines_by_day',
    selected: 'exchange_market_statistics',
    notes: ['warrants_count_in_scope_all_only'],
    url: 'https://www.twse.com.tw/zh/trading/historical/mi-index.html',
  },
  knownGaps: {},
  warnings: ['not_investment_advice'],
  cadence: { every: 'trading_day', expectedAt: '15:00' },
  coverage: { markets: ['TWSE', 'TPEX'], delisted: true, scope: 'market_totals', type: 'daily_time_series' },
  sample: 'trading_days',
  example: exampleRows(
    COLUMNS,
    ['TPEX', '2026-06-30', 'stocks', 591, 10, 135, 0, 69, 14, null, 809],
    ['TWSE', '2026-06-30', 'all', 4916, 55, 2052, 69, 228, 11438, 4400, null],
    ['TWSE', '2026-06-30', 'stocks', 764, 14, 132, 0, 67, 1, 4, null],
  ),
})
