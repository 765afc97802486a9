import { BONUS_SHARES, defineDataset, NO_EVENTS_BEFORE_RECORD, SECURITY, TICKERS } from '../schema/index.ts'

const SOURCES = ['ex-rights', 'capital-changes'] as const

export default defineDataset({
  slug: 'adjustment-factors',
  id: 'adjustment_factors',
  title: 'Adjustment factors',
  titleZh: '還原因子',
  family: 'market_structure',
  description:
    'One row per ex-dividend day, ex-rights day or capital change in effect. Prices before the event, multiplied by the factor of the event, are comparable with later prices. The cumulative factor is the product of the factors of this event and all later events. The dataset adjusted-prices is computed from these factors.',
  descriptionZh:
    '所有已生效的除權息、減資、面額變更與分割；每列含該事件對先前價格的還原因子，以及該事件與其後所有事件的累積因子。還原股價即由此計算。',
  access: { plan: 'pro', credits: 1 },
  status: 'verified',
  version: '1.0.0',
  columns: {
    ...SECURITY,
    event_date: {
      type: 'date',
      zh: '事件日',
      doc: 'First trading day under the new terms. Prices of earlier days are multiplied by the factor.',
      docZh: '依新條件買賣的第一個交易日；先前各日的價格均乘上因子。',
    },
    event_id: {
      type: 'text',
      zh: '事件代號',
      doc: 'Dataset, ticker and date of the event, joined by colons.',
      docZh: '事件所屬的資料集、證券代號與日期，以冒號連接。',
    },
    source: {
      type: 'text',
      zh: '來源資料集',
      doc: `Dataset that contains the event: ${SOURCES.join(' or ')}.`,
      docZh: `事件所在的資料集：${SOURCES.join('、')}。`,
    },
    event_type: {
      type: 'text',
      zh: '事件類別',
      doc: 'Kind of ex-day or type of change, as named in the source dataset.',
      docZh: '除權息的種類或股本變動的類別，用詞與來源資料集相同。',
    },
    close_before: {
      type: 'number',
      unit: 'TWD per share',
      nullable: true,
      zh: '事件前收盤價',
      doc: 'Last close before the event. Null if not published.',
      docZh: '事件前的收盤價，依原表所載；未載明時為空值。',
    },
    reference_price: {
      type: 'number',
      unit: 'TWD per share',
      nullable: true,
      zh: '參考價',
      doc: 'Reference price that the exchange published for the event day. For a capital reduction with a cash offering on the same day, this is the ex-rights reference price. Null if not published.',
      docZh: '參考價，依原表所載；減資同時辦理現金增資者為除權參考價。未載明時為空值。',
    },
    factor: {
      type: 'number',
      unit: 'ratio',
      nullable: true,
      zh: '因子',
      doc: 'Reference price divided by the last close before the event, rounded to ten decimals. Null if one of the two prices is not published.',
      docZh: '參考價除以事件前收盤價，四捨五入至小數第十位；任一價格未載明時為空值。',
    },
    cumulative_factor: {
      type: 'number',
      unit: 'ratio',
      nullable: true,
      zh: '累積因子',
      doc: 'Product of the factors of this event and all later events. Multiplication starts with the newest event and rounds to ten decimals at each step. Null if one of the factors is null.',
      docZh: '此事件與其後所有事件的因子乘積；自最新事件起逐步相乘，每步四捨五入至小數第十位。任一因子為空值時為空值。',
    },
    share_ratio: {
      type: 'number',
      unit: 'ratio',
      nullable: true,
      zh: '換股率',
      doc: 'Number of new shares per old share, as published. If not published, this is the last close divided by the reference price, or null if cash was returned. 1 for ex-days.',
      docZh: '每一舊股換得的新股數，依原表所載；未載明時以事件前收盤價除以參考價計算。除權息為 1；退還股款而未載明換股率時為空值。',
    },
    cumulative_share_ratio: {
      type: 'number',
      unit: 'ratio',
      nullable: true,
      zh: '累積換股率',
      doc: 'Product of the share ratios of this event and all later events. Null if one of these ratios is null.',
      docZh: '此事件與其後所有事件的換股率乘積；任一換股率為空值時為空值。',
    },
    gap: {
      type: 'text',
      nullable: true,
      mayNotApply: true,
      zh: '缺漏標籤',
      doc: 'Labels that explain a null cumulative value or a factor of 1, separated by spaces. Each label includes the id of an event. no_factor: the factor of that event is unknown. no_share_ratio: the share ratio of that event is unknown. counted_as: the market was closed on this day, so that later event has the factor. Null if nothing is missing.',
      docZh:
        '累積值為空值或因子為 1 的原因，標籤以空格分隔，各附事件代號：no_factor 或 no_share_ratio 表示該事件的此項數字不詳；counted_as 表示當日休市，因子併入其後的事件。沒有缺漏時為空值。',
    },
  },
  grain: ['ticker', 'event_id'],
  key: 'ticker',
  date: 'event_date',
  publish: { mode: 'replace' },
  rules: [
    { name: 'known_market', holds: "market IN ('TWSE', 'TPEX')", doc: 'The market is TWSE or TPEX.', docZh: '市場為 TWSE 或 TPEX。' },
    {
      name: 'positive_factor',
      holds: 'least(factor, cumulative_factor, share_ratio, cumulative_share_ratio) > 0',
      doc: 'Factors are greater than zero.',
      docZh: '因子大於零。',
    },
    {
      name: 'factor_of_the_printed_prices',
      holds: "abs(factor - reference_price / close_before) < 0.000001 OR gap LIKE 'counted_as:%'",
      doc: 'The factor equals the published reference price divided by the published close.',
      docZh: '因子等於原表所載參考價除以事件前收盤價。',
    },
  ],
  filters: {
    symbol: TICKERS,
    start_date: { column: 'event_date', op: 'from', doc: 'First event day to return, inclusive.', example: '2026-01-01' },
    end_date: { column: 'event_date', op: 'to', doc: 'Last event day to return, inclusive.', example: '2026-06-30' },
    source: { column: 'source', op: 'eq', values: SOURCES, doc: 'Source dataset of the events to return.', example: 'ex-rights' },
  },
  // Only the event's own factor is a query field. The products include later events, which a query
  // about an earlier day must not show.
  fields: [
    {
      time: 'series',
      entity: 'company',
      id: 'ticker',
      date: 'event_date',
      of: 'the latest ex-day or capital change in effect',
      ofZh: '最近一次已生效的除權息或股本變動',
      names: {
        'adjustment.event': 'event_id',
        'adjustment.event_date': 'event_date',
        'adjustment.factor': 'factor',
        'adjustment.share_ratio': 'share_ratio',
      },
    },
  ],
  order: [
    ['event_date', 'desc'],
    ['ticker', 'asc'],
  ],
  sortable: ['event_date'],
  search: [{ type: 'symbol', id: 'ticker', market: 'market', param: 'symbol' }],
  envelope: { kind: 'B', fieldGroup: 'adjustment', view: 'event_history' },
  lineage: {
    families: ['exchange_ex_rights_results', 'exchange_capital_changes'],
    semantics: 'factor_of_each_price_event',
    role: 'derived',
    selected: 'computed_from_ex_rights_and_capital_changes',
    fallbacks: [],
    notes: ['factor_is_reference_price_over_close_before', 'in_effect_once_quotes_reach_the_day', 'exact_in_decimals'],
    url: 'https://www.twse.com.tw/zh/announcement/ex-right/twt49u.html',
    attribution: 'Taiwan Stock Exchange; Taipei Exchange',
    attributionZh: '臺灣證券交易所、證券櫃檯買賣中心',
  },
  knownGaps: {
    events_before_the_first_ex_day_on_record_are_unknown: NO_EVENTS_BEFORE_RECORD,
    reference_prices_are_rounded_to_cents: {
      en: 'The exchange rounds reference prices to TWD 0.01, so factors of low-priced securities are accurate to a few digits only.',
      zh: '交易所將參考價四捨五入至分（0.01 元），因此低價證券的因子只精確至數位有效數字。',
    },
    bonus_shares_do_not_scale_volumes: BONUS_SHARES,
  },
  warnings: ['not_investment_advice'],
  cadence: { every: 'trading_day', expectedAt: '18:00', sparse: 120 },
  coverage: { markets: ['TWSE', 'TPEX'], delisted: true, scope: 'price_adjustment_events', type: 'event_history' },
  example: [
    row('ex-rights', 'dividend', '2026-06-30', [1_490, 1_485], [0.9966442953, 0.9966442953], [1, 1]),
    row('capital-changes', 'par_value_change', '2026-06-15', [6_000, 1_500], [0.25, 0.2491610738], [4, 4]),
  ],
})

type Pair = readonly [own: number, product: number]

function row(source: (typeof SOURCES)[number], type: string, day: string, [before, reference]: Pair, factors: Pair, ratios: Pair) {
  return {
    ticker: '2330',
    market: 'TWSE',
    event_date: day,
    event_id: `${source}:2330:${day}`,
    source,
    event_type: type,
    close_before: before,
    reference_price: reference,
    factor: factors[0],
    cumulative_factor: factors[1],
    share_ratio: ratios[0],
    cumulative_share_ratio: ratios[1],
    gap: null,
  }
}
