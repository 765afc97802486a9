import { defineDataset, MARKET, SECURITY_ON_DAY, TICKER_LIST, TRADING_DAYS } from '../schema/index.ts'

export default defineDataset({
  slug: 'market-value-weights',
  id: 'market_value_weights',
  title: 'Market value weights',
  titleZh: '市值比重',
  family: 'market_structure',
  description:
    'Market value (close × issued shares) of each ordinary share per trading day, with percentage of the market total and rank in the market.',
  descriptionZh: '各普通股每個交易日的市值（收盤價 × 發行股數）、占所屬市場合計的比重與排名。',
  access: { plan: 'pro', credits: 1 },
  status: 'verified',
  version: '1.0.0',
  columns: {
    ...SECURITY_ON_DAY,
    market_value: {
      type: 'integer',
      unit: 'TWD',
      zh: '市值',
      doc: 'Close × issued shares, rounded to TWD.',
      docZh: '收盤價 × 發行股數，四捨五入至元。',
    },
    weight_percent: {
      type: 'number',
      unit: 'percent',
      zh: '市值比重',
      doc: 'Market value as a percentage of the total market value of all rows of the same market and day, rounded to six decimals.',
      docZh: '市值占當日同一市場各列市值合計的百分比，四捨五入至小數第六位。',
    },
    rank: {
      type: 'integer',
      zh: '排名',
      doc: 'Rank by market value in the market, 1 for the largest.',
      docZh: '於所屬市場內依市值由大至小的排名。',
    },
  },
  grain: ['ticker', 'trade_date'],
  key: 'ticker',
  date: 'trade_date',
  publish: { mode: 'merge' },
  from: {
    inputs: ['daily-prices', 'foreign-holding'],
    by: 'day',
    sql: `
      SELECT ticker, market, trade_date, market_value,
        round(100 * market_value / sum(market_value) OVER (PARTITION BY market, trade_date), 6) AS weight_percent,
        row_number() OVER (PARTITION BY market, trade_date ORDER BY market_value DESC, ticker) AS rank
      FROM (
        SELECT p.ticker, p.market, p.trade_date, round(p.close::DECIMAL(18, 2) * h.issued_shares)::BIGINT AS market_value
        FROM daily_prices AS p JOIN foreign_holding AS h ON h.ticker = p.ticker AND h.trade_date = p.trade_date
        WHERE p.close > 0 AND h.issued_shares > 0 AND regexp_full_match(p.ticker, '[1-9][0-9]{3}'))`,
  },
  rules: [
    { name: 'positive_value', column: 'market_value', above: 0, doc: 'The market value is greater than zero.', docZh: '市值大於零。' },
    {
      name: 'weight_of_a_whole',
      column: 'weight_percent',
      min: 0,
      max: 100,
      doc: 'The weight is from 0 to 100 percent.',
      docZh: '比重介於 0 與 100%。',
    },
    { name: 'rank_from_one', column: 'rank', min: 1, doc: 'Ranks start from 1.', docZh: '排名自 1 起。' },
  ],
  filters: { symbol: { ...TICKER_LIST, column: 'ticker' }, market: MARKET, ...TRADING_DAYS },
  order: [
    ['trade_date', 'desc'],
    ['ticker', 'asc'],
  ],
  sortable: ['trade_date', 'rank'],
  envelope: { kind: 'A', scope: 'market_value', coverage: 'daily_time_series' },
  lineage: {
    families: ['exchange_daily_quotes', 'exchange_foreign_holdings'],
    semantics: 'market_value_and_weight_by_security_and_day',
    role: 'derived',
    selected: 'computed_from_daily_prices_and_foreign_holding',
    fallbacks: [],
    notes: ['issued_shares_of_the_foreign_holding_report', 'weights_within_one_market'],
    url: 'https://www.twse.com.tw/zh/trading/historical/mi-index.html',
    attribution: 'Taiwan Stock Exchange; Taipei Exchange',
    attributionZh: '臺灣證券交易所、證券櫃檯買賣中心',
  },
  knownGaps: {
    not_the_weights_of_an_index: {
      en: 'The exchanges exclude some shares from their indices and adjust the weights of others. Index weights therefore differ slightly from the weights in this dataset.',
      zh: '交易所的指數排除部分股票並另作調整，與指數成分權重略有差異。',
    },
    days_without_trades_are_left_out: {
      en: 'A share without a close on a day has no row, and its value is not in the total.',
      zh: '當日無收盤價的股票沒有資料列，其市值不計入合計。',
    },
    issued_shares_may_differ_by_days: {
      en: 'The source report may change the number of issued shares some days before or after the ex-day.',
      zh: '報表的發行股數可能於除權日前後數日更新。',
    },
  },
  warnings: ['not_investment_advice'],
  cadence: { every: 'trading_day', expectedAt: '21:00' },
  coverage: { markets: ['TWSE', 'TPEX'], delisted: true },
  example: [
    { ticker: '2330', market: 'TWSE', trade_date: '2026-06-30', market_value: 39_028_216_950_835, weight_percent: 42.118305, rank: 1 },
    { ticker: '2330', market: 'TWSE', trade_date: '2026-06-29', market_value: 38_769_000_000_000, weight_percent: 42.004117, rank: 1 },
  ],
})
