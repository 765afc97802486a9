import { BOTH_EXCHANGES, defineDataset, exampleRows, KNOWN_MARKET, MARKET, SECURITY, TICKERS } from '../schema/index.ts'

const COLUMNS = {
  ...SECURITY,
  conference_start: { type: 'date', zh: '召開法人說明會之日期', doc: 'First day of the conference.', docZh: '法人說明會的首日。' },
  time: {
    type: 'text',
    zh: '召開法人說明會之時間',
    doc: 'Start time of the conference as HH:MM, in Taipei time unless the place is abroad.',
    docZh: '時間（HH:MM）；於國外召開者可能為當地時間。',
  },
  conference_end: {
    type: 'date',
    zh: '法人說明會迄日',
    doc: 'Last day of the conference. Equals conference_start for a conference of one day.',
    docZh: '最後一日；單日者與 conference_start 相同。',
  },
  location: {
    type: 'text',
    nullable: true,
    zh: '召開法人說明會之地點',
    doc: 'Place of the conference, as announced. Null if not announced.',
    docZh: '地點，依公告。',
  },
  summary: {
    type: 'text',
    nullable: true,
    zh: '法人說明會擇要訊息',
    doc: 'Subject of the conference, as announced. Null if not announced.',
    docZh: '擇要訊息，依公告。',
  },
} as const

export default defineDataset({
  slug: 'investor-conferences',
  id: 'investor_conferences',
  title: 'Investor conferences',
  titleZh: '法人說明會',
  family: 'companies_events',
  description: 'Investor conferences that companies announced as material information.',
  descriptionZh: '公司以重大訊息公告的法人說明會。',
  access: { plan: 'free', credits: 1 },
  status: 'preview',
  version: '1.0.0',
  columns: COLUMNS,
  grain: ['ticker', 'conference_start', 'time'],
  key: 'ticker',
  date: 'conference_start',
  daysAhead: 400,
  publish: { mode: 'merge' },

  rules: [
    KNOWN_MARKET,
    {
      name: 'days_in_order',
      holds: 'conference_start <= conference_end',
      doc: 'The last day of a conference is not before the first day.',
      docZh: '迄日不早於首日。',
    },
    { name: 'time_of_day', column: 'time', pattern: '[0-2]\\d:[0-5]\\d', doc: 'The time has the format HH:MM.', docZh: '時間為 HH:MM。' },
  ],
  filters: {
    symbol: { ...TICKERS, example: '2317' },
    market: MARKET,
    start_date: { column: 'conference_start', op: 'from', example: '2026-01-01', doc: 'First conference day to return, inclusive.' },
    end_date: { column: 'conference_start', op: 'to', example: '2026-12-31', doc: 'Last conference day to return, inclusive.' },
  },
  order: [
    ['conference_start', 'desc'],
    ['ticker', 'asc'],
  ],
  sortable: ['conference_start'],
  search: [{ type: 'symbol', id: 'ticker', market: 'market', rank: 5, param: 'symbol' }],
  envelope: { kind: 'B', fieldGroup: 'investor_conferences', view: 'event_calendar' },
  lineage: {
    ...BOTH_EXCHANGES,
    families: ['twse_t187ap04', 'tpex_t187ap04'],
    semantics: 'investor_conference_by_company',
    selected: 'exchange_material_information',
    notes: ['read_from_the_numbered_text_of_clause_12'],
    url: 'https://openapi.twse.com.tw/',
  },
  knownGaps: {
    texts_of_three_announcements_seen: {
      en: 'The feed was verified with the texts of three announcements. No real file of the whole table was available.',
      zh: '匯入程式僅以三則公告的說明文字驗證，尚未取得整份資料表的實際檔案。',
    },
    announcements_of_today_only: {
      en: 'The source lists only the announcements of one day. Conferences announced on a day that was not collected are missing.',
      zh: '來源每次僅列出一日的公告；未收錄日期所公告的法人說明會不在此資料集。',
    },
  },
  warnings: ['not_investment_advice', 'preview_schema_may_change'],
  cadence: { every: 'trading_day', expectedAt: '20:00', sparse: 30 },
  coverage: { markets: ['TWSE', 'TPEX'], delisted: false, scope: 'investor_conferences', type: 'event_calendar' },
  sample: 'events',
  example: exampleRows(COLUMNS, ['2317', 'TWSE', '2026-07-16', '08:00', '2026-07-17', '日本', '受邀參加投資人會議，說明本公司營運概況。']),
})
