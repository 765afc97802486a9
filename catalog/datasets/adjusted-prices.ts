import { BONUS_SHARES, defineDataset, NO_EVENTS_BEFORE_RECORD, SECURITY_ON_DAY, TICKERS, TRADING_DAYS } from '../schema/index.ts'

export default defineDataset({
  slug: 'adjusted-prices',
  id: 'adjusted_prices',
  title: 'Adjusted prices',
  titleZh: '還原股價',
  family: 'market_structure',
  description:
    'Open, high, low and close of each security and trading day, adjusted for later ex-dividend days, ex-rights days and capital changes. Past prices are therefore comparable with current prices. Each row includes the adjustment factor and the id of the next event.',
  descriptionZh:
    '每個交易日的開盤、最高、最低與收盤價，依其後所有除權息、減資、面額變更與分割還原，使歷史價格可與今日價格比較；每列附累積因子與下一個事件。',
  access: { plan: 'pro', credits: 2 },
  status: 'verified',
  version: '1.0.0',
  columns: {
    ...SECURITY_ON_DAY,
    open: price('還原開盤價', 'First price', '開盤價'),
    high: price('還原最高價', 'Highest price', '最高價'),
    low: price('還原最低價', 'Lowest price', '最低價'),
    close: price('還原收盤價', 'Last price', '收盤價'),
    volume: {
      type: 'integer',
      unit: 'shares',
      nullable: true,
      zh: '還原成交股數',
      doc: 'Number of shares traded, multiplied by the share ratios of later splits and capital changes, rounded to whole shares. Dividends and bonus shares have no effect. Null if one of the ratios is unknown.',
      docZh: '成交股數，依之後的分割、減資與面額變更換算，四捨五入至整股；現金股利與無償配股不影響股數。任一換股率不詳時為空值。',
    },
    factor: {
      type: 'number',
      unit: 'ratio',
      nullable: true,
      zh: '累積還原因子',
      doc: 'Product of the factors of all later ex-days and capital changes that are in effect. 1 if there are no later events. Null if a factor is unknown. In this case, gap contains the id of the event.',
      docZh: '其後所有已生效事件的因子乘積；最後一個事件之後為 1。任一因子不詳時為空值，事件見 gap。',
    },
    traded_close: {
      type: 'number',
      unit: 'TWD per share',
      nullable: true,
      mayNotApply: true,
      zh: '收盤價',
      doc: 'Closing price as traded. Null on days without trades.',
      docZh: '當日實際成交的收盤價；無成交日為空值。',
    },
    next_event: {
      type: 'text',
      nullable: true,
      mayNotApply: true,
      zh: '下一個事件',
      doc: 'Id of the first ex-day or capital change after this day. The row of this event in adjustment-factors has the same cumulative factor. Null if there is no later event.',
      docZh: '該日之後第一個除權息或股本變動事件的代號，其在「還原因子」的資料列有相同的累積因子；最後一個事件之後為空值。',
    },
    gap: {
      type: 'text',
      nullable: true,
      mayNotApply: true,
      zh: '缺漏標籤',
      doc: 'Labels of missing adjustment data, separated by spaces. The labels no_factor and no_share_ratio include the id of the event whose value is unknown. The label ex_days_begin includes a date: the market has no recorded ex-days before this date. The label no_ex_days_on_record means that the market has no recorded ex-days. Null if nothing is missing.',
      docZh:
        '還原所缺資料的標籤，以空格分隔：no_factor 與 no_share_ratio 附事件代號；ex_days_begin 附日期，表示該市場在該日之前沒有除權息紀錄；no_ex_days_on_record 表示該市場沒有任何除權息紀錄。沒有缺漏時為空值。',
    },
  },
  grain: ['ticker', 'trade_date'],
  key: 'ticker',
  date: 'trade_date',
  publish: { mode: 'merge', months: false },
  rules: [
    { name: 'known_market', holds: "market IN ('TWSE', 'TPEX')", doc: 'The market is TWSE or TPEX.', docZh: '市場為 TWSE 或 TPEX。' },
    {
      name: 'nothing_negative',
      holds: 'least(open, high, low, close, volume, factor) >= 0',
      doc: 'Prices, shares and factors are never negative.',
      docZh: '價格、股數與因子不為負數。',
    },
    {
      name: 'close_is_traded_close_times_factor',
      holds: 'abs(close - traded_close * factor) < 0.000001',
      doc: 'The adjusted close equals the traded close multiplied by the factor.',
      docZh: '還原收盤價等於實際收盤價乘上因子。',
    },
  ],
  filters: {
    symbol: TICKERS,
    ...TRADING_DAYS,
  },
  // No query fields, because prices of an earlier day are adjusted for later events.
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
    attributionZh: '臺灣證券交易所、證券櫃檯買賣中心',
  },
  knownGaps: {
    events_before_the_first_ex_day_on_record_are_unknown: NO_EVENTS_BEFORE_RECORD,
    ex_days_missing_in_between_are_not_noticed: {
      en: 'The service does not detect a missing ex-day within the recorded period. Prices are not adjusted for missing ex-days.',
      zh: '紀錄期間內若有遺漏的除權息日，系統無法察覺，該日之前的價格也不會據以還原。',
    },
    bonus_shares_do_not_scale_volumes: BONUS_SHARES,
  },
  warnings: ['not_investment_advice', 'earlier_prices_change_with_every_event'],
  cadence: { every: 'trading_day', expectedAt: '18:00' },
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

function price(zh: string, which: string, whichZh: string) {
  return {
    type: 'number',
    unit: 'TWD per share',
    nullable: true,
    mayNotApply: true,
    zh,
    doc: `${which} multiplied by the factor, rounded to six decimals. Null on days without trades and if the factor is null.`,
    docZh: `${whichZh}乘上因子，四捨五入至小數第六位；無成交日或因子為空值時為空值。`,
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
