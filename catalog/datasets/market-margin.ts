import { defineDataset, EXCHANGE_WEBSITES, exampleRows, KNOWN_MARKET, MARKET, MARKET_ON_DAY, TRADING_DAYS } from '../schema/index.ts'

const figure = (zh: string, doc: string, docZh: string) => ({ type: 'integer', zh, doc, docZh }) as const

const COLUMNS = {
  item: {
    type: 'text',
    zh: '項目',
    doc: 'Item: margin (margin purchases, in lots of 1,000 shares), short (short sales, in lots of 1,000 shares) or margin_value (margin purchases, in thousands of TWD).',
    docZh: 'margin 為融資、short 為融券（單位為張）；margin_value 為融資金額（千元）。',
  },
  ...MARKET_ON_DAY,
  buy: figure('買進', 'Purchases of the day, in the unit of the item.', '當日買進。'),
  sell: figure('賣出', 'Sales of the day, in the unit of the item.', '當日賣出。'),
  repayment: figure(
    '現金(券)償還',
    'Repayments in cash, in the unit of the item. For short sales, shares returned from own holdings.',
    '現金償還；融券為現券償還。',
  ),
  balance_before: figure(
    '前日餘額',
    'Final balance of the previous trading day, which can differ from the provisional balance published on that day.',
    '前一日的最終餘額，可能與前一日公布的餘額不同。',
  ),
  balance: figure(
    '今日餘額',
    'Balance at the end of the day, in the unit of the item. Provisional until the next trading day.',
    '當日餘額，於次日確定。',
  ),
} as const

export default defineDataset({
  slug: 'market-margin',
  id: 'market_margin',
  title: 'Margin balances of the market',
  titleZh: '信用交易統計',
  family: 'capital_flows',
  description: 'Official totals of margin purchases and short sales in each market per trading day.',
  descriptionZh: '各市場每個交易日融資、融券的官方合計。',
  access: { plan: 'free', credits: 1 },
  status: 'verified',
  version: '1.0.0',
  columns: COLUMNS,
  grain: ['item', 'market', 'trade_date'],
  key: 'item',
  date: 'trade_date',
  publish: { mode: 'merge', slice: ['market', 'trade_date'] },
  completeness: { severity: 'warning' },
  rules: [
    KNOWN_MARKET,
    {
      name: 'known_item',
      column: 'item',
      values: ['margin', 'short', 'margin_value'],
      doc: 'The item is margin, short or margin_value.',
      docZh: '項目為 margin、short 或 margin_value。',
    },
    {
      name: 'balance_follows',
      column: 'balance',
      equals: "balance_before + CASE item WHEN 'short' THEN sell - buy ELSE buy - sell END - repayment",
      tolerance: 0,
      severity: 'acceptable',
      doc: 'The balance equals the previous balance plus new positions, minus closed positions and repayments.',
      docZh: '今日餘額等於前日餘額加減當日變動。',
    },
  ],
  reconcile: [
    {
      method: 'sum_of_margin_trading',
      doc: 'Compares the balances in lots of 1,000 shares with the sums over all securities in margin-trading.',
      docZh: '將張數餘額與「融資融券餘額」各證券的加總比對（每張 1,000 股）。',
      source: 'exchange_margin_tables',
      over: 'release',
      against: {
        dataset: 'margin-trading',
        on: { market: 't.market', trade_date: 't.trade_date' },
        sums: {
          by: { market: 'market', trade_date: 'trade_date' },
          take: { margin: 'sum(margin_balance)', short: 'sum(short_balance)' },
        },
      },
      holds: "CASE t.item WHEN 'margin' THEN t.balance * 1000 = o.margin WHEN 'short' THEN t.balance * 1000 = o.short END",
    },
  ],
  filters: {
    item: { column: 'item', op: 'eq', values: ['margin', 'short', 'margin_value'], example: 'margin', doc: 'Item to return.' },
    market: MARKET,
    ...TRADING_DAYS,
  },
  order: [
    ['trade_date', 'desc'],
    ['item', 'asc'],
  ],
  sortable: ['trade_date'],
  envelope: { kind: 'B', fieldGroup: 'market_margin', view: 'daily_time_series' },
  lineage: {
    ...EXCHANGE_WEBSITES,
    families: ['twse_mi_margn', 'tpex_margin_balance'],
    semantics: 'margin_balances_of_the_market',
    selected: 'exchange_margin_statistics',
    notes: ['balance_before_is_final_balance_is_provisional'],
    url: 'https://www.twse.com.tw/zh/trading/margin/mi-margn.html',
  },
  knownGaps: {},
  warnings: ['not_investment_advice'],
  cadence: { every: 'trading_day', expectedAt: '22:00' },
  coverage: { markets: ['TWSE', 'TPEX'], delisted: true, scope: 'market_totals', type: 'daily_time_series' },
  sample: 'trading_days',
  example: exampleRows(
    COLUMNS,
    ['margin', 'TWSE', '2026-06-30', 264_000, 283_000, 10_000, 6_311_000, 6_282_000],
    ['margin_value', 'TWSE', '2026-06-30', 8_515_000, 8_830_000, 301_000, 151_760_000, 151_144_000],
    ['short', 'TWSE', '2026-06-30', 17_000, 20_000, 2_000, 543_000, 544_000],
  ),
})
