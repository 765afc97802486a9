import { defineDataset, MARKET, NO_EVENTS_BEFORE_RECORD, SECURITY_ON_DAY, TICKERS, TRADING_DAYS } from '../schema/index.ts'

const MEANS = [5, 10, 20, 60, 120, 240] as const

/** Number of rows per block. After this many rows, a weight is below the precision of a double. */
const BLOCK = 512

/** Sum over the rows of a security up to row n: Σ valueᵢ × ratioⁿ⁻ⁱ. */
type Weighted = readonly [name: string, value: string, ratio: string]

/**
 * Adds the weighted sums to the rows of `from`. Each sum is computed block by block, because powers
 * over a long history overflow. The sum of the previous block is then added with its weight.
 */
const weighted = (from: string, into: string, sums: readonly Weighted[]): string => `
  ${into}_blocks AS (
    SELECT *, ${sums.map(([name, value, ratio]) => `sum((${value}) * pow(${ratio}, -place)) OVER block_rows * pow(${ratio}, place) AS ${name}_part`).join(', ')}
    FROM ${from} WINDOW block_rows AS (PARTITION BY ticker, block ORDER BY place ROWS UNBOUNDED PRECEDING)
  ), ${into} AS (
    SELECT b.*, ${sums.map(([name, , ratio]) => `b.${name}_part + coalesce(e.${name}_part, 0) * pow(${ratio}, b.place + 1) AS ${name}`).join(', ')}
    FROM ${into}_blocks AS b LEFT JOIN (SELECT * FROM ${into}_blocks WHERE place = ${BLOCK - 1}) AS e ON e.ticker = b.ticker AND e.block + 1 = b.block
  )`

/**
 * Ratios between the weights of two adjacent rows. The newest row weighs 2 / (n + 1), or 1 / n in
 * Wilder's averages.
 */
const [FAST, SLOW, SIGNAL, WILDER, KD] = ['(11.0 / 13)', '(25.0 / 27)', '(8.0 / 10)', '(13.0 / 14)', '(2.0 / 3)'] as const

/** Whole numbers keep sums and squares exact. */
const UNITS = 'round(close * 1000000)::BIGINT AS units'
const TRUE_RANGE = 'greatest(high - low, abs(high - coalesce(before, high)), abs(low - coalesce(before, low)))'
/** Position of the close between the low and the high of 9 rows, in percent. */
const POSITION = 'CASE WHEN highest > lowest THEN 100 * (close - lowest) / (highest - lowest) ELSE 50 END'
const [GAIN, LOSS] = ['greatest(change, 0)', 'greatest(-change, 0)'] as const

// The next functions return the value with which a row enters an average. The values of the first
// rows set the start of the average.
/** Wilder's average starts with the plain mean of 14 rows. */
const startsWilder = (value: string, first: number): string =>
  `${value} * CASE WHEN n < ${first} THEN pow(${WILDER}, n - ${first}) ELSE 1 END`
/** An exponential average starts with the first close. */
const startsExponential = (span: number): string => `close * CASE WHEN n = 1 THEN ${span + 1} / 2.0 ELSE 1 END`
/** K starts at 50 before row 9. */
const startsAtFifty = (value: string): string => `CASE WHEN n < 8 THEN 0 WHEN n = 8 THEN 150 ELSE ${value} END`

const COLUMNS = `
    ${MEANS.map(rows => `CASE WHEN n >= ${rows} THEN round(sum_${rows} / (${rows} * 1000000.0), 4) END AS ma_${rows}`).join(', ')},
    CASE WHEN n >= 15 THEN round(CASE WHEN gains + losses > 0 THEN 100 * gains / (gains + losses) ELSE 50 END, 4) END AS rsi_14,
    CASE WHEN n >= 9 THEN round(k, 4) END AS k_9,
    CASE WHEN n >= 9 THEN round(ds / 3, 4) END AS d_9,
    CASE WHEN n >= 26 THEN round(macd, 4) END AS macd,
    CASE WHEN n >= 34 THEN round(signals / 5, 4) END AS macd_signal,
    CASE WHEN n >= 34 THEN round(macd - signals / 5, 4) END AS macd_histogram,
    ${(['+', '-'] as const).map(sign => `CASE WHEN n >= 20 THEN round((sum_20 ${sign} 2 * sqrt((20 * squares_20 - sum_20 * sum_20)::DOUBLE)) / 20000000.0, 4) END AS bollinger_${sign === '+' ? 'upper' : 'lower'}`).join(', ')},
    CASE WHEN n >= 14 THEN round(ranges / 14, 4) END AS atr_14`

const SQL = `
  WITH priced AS (
    SELECT ticker, market, trade_date, high, low, close, lag(close) OVER w AS before, row_number() OVER w AS n,
      min(low) OVER (PARTITION BY ticker ORDER BY trade_date ROWS 8 PRECEDING) AS lowest,
      max(high) OVER (PARTITION BY ticker ORDER BY trade_date ROWS 8 PRECEDING) AS highest,
      ${MEANS.map(rows => `sum(units) OVER (PARTITION BY ticker ORDER BY trade_date ROWS ${rows - 1} PRECEDING) AS sum_${rows}`).join(', ')},
      sum(units::HUGEINT * units) OVER (PARTITION BY ticker ORDER BY trade_date ROWS 19 PRECEDING) AS squares_20
    FROM (SELECT *, ${UNITS} FROM adjusted_prices WHERE close IS NOT NULL)
    WINDOW w AS (PARTITION BY ticker ORDER BY trade_date)
  ), moved AS (
    SELECT *, (n - 1) // ${BLOCK} AS block, (n - 1) % ${BLOCK} AS place, coalesce(close - before, 0) AS change,
      ${TRUE_RANGE} AS true_range, ${POSITION} AS position
    FROM priced
  ), ${weighted('moved', 'averaged', [
    ['gains', startsWilder(GAIN, 15), WILDER],
    ['losses', startsWilder(LOSS, 15), WILDER],
    ['ranges', startsWilder('true_range', 14), WILDER],
    ['fast', startsExponential(12), FAST],
    ['slow', startsExponential(26), SLOW],
    ['ks', startsAtFifty('position'), KD],
  ])}, crossed AS (
    SELECT * EXCLUDE (fast, slow, ks), fast * 2 / 13 - slow * 2 / 27 AS macd, ks / 3 AS k FROM averaged
  ), ${weighted('crossed', 'smoothed', [
    ['signals', 'macd', SIGNAL],
    ['ds', startsAtFifty('k'), KD],
  ])}
  SELECT ticker, market, trade_date, close, ${COLUMNS}
  FROM smoothed`

/**
 * Number of earlier rows to read for the last row. All older rows together weigh less than 10⁻⁹.
 */
const DEPTH = 300

/** Number of earlier rows to read for K and D. Their weights decrease faster. */
const KD_DEPTH = 80

/** Returns SQL of a row's weight in an exponential average of an exponential average. */
const twice = (inner: string, outer: string): string => `(pow(${inner}, age + 1) - pow(${outer}, age + 1)) / (${inner} - ${outer})`

/**
 * Computes only the last row of each security, as weighted sums over earlier rows. A weight
 * depends only on the number of rows between the row and the last one.
 */
const LAST_DAY = `
  WITH weights AS (
    SELECT age::BIGINT AS age, pow(${WILDER}, age) AS wilder, pow(${FAST}, age) AS fast, pow(${SLOW}, age) AS slow, pow(${KD}, age) AS k,
      ${twice(FAST, SIGNAL)} AS fast_signal, ${twice(SLOW, SIGNAL)} AS slow_signal, (age + 1) * pow(${KD}, age) AS d
    FROM range(${DEPTH + 1}) AS r(age)
  ), numbered AS (
    SELECT ticker, market, trade_date, high, low, close, ${UNITS}, lag(close) OVER w AS before, row_number() OVER w AS n,
      count(*) OVER (PARTITION BY ticker) - row_number() OVER w AS age
    FROM adjusted_prices WHERE close IS NOT NULL WINDOW w AS (PARTITION BY ticker ORDER BY trade_date)
  ), moved AS (
    SELECT *, coalesce(close - before, 0) AS change, ${TRUE_RANGE} AS true_range
    FROM numbered WHERE age <= ${DEPTH}
  ), summed AS (
    SELECT ticker, any_value(market) FILTER (age = 0) AS market, max(trade_date) AS trade_date, max(n) AS n,
      any_value(close) FILTER (age = 0) AS close,
      ${MEANS.map(rows => `sum(units) FILTER (age < ${rows}) AS sum_${rows}`).join(', ')},
      sum(units::HUGEINT * units) FILTER (age < 20) AS squares_20,
      sum(${startsWilder(GAIN, 15)} * wilder) AS gains,
      sum(${startsWilder(LOSS, 15)} * wilder) AS losses,
      sum(${startsWilder('true_range', 14)} * wilder) AS ranges,
      sum(${startsExponential(12)} * fast) * 2 / 13 - sum(${startsExponential(26)} * slow) * 2 / 27 AS macd,
      sum(${startsExponential(12)} * fast_signal) * 2 / 13 - sum(${startsExponential(26)} * slow_signal) * 2 / 27 AS signals
    FROM moved JOIN weights USING (age) GROUP BY ticker
  ), positioned AS (
    SELECT ticker, n, age, ${POSITION} AS position
    FROM (
      SELECT ticker, n, age, close, min(low) OVER near AS lowest, max(high) OVER near AS highest
      FROM numbered WHERE age <= ${KD_DEPTH + 8} WINDOW near AS (PARTITION BY ticker ORDER BY n ROWS 8 PRECEDING)
    ) WHERE age <= ${KD_DEPTH}
  ), oscillated AS (
    -- The row before the first K counts three times 50 in K. In D, it counts as the first value, too.
    SELECT ticker, sum(${startsAtFifty('position')} * k) / 3 AS k,
      sum(CASE WHEN n < 8 THEN 0 WHEN n = 8 THEN 50 * age * k + 150 * k ELSE position * d / 3 END) AS ds
    FROM positioned JOIN weights USING (age) GROUP BY ticker
  )
  SELECT ticker, market, trade_date, close, ${COLUMNS}
  FROM summed JOIN oscillated USING (ticker)`

export default defineDataset({
  slug: 'technical-indicators',
  id: 'technical_indicators',
  title: 'Technical indicators',
  titleZh: '技術指標',
  family: 'market_structure',
  description:
    'Moving averages, RSI, KD, MACD, Bollinger bands and ATR of each security and day with trades, computed from adjusted prices with the usual parameters. Averages use days with trades only.',
  descriptionZh: '各證券各成交日的移動平均、RSI、KD、MACD、布林通道與 ATR，以常用參數由還原股價計算；平均只計有成交的交易日。',
  access: { plan: 'pro', credits: 2 },
  status: 'verified',
  version: '1.0.0',
  columns: {
    ...SECURITY_ON_DAY,
    close: {
      type: 'number',
      unit: 'TWD per share',
      zh: '還原收盤價',
      doc: 'Adjusted close of the day, from which the indicators are computed.',
      docZh: '計算所用的還原收盤價。',
    },
    ma_5: mean(5),
    ma_10: mean(10),
    ma_20: mean(20),
    ma_60: mean(60),
    ma_120: mean(120),
    ma_240: mean(240),
    rsi_14: oscillator(
      '14 日 RSI',
      15,
      '100 × average gain / (average gain + average loss) over 14 changes of the close. Averages are Wilder averages: the mean of the first 14 changes, then (13 × previous average + current change) / 14. The value is 50 if no close changed.',
      '100 × 平均漲幅 ÷（平均漲幅＋平均跌幅），取 14 日，依 Wilder 平均：首值為前 14 筆之平均，其後為（13 × 前值＋當值）÷ 14；完全無漲跌時為 50。',
    ),
    k_9: oscillator(
      '9 日 K 值',
      9,
      '2/3 × previous K + 1/3 × RSV, starting from 50. RSV is the position of the close between the lowest low and the highest high of 9 rows, in percent. RSV is 50 if the lowest low equals the highest high.',
      '2/3 × 前一 K＋1/3 × RSV，初值 50；RSV 為收盤價在 9 日最低價與最高價之間的位置（百分比），兩者相等時為 50。',
    ),
    d_9: oscillator('9 日 D 值', 9, '2/3 × previous D + 1/3 × K, starting from 50.', '2/3 × 前一 D＋1/3 × K，初值 50。'),
    macd: price(
      'DIF 差離值',
      26,
      'Exponential average of 12 rows minus exponential average of 26 rows. An exponential average of n rows is previous + 2 / (n + 1) × (close − previous), starting from the first close.',
      '12 日指數平均減 26 日指數平均；n 日指數平均為前值＋2 ÷（n＋1）×（收盤價－前值），以第一個收盤價為初值。',
    ),
    macd_signal: price('MACD 訊號線', 34, 'Exponential average of macd over 9 rows, starting from 0.', 'DIF 的 9 日指數平均，初值 0。'),
    macd_histogram: price('OSC 柱狀體', 34, 'macd minus macd_signal.', 'DIF 減 MACD。'),
    bollinger_upper: price(
      '布林上軌',
      20,
      'Upper Bollinger band: ma_20 plus 2 population standard deviations of 20 closes.',
      'ma_20 加 20 日收盤價母體標準差的 2 倍。',
    ),
    bollinger_lower: price(
      '布林下軌',
      20,
      'Lower Bollinger band: ma_20 minus 2 population standard deviations of 20 closes.',
      'ma_20 減 20 日收盤價母體標準差的 2 倍。',
    ),
    atr_14: price(
      '14 日 ATR',
      14,
      'Average true range of 14 rows, with Wilder’s average (see rsi_14). The true range is the largest of high − low, |high − previous close| and |low − previous close|.',
      '14 日平均真實區間，依 Wilder 平均（見 rsi_14）；真實區間為高低差、最高價與前收差、最低價與前收差三者之最大值。',
    ),
  },
  grain: ['ticker', 'trade_date'],
  key: 'ticker',
  date: 'trade_date',
  publish: { mode: 'merge', months: false },
  from: {
    inputs: ['adjusted-prices'],
    by: 'key',
    lookback: { rows: DEPTH, where: 'close IS NOT NULL', lastDay: LAST_DAY },
    sql: SQL,
  },
  rules: [
    {
      name: 'oscillators_in_percent',
      column: ['rsi_14', 'k_9', 'd_9'],
      min: 0,
      max: 100,
      doc: 'RSI, K and D are from 0 to 100.',
      docZh: 'RSI、K、D 介於 0 與 100。',
    },
    { name: 'range_not_negative', column: 'atr_14', min: 0, doc: 'The average true range is not negative.', docZh: '真實區間不為負數。' },
    {
      name: 'bands_around_the_mean',
      holds: 'bollinger_lower <= ma_20 AND ma_20 <= bollinger_upper',
      doc: 'The moving average is between the lower and upper Bollinger band.',
      docZh: '均線介於布林上下軌之間。',
    },
  ],
  filters: { symbol: TICKERS, market: MARKET, ...TRADING_DAYS },
  // No query fields, because values of an earlier day include adjustments for later events.
  order: [
    ['trade_date', 'desc'],
    ['ticker', 'asc'],
  ],
  sortable: ['trade_date'],
  envelope: { kind: 'A', scope: 'technical_indicators', coverage: 'daily_time_series' },
  lineage: {
    families: ['exchange_daily_quotes', 'exchange_ex_rights_results', 'exchange_capital_changes'],
    semantics: 'technical_indicators_by_security_and_day',
    role: 'derived',
    selected: 'computed_from_adjusted_prices',
    fallbacks: [],
    notes: ['averages_over_days_with_trades', 'null_until_enough_rows', 'rounded_to_four_decimals'],
    url: 'https://www.twse.com.tw/zh/trading/historical/mi-index.html',
    attribution: 'Taiwan Stock Exchange; Taipei Exchange',
    attributionZh: '臺灣證券交易所、證券櫃檯買賣中心',
  },
  knownGaps: {
    first_rows_depend_on_the_start_of_the_data: {
      en: 'Recursive averages start with the first day of daily prices. In the first 100 rows of a security, recursive averages may differ from the averages of services with a longer history.',
      zh: '遞迴平均自個股日成交資訊的第一日起算；證券的前 100 列可能與歷史資料較長的服務不同。',
    },
    no_row_without_an_adjusted_close: {
      en: 'Days without trades, and days whose adjustment factor is unknown, have no row. Averages skip these days.',
      zh: '當日無成交，或還原因子不詳時，該日沒有資料列，也不計入日數。',
    },
    last_digit_may_differ_after_a_new_event: {
      en: 'If a history is computed again, the fourth decimal may change.',
      zh: '歷史資料重新計算時，小數第四位可能改變。',
    },
    events_before_the_first_ex_day_on_record_are_unknown: NO_EVENTS_BEFORE_RECORD,
  },
  warnings: ['not_investment_advice', 'earlier_values_change_with_every_event'],
  cadence: { every: 'trading_day', expectedAt: '18:00' },
  coverage: { markets: ['TWSE', 'TPEX'], delisted: true },
  example: [
    row(
      '2026-06-30',
      [1_505, 1_486, 1_470.5, 1_442.25, 1_390.4, 1_250.75, 1_080.2],
      [62.1843, 78.4021, 71.9908],
      [21.4417, 18.9032, 2.5385],
      [1_512.8804, 1_371.6196],
      31.5012,
    ),
    row(
      '2026-06-26',
      [1_480, 1_471, 1_462.5, 1_436.5, 1_384.1, 1_243.8, 1_075.9],
      [58.3306, 70.1174, 68.7851],
      [20.1187, 18.2686, 1.8501],
      [1_506.2211, 1_366.7789],
      32.004,
    ),
  ],
})

function mean(rows: (typeof MEANS)[number]) {
  return price(`${rows} 日均線`, rows, `Mean of the closes of ${rows} rows.`, `${rows} 日收盤價的平均。`)
}

function price(zh: string, rows: number, doc: string, docZh: string) {
  return { type: 'number', unit: 'TWD per share', zh, ...warmUp(rows, doc, docZh) } as const
}

function oscillator(zh: string, rows: number, doc: string, docZh: string) {
  return { type: 'number', unit: 'percent', zh, ...warmUp(rows, doc, docZh) } as const
}

function warmUp(rows: number, doc: string, docZh: string) {
  return {
    nullable: true,
    mayNotApply: true,
    doc: `${doc} Null before row ${rows} of the security.`,
    docZh: `${docZh}證券第 ${rows} 列之前為空值。`,
  } as const
}

function row(
  day: string,
  [close, ma_5, ma_10, ma_20, ma_60, ma_120, ma_240]: readonly number[],
  [rsi_14, k_9, d_9]: readonly number[],
  [macd, macd_signal, macd_histogram]: readonly number[],
  [bollinger_upper, bollinger_lower]: readonly number[],
  atr_14: number,
) {
  const means = { ma_5, ma_10, ma_20, ma_60, ma_120, ma_240 }
  const oscillators = { rsi_14, k_9, d_9, macd, macd_signal, macd_histogram }
  return { ticker: '2330', market: 'TWSE', trade_date: day, close, ...means, ...oscillators, bollinger_upper, bollinger_lower, atr_14 }
}
