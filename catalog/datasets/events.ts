import { BOTH_EXCHANGES, defineDataset, KNOWN_MARKET, SECURITY, TICKER_LIST } from '../schema/index.ts'

const TYPES = {
  ex_dividend: ['ex-dividend day', '除息'],
  ex_rights: ['ex-rights day', '除權'],
  ex_rights_and_dividend: ['ex-rights and ex-dividend on one day', '除權又除息'],
  capital_reduction: ['trading resumes after a capital reduction', '減資後恢復買賣'],
  par_value_change: ['trading resumes with a new par value', '變更面額後恢復買賣'],
  etf_split: ['trading resumes after a split of a fund', 'ETF 分割後恢復買賣'],
  etf_reverse_split: ['trading resumes after a reverse split of a fund', 'ETF 反分割後恢復買賣'],
  shareholders_meeting: ['annual or extraordinary shareholders’ meeting', '股東會'],
  investor_conference: ['investor conference', '法人說明會'],
  delisting: ['first day without trading', '終止上市（櫃）'],
  material_information: ['announcement by the company', '重大訊息'],
} as const satisfies Readonly<Record<string, readonly [en: string, zh: string]>>

const NAMES = Object.keys(TYPES)
const meanings = Object.entries(TYPES)

const LISTS = ['ex-rights', 'capital-changes', 'shareholder-meetings', 'investor-conferences', 'delistings', 'announcements']

const withRemark = (title: string, remark: string): string => `${title} || coalesce('（' || nullif(${remark}, '') || '）', '')`

export default defineDataset({
  slug: 'events',
  id: 'events',
  title: 'Events calendar',
  titleZh: '公司重大事件行事曆',
  family: 'companies_events',
  description:
    'Calendar of ex-dividend and ex-rights days, capital changes, shareholders’ meetings, investor conferences, delistings and material information, with one row per event. Each type of event has its own dataset with the details.',
  descriptionZh: '彙整除權息、股本變動、股東會、法人說明會、終止上市（櫃）與重大訊息的行事曆，每個事件一列；明細在各類事件的資料集。',
  access: { plan: 'pro', credits: 1 },
  status: 'preview',
  emptyUntilReleased: true,
  version: '0.2.0',
  columns: {
    symbol: { type: 'text', zh: '證券代號', doc: 'Exchange code of the security.', docZh: '交易所的證券代號。' },
    market: SECURITY.market,
    event_date: {
      type: 'date',
      zh: '事件日',
      doc: 'Date of the event. An event of several days has the date of its first day. Material information has the date of its announcement.',
      docZh: '事件日期；為期數日者取首日，重大訊息取發言日期。',
    },
    event_type: {
      type: 'text',
      zh: '事件類別',
      doc: `Normalized event type: ${meanings.map(([name, [en]]) => `${name} (${en})`).join(', ')}.`,
      docZh: `統一後的類別：${meanings.map(([name, [, zh]]) => `${name} ${zh}`).join('、')}。`,
    },
    title: {
      type: 'text',
      zh: '主旨',
      doc: 'Title in Chinese, with the published reason or subject. For material information, only the subject.',
      docZh: '事件主旨，含原表所載的原因或擇要訊息；重大訊息為其主旨。',
    },
    title_en: {
      type: 'text',
      zh: '英文主旨',
      doc: 'Title in English, without the published reason or subject.',
      docZh: '英文主旨，不含原表所載的原因或擇要訊息。',
    },
    source_role: {
      type: 'text',
      provenance: true,
      zh: '來源角色',
      doc: 'Role of the source: official announcement of a major event.',
      docZh: '來源角色：重大事件的正式公告。',
    },
  },
  grain: ['symbol', 'event_date', 'event_type', 'title'],
  key: 'symbol',
  date: 'event_date',
  daysAhead: 400,
  publish: { mode: 'merge' },
  from: {
    inputs: LISTS,
    optional: LISTS,
    by: 'day',
    // A company's announcements about the same subject on a day count as one event.
    sql: `
      SELECT symbol, min(market) AS market, event_date, event_type, title, title_en, 'official_major_event' AS source_role FROM (
        SELECT ticker AS symbol, market, ex_date AS event_date,
          CASE kind WHEN 'dividend' THEN 'ex_dividend' WHEN 'rights' THEN 'ex_rights' ELSE 'ex_rights_and_dividend' END AS event_type,
          CASE kind WHEN 'dividend' THEN '除息' WHEN 'rights' THEN '除權' ELSE '除權息' END AS title,
          CASE kind WHEN 'dividend' THEN 'Ex-dividend' WHEN 'rights' THEN 'Ex-rights' ELSE 'Ex-rights and ex-dividend' END AS title_en
        FROM ex_rights
        UNION ALL
        SELECT ticker, market, resume_date, change_type,
          ${withRemark("CASE change_type WHEN 'capital_reduction' THEN '減資' WHEN 'par_value_change' THEN '變更面額' WHEN 'etf_split' THEN 'ETF 分割' ELSE 'ETF 反分割' END || '後恢復買賣'", 'reason')},
          'Trading resumes after ' || CASE change_type WHEN 'capital_reduction' THEN 'a capital reduction'
            WHEN 'par_value_change' THEN 'a par value change' WHEN 'etf_split' THEN 'a split' ELSE 'a reverse split' END
        FROM capital_changes
        UNION ALL
        SELECT ticker, market, meeting_date, 'shareholders_meeting',
          CASE meeting_type WHEN 'annual' THEN '股東常會' ELSE '股東臨時會' END,
          CASE meeting_type WHEN 'annual' THEN 'Annual shareholders’ meeting' ELSE 'Extraordinary shareholders’ meeting' END
        FROM shareholder_meetings
        UNION ALL
        SELECT ticker, market, conference_start, 'investor_conference',
          ${withRemark("'法人說明會'", 'summary')}, 'Investor conference'
        FROM investor_conferences
        UNION ALL
        SELECT ticker, market, delisting_date, 'delisting',
          ${withRemark("CASE market WHEN 'TWSE' THEN '終止上市' ELSE '終止上櫃' END", 'reason')}, 'Delisting'
        FROM delistings
        UNION ALL
        SELECT ticker, market, announced_on, 'material_information', subject, 'Material information'
        FROM announcements)
      GROUP BY symbol, event_date, event_type, title, title_en`,
  },
  rules: [
    KNOWN_MARKET,
    {
      name: 'known_type',
      column: 'event_type',
      values: NAMES,
      doc: 'The type is one of the listed event types.',
      docZh: '類別為所列類別之一。',
    },
  ],
  filters: {
    symbol: { ...TICKER_LIST, column: 'symbol', required: true },
    start_date: { column: 'event_date', op: 'from', example: '2026-01-01', doc: 'First event day to return, inclusive.' },
    end_date: { column: 'event_date', op: 'to', example: '2026-06-30', doc: 'Last event day to return, inclusive.' },
    event_type: { column: 'event_type', op: 'eq', values: NAMES, example: 'ex_dividend', doc: 'Event type to return.' },
  },
  order: [
    ['event_date', 'desc'],
    ['event_type', 'asc'],
  ],
  sortable: ['event_date'],
  search: [{ type: 'symbol', id: 'symbol', param: 'symbol' }],
  envelope: { kind: 'B', fieldGroup: 'event', view: 'event_calendar' },
  lineage: {
    ...BOTH_EXCHANGES,
    families: ['twse_open_data', 'tpex_open_data'],
    semantics: 'dated_company_event_announced_officially',
    role: 'official_major_event',
    selected: 'computed_from_official_event_lists',
    notes: ['a_row_is_known_from_the_publication_after_its_source_row'],
    url: 'https://openapi.twse.com.tw/',
  },
  knownGaps: {
    lists_of_newest_events_only: {
      en: 'The sources list only current meetings and conferences. Meetings and conferences that were not collected in time are missing.',
      zh: '來源只列出當期的股東會與法人說明會，未收錄者不在此資料集。',
    },
    listing_days_are_not_included: {
      en: 'First days of trading are not included. The dataset securities has these days in listed_on.',
      zh: '不含上市（櫃）首日；首日為 securities 的 listed_on。',
    },
  },
  warnings: ['not_investment_advice', 'preview_schema_may_change'],
  cadence: { every: 'on_change' },
  coverage: { markets: ['TWSE', 'TPEX'], delisted: true, scope: 'company_event', type: 'event_calendar' },
  example: [
    row('2026-06-30', 'ex_dividend', '除息', 'Ex-dividend'),
    row('2026-06-15', 'par_value_change', '變更面額後恢復買賣', 'Trading resumes after a par value change'),
  ],
})

function row(event_date: string, event_type: keyof typeof TYPES, title: string, title_en: string) {
  return { symbol: '2330', market: 'TWSE', event_date, event_type, title, title_en, source_role: 'official_major_event' }
}
