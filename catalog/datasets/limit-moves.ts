import { defineDataset, MARKET, SECURITY_ON_DAY, TICKER_LIST, TRADING_DAYS } from '../schema/index.ts'

/**
 * Returns SQL of the tick size of an ordinary share. Price and result are in ten-thousandths of
 * TWD.
 */
const tick = (price: string): string =>
  `CASE WHEN ${price} < 100000 THEN 100 WHEN ${price} < 500000 THEN 500 WHEN ${price} < 1000000 THEN 1000 WHEN ${price} < 5000000 THEN 5000 WHEN ${price} < 10000000 THEN 10000 ELSE 50000 END`

/** Maximum number of days without trades between the previous close and the day. */
const IDLE_ROWS = 20

export default defineDataset({
  slug: 'limit-moves',
  id: 'limit_moves',
  title: 'Limit moves',
  titleZh: '漲跌停',
  family: 'market_structure',
  description:
    'Ordinary shares whose price reached the upper or lower price limit on a trading day. Each row has both limits and states whether the close was at a limit.',
  descriptionZh: '各交易日最高價觸及漲停或最低價觸及跌停的普通股，附漲跌停價與是否鎖至收盤。',
  access: { plan: 'free', credits: 1 },
  status: 'verified',
  version: '1.0.0',
  columns: {
    ...SECURITY_ON_DAY,
    reference_price: price(
      '參考價',
      'Price from which the limits are computed: the previous close, or the opening reference price on an ex-day or after a capital change.',
      '漲跌停價的計算基準：除權息或股本變動日為開盤競價基準，其餘為前一收盤價。',
    ),
    limit_up: price('漲停價', 'Upper price limit of the day.', '漲停價。'),
    limit_down: price('跌停價', 'Lower price limit of the day.', '跌停價。'),
    high: price('最高價', 'Highest price of the day.', '最高價。'),
    low: price('最低價', 'Lowest price of the day.', '最低價。'),
    close: price('收盤價', 'Closing price.', '收盤價。'),
    touched: {
      type: 'text',
      zh: '觸及',
      doc: 'Limit that the price reached on the day: up (upper limit), down (lower limit) or both.',
      docZh: '最高價觸及漲停為 up，最低價觸及跌停為 down，兩者皆觸及為 both。',
    },
    closed: {
      type: 'text',
      nullable: true,
      mayNotApply: true,
      zh: '收盤鎖住',
      doc: 'Limit at which the share closed: up (upper limit) or down (lower limit). Null if the close was at neither limit.',
      docZh: '收盤於漲停為 up，收盤於跌停為 down；其餘為空值。',
    },
  },
  grain: ['ticker', 'trade_date'],
  key: 'ticker',
  date: 'trade_date',
  publish: { mode: 'merge' },
  from: {
    inputs: ['daily-prices', 'ex-rights', 'capital-changes'],
    by: 'key',
    lookback: { rows: IDLE_ROWS },
    // Prices are in ten-thousandths of TWD, so that the limits are exact.
    sql: `
      WITH quoted AS (
        SELECT ticker, market, trade_date, high, low, close,
          last_value(close IGNORE NULLS) OVER (PARTITION BY ticker ORDER BY trade_date ROWS BETWEEN ${IDLE_ROWS} PRECEDING AND 1 PRECEDING) AS before
        FROM daily_prices WHERE regexp_full_match(ticker, '[1-9][0-9]{3}')
      ), referred AS (
        SELECT q.*, coalesce(c.opening_reference, e.opening_reference, before) AS reference_price,
          round(coalesce(c.opening_reference, e.opening_reference, before) * 100)::BIGINT AS cents,
          CASE WHEN trade_date < DATE '2015-06-01' THEN 7 ELSE 10 END AS percent,
          coalesce(c.limit_up, e.limit_up) AS stated_up, coalesce(c.limit_down, e.limit_down) AS stated_down
        FROM quoted AS q
        LEFT JOIN ex_rights AS e ON e.ticker = q.ticker AND e.ex_date = q.trade_date
        LEFT JOIN capital_changes AS c ON c.ticker = q.ticker AND c.resume_date = q.trade_date
      ), bounded AS (
        SELECT *, cents * (100 + percent) AS up, cents * (100 - percent) AS down FROM referred WHERE high IS NOT NULL
      ), limited AS (
        SELECT *, coalesce(stated_up, up // (${tick('up')}) * (${tick('up')}) / 10000) AS limit_up,
          coalesce(stated_down, (down + (${tick('down')}) - 1) // (${tick('down')}) * (${tick('down')}) / 10000) AS limit_down
        FROM bounded
      )
      SELECT ticker, market, trade_date, reference_price, limit_up, limit_down, high, low, close,
        CASE WHEN high >= limit_up AND low <= limit_down THEN 'both' WHEN high >= limit_up THEN 'up' ELSE 'down' END AS touched,
        CASE WHEN close >= limit_up THEN 'up' WHEN close <= limit_down THEN 'down' END AS closed
      FROM limited WHERE high >= limit_up OR low <= limit_down`,
  },
  rules: [
    {
      name: 'limits_around_the_reference',
      holds: 'limit_up >= reference_price AND limit_down <= reference_price',
      doc: 'The reference price is between the limits.',
      docZh: '參考價介於漲跌停價之間。',
    },
    {
      name: 'known_touch',
      column: 'touched',
      values: ['up', 'down', 'both'],
      doc: 'The limit reached is up, down or both.',
      docZh: '觸及情形為 up、down 或 both。',
    },
  ],
  filters: {
    symbol: { ...TICKER_LIST, column: 'ticker' },
    market: MARKET,
    ...TRADING_DAYS,
    closed: {
      column: 'closed',
      op: 'eq',
      values: ['up', 'down'],
      doc: 'Limit at which the shares to return closed: `up` or `down`.',
      example: 'up',
    },
  },
  order: [
    ['trade_date', 'desc'],
    ['ticker', 'asc'],
  ],
  sortable: ['trade_date'],
  envelope: { kind: 'A', scope: 'price_limits_reached', coverage: 'event_history' },
  lineage: {
    families: ['exchange_daily_quotes', 'exchange_ex_rights_results', 'exchange_capital_changes'],
    semantics: 'price_limits_reached_by_security_and_day',
    role: 'derived',
    selected: 'computed_from_daily_prices_and_reference_prices',
    fallbacks: [],
    notes: ['limit_of_10_percent_since_2015_06_01_before_7_percent', 'limits_are_rounded_to_ticks_of_ordinary_shares'],
    url: 'https://www.twse.com.tw/zh/trading/historical/mi-index.html',
    attribution: 'Taiwan Stock Exchange; Taipei Exchange',
    attributionZh: '臺灣證券交易所、證券櫃檯買賣中心',
  },
  knownGaps: {
    ordinary_shares_only: {
      en: 'Only four-digit tickers from 1000 are included. Funds, warrants and depositary receipts have other tick sizes or limits.',
      zh: '只含 1000 以上的四位數代號；基金、權證與存託憑證的升降單位或漲跌幅不同。',
    },
    days_without_a_limit_are_not_known: {
      en: 'Newly listed shares have no limit in their first five trading days. Such shares still have rows if the price moves by the usual limit or more.',
      zh: '初上市普通股前五個交易日無漲跌幅限制；若漲跌達一般幅度，仍有資料列。',
    },
    temporary_limits_are_not_known: {
      en: 'The regulator reduced the limits temporarily, for example in 2000 and 2008. Moves to these reduced limits have no rows.',
      zh: '主管機關曾短期縮小漲跌幅（例如 2000 年與 2008 年），僅觸及縮小後漲跌停價者沒有資料列。',
    },
    previous_close_within_20_rows: {
      en: 'A share without a trade in its previous 20 rows of daily-prices has no reference price, and therefore no row.',
      zh: '先前 20 列皆無成交的證券沒有參考價，也沒有資料列。',
    },
  },
  warnings: ['not_investment_advice'],
  cadence: { every: 'trading_day', expectedAt: '18:00', sparse: 30 },
  coverage: { markets: ['TWSE', 'TPEX'], delisted: true },
  example: [
    {
      ticker: '2330',
      market: 'TWSE',
      trade_date: '2026-06-30',
      reference_price: 1_370,
      limit_up: 1_505,
      limit_down: 1_235,
      high: 1_505,
      low: 1_400,
      close: 1_505,
      touched: 'up',
      closed: 'up',
    },
  ],
})

function price(zh: string, doc: string, docZh: string) {
  return { type: 'number', unit: 'TWD per share', zh, doc, docZh } as const
}
