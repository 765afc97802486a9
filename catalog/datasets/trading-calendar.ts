import { defineDataset } from '../schema/index.ts'

export default defineDataset({
  slug: 'trading-calendar',
  id: 'trading_calendar',
  title: 'Trading calendar',
  titleZh: '交易日曆',
  family: 'market_structure',
  description:
    'Whether a market traded on a day: moving holidays, typhoon closures and make-up sessions, which no rule of weekdays foretells.',
  access: { plan: 'free', credits: 1 },
  status: 'reference',
  version: '1.0.0',
  columns: {
    market: { type: 'text', zh: '市場', doc: 'TWSE or TPEX.' },
    date: { type: 'date', zh: '日期', doc: 'Day in Taipei.' },
    is_open: { type: 'boolean', zh: '是否開市', doc: 'True when the market traded.' },
    reason: {
      type: 'text',
      nullable: true,
      zh: '說明',
      doc: 'Why it closed, or opened against the rule, in Chinese; null on an ordinary day. A day of a year not announced yet says that it follows from rules.',
    },
  },
  grain: ['market', 'date'],
  key: 'market',
  date: 'date',
  // A year's schedule is announced in the last months of the year before.
  daysAhead: 500,
  publish: { mode: 'merge' },
  rules: [{ name: 'known_market', column: 'market', values: ['TWSE', 'TPEX'], doc: 'Both markets go by these codes.' }],
  filters: {
    market: { column: 'market', op: 'eq', values: ['TWSE', 'TPEX'], example: 'TWSE', doc: 'One market; both keep the same days.' },
    date: { column: 'date', op: 'eq', example: '2026-06-19', doc: 'One day.' },
    start_date: { column: 'date', op: 'from', echo: 'date_from', example: '2026-06-01', doc: 'First day wanted, inclusive.' },
    end_date: { column: 'date', op: 'to', echo: 'date_to', example: '2026-06-30', doc: 'Last day wanted, inclusive.' },
    is_open: {
      column: 'is_open',
      op: 'eq',
      values: ['true', 'false'],
      example: 'false',
      doc: 'true for trading days, false for closed ones.',
    },
  },
  order: [
    ['date', 'desc'],
    ['market', 'asc'],
  ],
  sortable: ['date'],
  envelope: {
    kind: 'A',
    scope: 'market_calendar',
    coverage: 'every_day_of_the_years_covered',
    dates: { first: 'min_date', last: 'max_date' },
  },
  lineage: {
    families: ['holiday_announcements_compiled_by_the_project', 'twse_holiday_schedule', 'tpex_holiday_schedule'],
    semantics: 'market_open_or_closed_by_day',
    role: 'canonical',
    selected: 'holiday_announcements_compiled_by_the_project',
    fallbacks: [],
    notes: [
      'both_markets_keep_the_same_calendar',
      'years_2007_to_2027_compiled_with_the_project_not_downloaded',
      'closed_days_agree_with_the_yearly_counts_of_trading_days_up_to_2024',
    ],
    url: 'https://www.twse.com.tw/zh/trading/holiday.html',
    attribution: 'Taiwan Stock Exchange; Taipei Exchange',
  },
  knownGaps: [
    'closures_by_typhoon_are_known_only_once_announced',
    'compiled_days_observed_up_to_2026_08_21',
    'compiled_year_2027_follows_rules_not_announcements',
  ],
  warnings: ['not_investment_advice'],
  cadence: { every: 'on_change' },
  pointInTime: 'none',
  coverage: { markets: ['TWSE', 'TPEX'], delisted: false },
  example: [
    { market: 'TPEX', date: '2026-06-19', is_open: false, reason: '端午節' },
    { market: 'TWSE', date: '2026-06-19', is_open: false, reason: '端午節' },
    { market: 'TWSE', date: '2026-06-18', is_open: true, reason: null },
  ],
})
