import { defineDataset, MARKET, NO_EVENTS_BEFORE_RECORD, SECURITY_ON_DAY, TICKERS, TRADING_DAYS } from '../schema/index.ts'

const SPANS = [1, 5, 20, 60, 250] as const

/**
 * @param close SQL of the current close
 * @param earlier function that returns SQL of the close a number of rows earlier
 */
const returns = (close: string, earlier: (rows: number) => string): string =>
  SPANS.map(rows => `round(100 * (${close} / nullif(${earlier(rows)}, 0) - 1), 4) AS return_${rows}d`).join(', ')

const closeOf = (age: number): string => `any_value(close) FILTER (age = ${age})`

const SQL = `
  SELECT ticker, market, trade_date, ${returns('close', rows => `lag(close, ${rows}) OVER w`)}
  FROM adjusted_prices WINDOW w AS (PARTITION BY ticker ORDER BY trade_date)`

const LAST_DAY = `
  SELECT ticker, any_value(market) FILTER (age = 0) AS market, max(trade_date) AS trade_date, ${returns(closeOf(0), closeOf)}
  FROM (SELECT *, row_number() OVER (PARTITION BY ticker ORDER BY trade_date DESC) - 1 AS age FROM adjusted_prices)
  WHERE age IN (0, ${SPANS.join(', ')}) GROUP BY ticker`

export default defineDataset({
  slug: 'returns',
  id: 'returns',
  title: 'Returns',
  titleZh: '報酬率',
  family: 'market_structure',
  description:
    'Total return of each security over 1, 5, 20, 60 and 250 trading days, in percent. The return over n days is the adjusted close divided by the adjusted close n rows earlier, minus 1.',
  descriptionZh: '各證券 1、5、20、60 與 250 個交易日的報酬率，由還原股價計算：還原收盤價除以該日數之前的還原收盤價減 1，以百分比表示。',
  access: { plan: 'pro', credits: 2 },
  status: 'verified',
  version: '1.0.0',
  columns: {
    ...SECURITY_ON_DAY,
    return_1d: span(1),
    return_5d: span(5),
    return_20d: span(20),
    return_60d: span(60),
    return_250d: span(250),
  },
  grain: ['ticker', 'trade_date'],
  key: 'ticker',
  date: 'trade_date',
  publish: { mode: 'merge', months: false },
  from: {
    inputs: ['adjusted-prices'],
    by: 'key',
    lookback: { rows: Math.max(...SPANS), lastDay: LAST_DAY },
    sql: SQL,
  },
  rules: [
    {
      name: 'no_more_than_everything_lost',
      column: SPANS.map(days => `return_${days}d` as const),
      min: -100,
      doc: 'The return is at least −100 percent.',
      docZh: '報酬率不低於 -100%。',
    },
  ],
  filters: { symbol: TICKERS, market: MARKET, ...TRADING_DAYS },
  // No query fields, because values of an earlier day include adjustments for later events.
  order: [
    ['trade_date', 'desc'],
    ['ticker', 'asc'],
  ],
  sortable: ['trade_date'],
  envelope: { kind: 'A', scope: 'total_returns', coverage: 'daily_time_series' },
  lineage: {
    families: ['exchange_daily_quotes', 'exchange_ex_rights_results', 'exchange_capital_changes'],
    semantics: 'total_return_by_security_and_day',
    role: 'derived',
    selected: 'computed_from_adjusted_prices',
    fallbacks: [],
    notes: ['dividends_count_as_reinvested', 'spans_are_rows_of_the_security', 'rounded_to_four_decimals'],
    url: 'https://www.twse.com.tw/zh/trading/historical/mi-index.html',
    attribution: 'Taiwan Stock Exchange; Taipei Exchange',
    attributionZh: '臺灣證券交易所、證券櫃檯買賣中心',
  },
  knownGaps: {
    no_return_on_days_without_trades: {
      en: 'A return is null if the security has no trade or no adjusted price on one of the two days. Returns are also null in the first rows of a security, which have no earlier day for comparison.',
      zh: '兩日中任一日沒有成交或沒有還原股價時為空值；證券最初的資料列沒有足夠的先前交易日，亦為空值。',
    },
    days_are_counted_in_rows: {
      en: 'A return over n days covers n rows of the security. Days without a row in daily-prices, for example during a suspension of trading, do not count.',
      zh: '日數以該證券的資料列計算；個股日成交資訊所缺的日期（例如停止買賣期間）不計。',
    },
    events_before_the_first_ex_day_on_record_are_unknown: NO_EVENTS_BEFORE_RECORD,
  },
  warnings: ['not_investment_advice', 'earlier_returns_change_if_an_event_is_corrected'],
  cadence: { every: 'trading_day', expectedAt: '18:00' },
  coverage: { markets: ['TWSE', 'TPEX'], delisted: true },
  example: [row('2026-06-30', [0.6689, 2.7304, 8.6643, 21.9611, 48.3744]), row('2026-06-29', [null, null, null, null, null])],
})

function span(days: (typeof SPANS)[number]) {
  return {
    type: 'number',
    unit: 'percent',
    nullable: true,
    mayNotApply: true,
    zh: `${days} 日報酬率`,
    doc: `100 × (adjusted close / adjusted close ${days} ${days === 1 ? 'row' : 'rows'} earlier − 1), rounded to four decimals. Null in the first ${days === 1 ? 'row' : `${days} rows`} of a security, and if one of the closes is null.`,
    docZh: `100 ×（還原收盤價 ÷ ${days} 列之前的還原收盤價 − 1），四捨五入至小數第四位；證券的前 ${days} 列，以及任一收盤價為空值時為空值。`,
  } as const
}

function row(day: string, [d1, d5, d20, d60, d250]: readonly (number | null)[]) {
  return {
    ticker: '2330',
    market: 'TWSE',
    trade_date: day,
    return_1d: d1,
    return_5d: d5,
    return_20d: d20,
    return_60d: d60,
    return_250d: d250,
  }
}
