import { defineDataset } from '../schema/index.ts'

export default defineDataset({
  slug: 'trading-calendar',
  id: 'trading_calendar',
  title: 'Trading calendar',
  titleZh: '交易日曆',
  family: 'market_structure',
  description:
    'Whether a market traded on a day: moving holidays, typhoon closures and make-up sessions, which no rule of weekdays foretells.',
  descriptionZh: '市場某日是否交易：含無法由星期推算的浮動假日、颱風休市與補行交易日。',
  access: { plan: 'free', credits: 1 },
  status: 'reference',
  version: '1.0.0',
  columns: {
    market: { type: 'text', zh: '市場', doc: 'TWSE or TPEX.', docZh: 'TWSE（上市）或 TPEX（上櫃）。' },
    date: { type: 'date', zh: '日期', doc: 'Day in Taipei.', docZh: '臺北時間的日期。' },
    is_open: { type: 'boolean', zh: '是否開市', doc: 'True when the market traded.', docZh: '市場有交易時為 true（是）。' },
    reason: {
      type: 'text',
      nullable: true,
      zh: '說明',
      doc: 'Why it closed, or opened against the rule, in Chinese; null on an ordinary day. A day of a year not announced yet says that it follows from rules.',
      docZh: '休市或例外開市的中文原因；一般日為空值。年度行事曆尚未公告的日期，會註明係依規則推算。',
    },
  },
  grain: ['market', 'date'],
  key: 'market',
  date: 'date',
  // A year's schedule is announced in the last months of the year before.
  daysAhead: 500,
  publish: { mode: 'merge' },
  rules: [
    {
      name: 'known_market',
      column: 'market',
      values: ['TWSE', 'TPEX'],
      doc: 'Both markets go by these codes.',
      docZh: '兩市場以這些代碼表示。',
    },
  ],
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
    attributionZh: '臺灣證券交易所、證券櫃檯買賣中心',
  },
  knownGaps: {
    closures_by_typhoon_are_known_only_once_announced: {
      en: 'A typhoon closes the market on a morning’s notice; such a day is here only once it was announced and published.',
      zh: '颱風休市於當日清晨才公告；公告並發布之後才會出現在此資料集。',
    },
    compiled_days_observed_up_to_2026_08_21: {
      en: 'The calendar that comes with the service agrees with days on which trades were reported up to 2026-08-21; later days were not observed.',
      zh: '隨服務提供的日曆至 2026-08-21 為止與實際有成交資料的日期相符；其後的日期未經觀察。',
    },
    compiled_year_2027_follows_rules_not_announcements: {
      en: '2027 follows the law’s holidays and the exchanges’ habits, since it was not announced when it was written.',
      zh: '2027 年依法定假日與交易所慣例推算，編製時尚未公告。',
    },
  },
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
