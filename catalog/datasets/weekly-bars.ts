import { barColumns, barsFrom, defineDataset, MARKET, TICKERS } from '../schema/index.ts'

export default defineDataset({
  slug: 'weekly-bars',
  id: 'weekly_bars',
  title: 'Weekly bars',
  titleZh: '週K線',
  family: 'market_structure',
  description:
    'Open, high, low, close, volume and value of each security and week, computed from daily prices. The bar of the current week is updated every trading day.',
  descriptionZh: '各證券每週的開高低收價格、成交股數與成交金額，由個股日成交資訊計算；本週的資料逐日更新。',
  access: { plan: 'free', credits: 1 },
  status: 'verified',
  version: '1.0.0',
  columns: barColumns('week'),
  grain: ['ticker', 'last_date'],
  key: 'ticker',
  date: 'last_date',
  publish: { mode: 'merge' },
  from: barsFrom('week'),
  rules: [
    { name: 'high_above_low', holds: 'high >= low', doc: 'The high is not below the low.', docZh: '最高價不低於最低價。' },
    {
      name: 'at_most_6_days',
      column: 'traded_days',
      min: 0,
      max: 6,
      doc: 'A week has at most 6 trading days.',
      docZh: '一週至多 6 個交易日。',
    },
  ],
  filters: {
    symbol: TICKERS,
    market: MARKET,
    start_date: { column: 'last_date', op: 'from', doc: 'Earliest `last_date` to return, inclusive.', example: '2026-01-01' },
    end_date: { column: 'last_date', op: 'to', doc: 'Latest `last_date` to return, inclusive.', example: '2026-06-30' },
  },
  order: [
    ['last_date', 'desc'],
    ['ticker', 'asc'],
  ],
  sortable: ['last_date'],
  envelope: { kind: 'A', scope: 'weekly_prices', coverage: 'weekly_time_series' },
  lineage: {
    families: ['twse_daily_quotes', 'tpex_daily_quotes'],
    semantics: 'prices_and_volume_by_security_and_week',
    role: 'derived',
    selected: 'computed_from_daily_prices',
    fallbacks: [],
    notes: ['prices_are_not_adjusted', 'weeks_start_on_monday'],
    url: 'https://www.twse.com.tw/zh/trading/historical/mi-index.html',
    attribution: 'Taiwan Stock Exchange; Taipei Exchange',
    attributionZh: '臺灣證券交易所、證券櫃檯買賣中心',
  },
  knownGaps: {
    prices_within_a_week_may_straddle_an_ex_day: {
      en: 'Prices are not adjusted. In a week with an ex-day or a capital change, prices before and after the event are not comparable.',
      zh: '價格未還原；當週若有除權息或股本變動，前後價格無法直接比較。',
    },
    days_without_quotes_are_not_in_the_sums: {
      en: 'A trading day that is missing from daily-prices does not count in the bar.',
      zh: '個股日成交資訊所缺的交易日，不計入當週資料。',
    },
  },
  warnings: ['not_investment_advice', 'current_week_changes_every_trading_day'],
  cadence: { every: 'trading_day', expectedAt: '16:00' },
  coverage: { markets: ['TWSE', 'TPEX'], delisted: true },
  example: [
    row('2026-06-30', [1_490, 1_510, 1_485, 1_505], 30_000_000, 45_000_000_000, 1),
    row('2026-06-26', [1_450, 1_495, 1_440, 1_480], 152_000_000, 223_000_000_000, 5),
  ],
})

function row(day: string, [open, high, low, close]: readonly number[], volume: number, turnover: number, days: number) {
  return { ticker: '2330', market: 'TWSE', last_date: day, open, high, low, close, volume, turnover, traded_days: days }
}
