import { defineDataset, MARKET, SECURITY_ON_DAY, TICKERS, TRADING_DAYS } from '../schema/index.ts'

const RATIOS = [
  ['pe_ratio', 'pe', '本益比'],
  ['pb_ratio', 'pb', '股價淨值比'],
  ['dividend_yield', 'yield', '殖利率'],
] as const

const YEARS = [1, 5] as const

/** Minimum number of values for a percentile. */
const FEWEST = 60

/** Number of rows to read per security, about five years. */
const ROWS = 1_300

const percentilesOf = ([ratio, name]: (typeof RATIOS)[number]): string => `
  ${name} AS (
    SELECT ticker, trade_date,
      ${YEARS.map(years => `CASE WHEN count(*) OVER last_${years} >= ${FEWEST} THEN round(100 * percent_rank(ORDER BY ${ratio}) OVER last_${years}, 4) END AS ${name}_percentile_${years}y`).join(', ')}
    FROM valuation WHERE ${ratio} IS NOT NULL
    WINDOW ${YEARS.map(years => `last_${years} AS (PARTITION BY ticker ORDER BY trade_date RANGE BETWEEN INTERVAL ${years} YEAR PRECEDING AND CURRENT ROW)`).join(', ')}
  )`

const SQL = `
  WITH ${RATIOS.map(percentilesOf).join(', ')}
  SELECT ticker, market, trade_date, ${RATIOS.map(([ratio]) => ratio).join(', ')},
    ${RATIOS.flatMap(([, name]) => YEARS.map(years => `${name}_percentile_${years}y`)).join(', ')}
  FROM valuation ${RATIOS.map(([, name]) => `LEFT JOIN ${name} USING (ticker, trade_date)`).join(' ')}`

const percentileOfLastDay = (ratio: string, name: string, years: number): string => {
  const recent = `FILTER (v.trade_date >= n.trade_date - INTERVAL ${years} YEAR AND v.${ratio} IS NOT NULL`
  return `CASE WHEN n.${ratio} IS NOT NULL AND count(*) ${recent}) >= ${FEWEST}
    THEN round(100.0::DOUBLE * count(*) ${recent} AND v.${ratio} < n.${ratio}) / (count(*) ${recent}) - 1), 4) END AS ${name}_percentile_${years}y`
}

/** SQL for the last day only. Counting smaller values is cheaper than sorting all values. */
const LAST_DAY = `
  WITH newest AS (SELECT * FROM valuation JOIN (SELECT ticker, max(trade_date) AS trade_date FROM valuation GROUP BY ticker) USING (ticker, trade_date))
  SELECT n.ticker, n.market, n.trade_date, ${RATIOS.map(([ratio]) => `n.${ratio}`).join(', ')},
    ${RATIOS.flatMap(([ratio, name]) => YEARS.map(years => percentileOfLastDay(ratio, name, years))).join(', ')}
  FROM newest AS n JOIN valuation AS v ON v.ticker = n.ticker
  GROUP BY n.ticker, n.market, n.trade_date, ${RATIOS.map(([ratio]) => `n.${ratio}`).join(', ')}`

export default defineDataset({
  slug: 'valuation-percentiles',
  id: 'valuation_percentiles',
  title: 'Valuation percentiles',
  titleZh: '評價百分位',
  family: 'market_structure',
  description:
    'Price-to-earnings ratio, price-to-book ratio and dividend yield of each stock per trading day. Each value has percentiles among the values of the same stock in the last one and five years. A high percentile means that the value is high compared with the past values of the stock.',
  descriptionZh:
    '各股票每個交易日的本益比、股價淨值比與殖利率，及其在該股票最近一年與五年數值中的百分位；百分位高表示相對於該股票的過去偏高。',
  access: { plan: 'pro', credits: 1 },
  status: 'verified',
  version: '1.0.0',
  columns: {
    ...SECURITY_ON_DAY,
    pe_ratio: ratio(
      '本益比',
      'Price-to-earnings ratio as published. Null if earnings are zero or negative.',
      '公布的本益比；盈餘為零或虧損時為空值。',
    ),
    pb_ratio: ratio('股價淨值比', 'Price-to-book ratio as published. Null if not published.', '公布的股價淨值比；未公布時為空值。'),
    dividend_yield: {
      ...ratio('殖利率', 'Dividend yield as published. Null if not published.', '公布的殖利率；未公布時為空值。'),
      unit: 'percent',
    },
    pe_percentile_1y: percentile('本益比', 1),
    pe_percentile_5y: percentile('本益比', 5),
    pb_percentile_1y: percentile('股價淨值比', 1),
    pb_percentile_5y: percentile('股價淨值比', 5),
    yield_percentile_1y: percentile('殖利率', 1),
    yield_percentile_5y: percentile('殖利率', 5),
  },
  grain: ['ticker', 'trade_date'],
  key: 'ticker',
  date: 'trade_date',
  publish: { mode: 'merge', months: false },
  from: { inputs: ['valuation'], by: 'key', lookback: { rows: ROWS, lastDay: LAST_DAY }, sql: SQL },
  rules: [
    {
      name: 'percentiles_in_percent',
      column: RATIOS.flatMap(([, name]) => YEARS.map(years => `${name}_percentile_${years}y` as const)),
      min: 0,
      max: 100,
      doc: 'The percentile is from 0 to 100.',
      docZh: '百分位介於 0 與 100。',
    },
  ],
  filters: { symbol: TICKERS, market: MARKET, ...TRADING_DAYS },
  order: [
    ['trade_date', 'desc'],
    ['ticker', 'asc'],
  ],
  sortable: ['trade_date'],
  envelope: { kind: 'A', scope: 'valuation_percentiles', coverage: 'daily_time_series' },
  lineage: {
    families: ['twse_bwibbu', 'tpex_peratio'],
    semantics: 'valuation_percentiles_by_stock_and_day',
    role: 'derived',
    selected: 'computed_from_valuation',
    fallbacks: [],
    notes: ['percentiles_within_one_stock', 'null_below_60_values', 'rounded_to_four_decimals'],
    url: 'https://www.twse.com.tw/zh/trading/historical/bwibbu-day.html',
    attribution: 'Taiwan Stock Exchange; Taipei Exchange',
    attributionZh: '臺灣證券交易所、證券櫃檯買賣中心',
  },
  knownGaps: {
    ranges_start_with_the_data: {
      en: 'If the data of a stock starts within the last one or five years, the percentile uses only the values since the start of the data.',
      zh: '股票資料起始日晚於期間起日者，以起始日以來的數值計算百分位。',
    },
    days_without_a_ratio_do_not_count: {
      en: 'Days on which the ratio was not published, for example during losses, are not counted.',
      zh: '未公布該比率的日期（例如虧損期間）不計入。',
    },
  },
  warnings: ['not_investment_advice'],
  cadence: { every: 'trading_day', expectedAt: '18:30' },
  coverage: { markets: ['TWSE', 'TPEX'], delisted: true },
  example: [
    row('2026-06-30', [24.51, 6.4, 1.52], [64.7541, 78.2353, 58.1967, 71.4052, 22.541, 14.7059]),
    row('2026-06-29', [null, 6.37, 1.53], [null, null, null, null, null, null]),
  ],
})

function ratio(zh: string, doc: string, docZh: string) {
  return { type: 'number', unit: 'ratio', nullable: true, mayNotApply: true, zh, doc, docZh } as const
}

function percentile(name: string, years: (typeof YEARS)[number]) {
  const range = years === 1 ? 'one year' : 'five years'
  return {
    type: 'number',
    unit: 'percent',
    nullable: true,
    mayNotApply: true,
    zh: `${name} ${years} 年百分位`,
    doc: `Percentile of the value of this day among the values of the stock in the last ${range}: percentage of the other values that are lower, from 0 to 100. Null without a value on this day, or with fewer than ${FEWEST} values.`,
    docZh: `該股票自 ${years} 年前同日起的其他數值中，低於當日數值者所占的百分比，介於 0（最低）與 100（最高）；沒有該比率或數值少於 ${FEWEST} 筆時為空值。`,
  } as const
}

function row(
  day: string,
  [pe_ratio, pb_ratio, dividend_yield]: readonly (number | null)[],
  [pe_percentile_1y, pe_percentile_5y, pb_percentile_1y, pb_percentile_5y, yield_percentile_1y, yield_percentile_5y]: readonly (
    | number
    | null
  )[],
) {
  const percentiles = { pe_percentile_1y, pe_percentile_5y, pb_percentile_1y, pb_percentile_5y, yield_percentile_1y, yield_percentile_5y }
  return { ticker: '2330', market: 'TWSE', trade_date: day, pe_ratio, pb_ratio, dividend_yield, ...percentiles }
}
