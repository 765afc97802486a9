import { defineDataset, TICKERS } from '../schema/index.ts'

const SOURCES = ['ex-rights', 'capital-changes'] as const

export default defineDataset({
  slug: 'adjustment-factors',
  id: 'adjustment_factors',
  title: 'Adjustment factors',
  titleZh: '還原因子',
  family: 'market_structure',
  description:
    'Every ex-day and change of capital in effect, with the factor that it puts on the prices before it and the product of all factors from it on: what adjusted prices are made with.',
  access: { plan: 'pro', credits: 1 },
  status: 'verified',
  version: '1.0.0',
  columns: {
    ticker: { type: 'text', zh: '證券代號', doc: 'Exchange code of the security, letters and leading zeros kept.' },
    market: { type: 'text', zh: '市場', doc: 'TWSE for listed securities, TPEX for those traded over the counter.' },
    event_date: { type: 'date', zh: '事件日', doc: 'First day on the new terms; prices of earlier days are multiplied.' },
    event_id: { type: 'text', zh: '事件代號', doc: 'Dataset, ticker and day of the event, joined by colons.' },
    source: { type: 'text', zh: '來源資料集', doc: `Dataset that has the event: ${SOURCES.join(' or ')}.` },
    event_type: { type: 'text', zh: '事件類別', doc: 'Kind of ex-day or type of change, as that dataset words it.' },
    close_before: {
      type: 'number',
      unit: 'TWD per share',
      nullable: true,
      zh: '事件前收盤價',
      doc: 'Close before, as printed; null where not printed.',
    },
    reference_price: {
      type: 'number',
      unit: 'TWD per share',
      nullable: true,
      zh: '參考價',
      doc: 'Reference price as printed, that with rights where a reduction offers shares at once; null where not printed.',
    },
    factor: {
      type: 'number',
      unit: 'ratio',
      nullable: true,
      zh: '因子',
      doc: 'Reference price over close before, rounded to ten decimals; null where one of them is not printed.',
    },
    cumulative_factor: {
      type: 'number',
      unit: 'ratio',
      nullable: true,
      zh: '累積因子',
      doc: 'Product of the factors of this event and all later ones, rounded to ten decimals at each step, newest first; null where one is null.',
    },
    share_ratio: {
      type: 'number',
      unit: 'ratio',
      nullable: true,
      zh: '換股率',
      doc: 'New shares for one old share: as printed, else close before over reference price; 1 for ex-days, null where cash was paid back and no ratio is printed.',
    },
    cumulative_share_ratio: {
      type: 'number',
      unit: 'ratio',
      nullable: true,
      zh: '累積換股率',
      doc: 'Product of the share ratios of this event and all later ones; null where one is null.',
    },
    gap: {
      type: 'text',
      nullable: true,
      mayNotApply: true,
      zh: '缺口',
      doc: 'Why a product is null or the factor 1: no_factor, no_share_ratio or counted_as with the id of the event, joined by blanks; null where nothing is missing.',
    },
  },
  grain: ['ticker', 'event_id'],
  key: 'ticker',
  date: 'event_date',
  publish: { mode: 'replace' },
  rules: [
    { name: 'known_market', holds: "market IN ('TWSE', 'TPEX')", doc: 'The market is TWSE or TPEX.' },
    {
      name: 'positive_factor',
      holds: 'least(factor, cumulative_factor, share_ratio, cumulative_share_ratio) > 0',
      doc: 'Factors scale, they never wipe out.',
    },
    {
      name: 'factor_of_the_printed_prices',
      holds: "abs(factor - reference_price / close_before) < 0.000001 OR gap LIKE 'counted_as:%'",
      doc: 'The factor is the quotient of the two printed prices.',
    },
  ],
  filters: {
    symbol: TICKERS,
    start_date: { column: 'event_date', op: 'from', doc: 'First event day wanted, inclusive.', example: '2026-01-01' },
    end_date: { column: 'event_date', op: 'to', doc: 'Last event day wanted, inclusive.', example: '2026-06-30' },
    source: { column: 'source', op: 'eq', values: SOURCES, doc: 'Events of one dataset.', example: 'ex-rights' },
  },
  // The factor of an event alone: products have those of later events in them, which were not known as of a day.
  fields: [
    {
      time: 'series',
      entity: 'company',
      id: 'ticker',
      date: 'event_date',
      of: 'the newest ex-day or change of capital in effect',
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
  },
  knownGaps: [
    'events_before_the_first_ex_day_on_record_are_unknown',
    'reference_prices_are_rounded_to_cents',
    'bonus_shares_do_not_scale_volumes',
  ],
  warnings: ['not_investment_advice'],
  cadence: { every: 'trading_day', expectedAt: '18:00', sparse: 120 },
  pointInTime: 'none',
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
