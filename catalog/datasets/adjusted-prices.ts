import { defineDataset, TICKERS, TRADING_DAYS } from '../schema/index.ts'

export default defineDataset({
  slug: 'adjusted-prices',
  id: 'adjusted_prices',
  title: 'Adjusted prices',
  titleZh: '還原股價',
  family: 'market_structure',
  description:
    'Open, high, low and close of each day, multiplied by the factors of every ex-day and change of capital after it, so that a history can be compared with today’s prices; the factor and the next event stand in every row.',
  access: { plan: 'pro', credits: 2 },
  status: 'verified',
  version: '1.0.0',
  columns: {
    ticker: { type: 'text', zh: '證券代號', doc: 'Exchange code of the security, letters and leading zeros kept.' },
    market: { type: 'text', zh: '市場', doc: 'TWSE for listed securities, TPEX for those traded over the counter.' },
    trade_date: { type: 'date', zh: '交易日', doc: 'Trading day in Taipei.' },
    open: price('還原開盤價', 'First price'),
    high: price('還原最高價', 'Highest price'),
    low: price('還原最低價', 'Lowest price'),
    close: price('還原收盤價', 'Last price'),
    volume: {
      type: 'integer',
      unit: 'shares',
      nullable: true,
      zh: '還原成交股數',
      doc: 'Shares traded times the share ratios of later splits and changes of capital, rounded to a share; dividends and bonus shares do not count. Null where one of the ratios is unknown.',
    },
    factor: {
      type: 'number',
      unit: 'ratio',
      nullable: true,
      zh: '累積還原因子',
      doc: 'Product of the factors of every later event in effect; 1 after the last one. Null where one of them is unknown: gap names it.',
    },
    traded_close: {
      type: 'number',
      unit: 'TWD per share',
      nullable: true,
      mayNotApply: true,
      zh: '收盤價',
      doc: 'Last price as traded; null on a day without trades.',
    },
    next_event: {
      type: 'text',
      nullable: true,
      mayNotApply: true,
      zh: '其後首一事件',
      doc: 'Id of the first event after the day, whose row in adjustment-factors has the same product and leads to the later ones; null after the last event.',
    },
    gap: {
      type: 'text',
      nullable: true,
      mayNotApply: true,
      zh: '缺口',
      doc: 'What the adjustment lacks, labels joined by blanks: no_factor or no_share_ratio with the id of an event; ex_days_begin with the day before which none is on record of the market, or no_ex_days_on_record. Null where nothing is missing.',
    },
  },
  grain: ['ticker', 'trade_date'],
  key: 'ticker',
  date: 'trade_date',
  publish: { mode: 'merge', months: false },
  rules: [
    { name: 'known_market', holds: "market IN ('TWSE', 'TPEX')", doc: 'The market is TWSE or TPEX.' },
    {
      name: 'nothing_negative',
      holds: 'least(open, high, low, close, volume, factor) >= 0',
      doc: 'Prices, shares and factors are never negative.',
    },
    {
      name: 'close_is_traded_close_times_factor',
      holds: 'abs(close - traded_close * factor) < 0.000001',
      doc: 'The adjusted close is the traded one times the factor.',
    },
  ],
  filters: {
    symbol: TICKERS,
    ...TRADING_DAYS,
  },
  // No fields: as of a day its price is the traded one, and the release of today would adjust it by what came after.
  order: [
    ['trade_date', 'desc'],
    ['ticker', 'asc'],
  ],
  sortable: ['trade_date'],
  search: [{ type: 'symbol', id: 'ticker', market: 'market', param: 'symbol' }],
  envelope: { kind: 'B', fieldGroup: 'adjusted_price', view: 'daily_series' },
  lineage: {
    families: ['exchange_daily_quotes', 'exchange_ex_rights_results', 'exchange_capital_changes'],
    semantics: 'backward_adjusted_prices_by_security_and_day',
    role: 'derived',
    selected: 'computed_from_quotes_ex_rights_and_capital_changes',
    fallbacks: [],
    notes: ['a_release_knows_the_events_published_before_it', 'a_new_event_changes_earlier_prices', 'rounded_to_six_decimals'],
    url: 'https://www.twse.com.tw/zh/trading/historical/mi-index.html',
    attribution: 'Taiwan Stock Exchange; Taipei Exchange',
  },
  knownGaps: [
    'events_before_the_first_ex_day_on_record_are_unknown',
    'ex_days_missing_in_between_are_not_noticed',
    'bonus_shares_do_not_scale_volumes',
  ],
  warnings: ['not_investment_advice', 'earlier_prices_change_with_every_event'],
  cadence: { every: 'trading_day', expectedAt: '18:00' },
  pointInTime: 'none',
  coverage: { markets: ['TWSE', 'TPEX'], delisted: true, scope: 'adjusted_prices', type: 'daily_time_series' },
  example: [
    row('2026-06-30', [1_490, 1_510, 1_485, 1_505], 30_000_000, { factor: 1, traded: 1_505, next: null, gap: null }),
    row('2026-06-29', [null, null, null, null], 0, {
      factor: 0.9966442953,
      traded: null,
      next: 'ex-rights:2330:2026-06-30',
      gap: 'ex_days_begin:2026-06-30',
    }),
  ],
})

function price(zh: string, which: string) {
  return {
    type: 'number',
    unit: 'TWD per share',
    nullable: true,
    mayNotApply: true,
    zh,
    doc: `${which} times the factor, rounded to six decimals; null on a day without trades and where the factor is null.`,
  } as const
}

interface Adjusted {
  readonly factor: number
  readonly traded: number | null
  readonly next: string | null
  readonly gap: string | null
}

function row(day: string, [open, high, low, close]: (number | null)[], volume: number, { factor, traded, next, gap }: Adjusted) {
  const prices = { open, high, low, close }
  return { ticker: '2330', market: 'TWSE', trade_date: day, ...prices, volume, factor, traded_close: traded, next_event: next, gap }
}
