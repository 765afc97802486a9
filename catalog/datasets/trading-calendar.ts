import { defineDataset } from '../schema/index.ts'

export default defineDataset({
  slug: 'trading-calendar',
  id: 'trading_calendar',
  title: 'Trading calendar',
  titleZh: '交易日曆',
  family: 'market_structure',
  description:
    'Trading days and closed days of each market. Includes moving holidays, typhoon closures and make-up sessions, which do not follow from weekdays.',
  descriptionZh: '各市場每日是否開市；含無法由星期推算的浮動假日、颱風休市與補行交易日。',
  access: { plan: 'free', credits: 1 },
  status: 'reference',
  version: '1.0.0',
  columns: {
    market: { type: 'text', zh: '市場', doc: 'Market: TWSE or TPEX.', docZh: 'TWSE（上市）或 TPEX（上櫃）。' },
    date: { type: 'date', zh: '日期', doc: 'Date, in Taipei time.', docZh: '日期（臺北時間）。' },
    is_open: { type: 'boolean', zh: '是否開市', doc: 'True if the market traded.', docZh: '市場有交易時為 true（是）。' },
    reason: {
      type: 'text',
      nullable: true,
      zh: '說明',
      doc: 'Reason for a closure or an exceptional opening, in Chinese. Null on ordinary days of announced years. In years that are not announced yet, the reason notes that the day was derived from rules.',
      docZh: '休市或例外開市的原因（中文）；一般交易日與週末為空值。交易所尚未公告該年度開休市日期時，註明該日依規則推算。',
    },
  },
  grain: ['market', 'date'],
  key: 'market',
  date: 'date',
  // The exchange announces the schedule in the last months of the previous year.
  daysAhead: 500,
  publish: { mode: 'merge' },
  rules: [
    {
      name: 'known_market',
      column: 'market',
      values: ['TWSE', 'TPEX'],
      doc: 'The market is TWSE or TPEX.',
      docZh: '市場為 TWSE 或 TPEX。',
    },
  ],
  filters: {
    market: {
      column: 'market',
      op: 'eq',
      values: ['TWSE', 'TPEX'],
      example: 'TWSE',
      doc: 'Market to return. Both markets have the same trading days.',
    },
    date: { column: 'date', op: 'eq', example: '2026-06-19', doc: 'Day to return.' },
    start_date: { column: 'date', op: 'from', echo: 'date_from', example: '2026-06-01', doc: 'First day to return, inclusive.' },
    end_date: { column: 'date', op: 'to', echo: 'date_to', example: '2026-06-30', doc: 'Last day to return, inclusive.' },
    is_open: {
      column: 'is_open',
      op: 'eq',
      values: ['true', 'false'],
      example: 'false',
      doc: '`true` returns trading days, `false` returns closed days.',
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
    attributionZh: '臺灣證券交易所、證券櫃檯買賣中心',
  },
  knownGaps: {
    closures_by_typhoon_are_known_only_once_announced: {
      en: 'Typhoon closures are announced on the morning of the day. The calendar includes a typhoon closure only after the announcement is published.',
      zh: '颱風休市於當日清晨公告；公告並發布之後才收錄。',
    },
    compiled_days_observed_up_to_2026_08_21: {
      en: 'The built-in calendar matches the days with reported trades up to 2026-08-21. Later days were not verified.',
      zh: '內建日曆至 2026-08-21 為止與有成交資料的日期相符；其後的日期未經驗證。',
    },
    compiled_year_2027_follows_rules_not_announcements: {
      en: 'The calendar of 2027 was not announced when the built-in calendar was compiled. The days of 2027 are derived from statutory holidays and the practice of the exchanges.',
      zh: '2027 年的開休市日期於編製時尚未公告，依法定假日與交易所慣例推算。',
    },
  },
  warnings: ['not_investment_advice'],
  cadence: { every: 'on_change' },
  coverage: { markets: ['TWSE', 'TPEX'], delisted: false },
  example: [
    { market: 'TPEX', date: '2026-06-19', is_open: false, reason: '端午節' },
    { market: 'TWSE', date: '2026-06-19', is_open: false, reason: '端午節' },
    { market: 'TWSE', date: '2026-06-18', is_open: true, reason: null },
  ],
})
