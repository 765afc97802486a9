import { defineDataset, MARKET, SECURITY_ON_DAY, TICKERS, TRADING_DAYS } from '../schema/index.ts'

export default defineDataset({
  slug: 'daily-prices',
  id: 'daily_prices',
  title: 'Daily prices',
  titleZh: '個股日成交資訊',
  family: 'market_structure',
  description: 'Prices, shares traded and value traded of each TWSE and TPEx security per trading day. TPEx data includes warrants.',
  descriptionZh: '證交所與櫃買中心各證券各交易日的收盤行情：開高低收價格、成交股數與成交金額；櫃買中心的行情含權證。',
  access: { plan: 'free', credits: 1 },
  status: 'verified',
  version: '1.0.0',
  columns: {
    ...SECURITY_ON_DAY,
    name: {
      type: 'text',
      zh: '證券名稱',
      doc: 'Short name of the security on the trading day, without extra spaces.',
      docZh: '當日的證券簡稱，已去除多餘空白。',
    },
    open: price('開盤價', 'First'),
    high: price('最高價', 'Highest'),
    low: price('最低價', 'Lowest'),
    close: price('收盤價', 'Last', { en: ' Not adjusted for dividends.', zh: '未依除權息還原。' }),
    volume: {
      type: 'integer',
      unit: 'shares',
      zh: '成交股數',
      doc: 'Number of shares traded. 0 on days without trades.',
      docZh: '成交股數；無成交日為 0。',
    },
    turnover: {
      type: 'integer',
      unit: 'TWD',
      zh: '成交金額',
      doc: 'Value traded. 0 on days without trades.',
      docZh: '成交金額；無成交日為 0。',
    },
    trades: {
      type: 'integer',
      nullable: true,
      zh: '成交筆數',
      doc: 'Number of trades. Null if not in the report of the exchange.',
      docZh: '成交筆數；報表未載時為空值。',
    },
  },
  grain: ['ticker', 'trade_date'],
  key: 'ticker',
  date: 'trade_date',
  publish: { mode: 'merge', slice: ['market', 'trade_date'] },
  completeness: { severity: 'warning' },
  rules: [
    {
      name: 'known_market',
      column: 'market',
      values: ['TWSE', 'TPEX'],
      doc: 'The market is TWSE or TPEX.',
      docZh: '市場為 TWSE 或 TPEX。',
    },
    {
      name: 'nothing_negative',
      column: ['volume', 'turnover'],
      min: 0,
      doc: 'Volume and value are not negative.',
      docZh: '成交股數與成交金額不為負數。',
    },
    {
      name: 'price_in_twd',
      column: ['open', 'high', 'low', 'close'],
      min: 0,
      below: 1_000_000,
      doc: 'Prices are in TWD per share. A price of one million or more indicates another unit.',
      docZh: '價格以每股新臺幣元表示；達一百萬元即視為單位有誤。',
    },
    {
      name: 'high_above_low',
      holds: 'high IS NULL OR low IS NULL OR high >= low',
      doc: 'The high is not below the low.',
      docZh: '最高價不低於最低價。',
    },
  ],
  filters: {
    symbol: TICKERS,
    market: MARKET,
    ...TRADING_DAYS,
  },
  fields: [
    {
      time: 'series',
      entity: 'company',
      id: 'ticker',
      date: 'trade_date',
      of: 'the latest trading day',
      ofZh: '最近一個交易日',
      names: {
        'price.open': 'open',
        'price.high': 'high',
        'price.low': 'low',
        'price.close': 'close',
        'price.volume': 'volume',
        'price.turnover': 'turnover',
        'price.trades': 'trades',
      },
    },
  ],
  order: [
    ['trade_date', 'desc'],
    ['ticker', 'asc'],
  ],
  sortable: ['trade_date'],
  search: [{ type: 'symbol', id: 'ticker', title: ['name'], market: 'market', rank: 2, param: 'symbol' }],
  envelope: { kind: 'B', fieldGroup: 'price', view: 'daily_time_series' },
  lineage: {
    families: ['twse_daily_quotes', 'tpex_daily_quotes'],
    semantics: 'prices_and_volume_by_security_and_day',
    role: 'canonical',
    selected: 'exchange_daily_quotes',
    fallbacks: [],
    notes: ['prices_are_not_adjusted'],
    url: 'https://www.twse.com.tw/zh/trading/historical/mi-index.html',
    attribution: 'Taiwan Stock Exchange; Taipei Exchange',
    attributionZh: '臺灣證券交易所、證券櫃檯買賣中心',
  },
  knownGaps: {
    block_and_odd_lot_trades_follow_the_daily_report: {
      en: 'Volume, value and number of trades include block, odd-lot and after-hours trades, as in the daily report.',
      zh: '成交股數、金額與筆數依每日報表口徑，含鉅額、零股與盤後交易。',
    },
    twse_warrants_only_where_the_whole_list_is_fetched: {
      en: 'TWSE warrants have rows only for days whose full list was fetched.',
      zh: '上市權證只有在已取得完整清單的日期才有資料列。',
    },
  },
  warnings: ['not_investment_advice'],
  cadence: { every: 'trading_day', expectedAt: '16:00' },
  coverage: { markets: ['TWSE', 'TPEX'], delisted: true, scope: 'security_price', type: 'daily_time_series' },
  example: [
    row('2026-06-30', [1_490, 1_510, 1_485, 1_505], 30_000_000, 45_000_000_000, 60_000),
    row('2026-06-29', [null, null, null, null], 0, 0, null),
  ],
})

function price(zh: string, which: string, more = { en: '', zh: '' }) {
  return {
    type: 'number',
    unit: 'TWD per share',
    nullable: true,
    mayNotApply: true,
    zh,
    doc: `${which} price of the regular session. Null if the session had no trade, even if odd lots traded.${more.en}`,
    docZh: `一般交易時段的${zh}；該時段沒有成交時為空值，即使有零股成交。${more.zh}`,
  } as const
}

function row(day: string, [open, high, low, close]: (number | null)[], volume: number, turnover: number, trades: number | null) {
  return { ticker: '2330', market: 'TWSE', trade_date: day, name: '台積電', open, high, low, close, volume, turnover, trades }
}
