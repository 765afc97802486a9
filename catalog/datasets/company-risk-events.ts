import { defineDataset } from '../schema/index.ts'

const RISK_TYPES = ['attention', 'disposition', 'altered_trading', 'managed_stock', 'suspension', 'default_settlement'] as const

export default defineDataset({
  slug: 'company-risk-events',
  id: 'company_risk_events',
  title: 'Company risk events',
  titleZh: '注意、處置與變更交易公告',
  family: 'companies_events',
  description:
    'Risk flags the exchanges raised on a security: attention, disposition, altered trading and the like. A security without a flag was not captured as flagged; that does not make it free of risk.',
  access: { plan: 'pro', credits: 3 },
  status: 'preview',
  version: '0.1.0',
  columns: {
    symbol: { type: 'text', zh: '證券代號', doc: 'Exchange code of the security.' },
    event_date: {
      type: 'date',
      zh: '公告日',
      doc: 'Day the exchange announced the flag; the day of capture where its list prints none, as the lineage then says.',
    },
    risk_type: { type: 'text', zh: '風險類別', doc: `Normalized kind: ${RISK_TYPES.join(', ')}.` },
    description: { type: 'text', zh: '公告事由', doc: 'Reason as the exchange words it.' },
    source_role: { type: 'text', provenance: true, zh: '來源角色', doc: 'Role of the source: the exchange’s official announcement.' },
    lineage: { type: 'json', provenance: true, zh: '資料來源紀錄', doc: 'Authority that raised the flag and the release of its list.' },
  },
  grain: ['symbol', 'event_date', 'risk_type'],
  key: 'symbol',
  date: 'event_date',
  publish: { mode: 'merge' },
  rules: [
    {
      name: 'known_risk_type',
      column: 'risk_type',
      values: RISK_TYPES,
      doc: 'The kind is one of the normalized ones.',
    },
  ],
  filters: {
    symbol: {
      column: 'symbol',
      op: 'eq',
      required: true,
      pattern: '[0-9A-Za-z]{4,8}',
      fold: 'upper',
      example: '2330',
      doc: 'One ticker.',
    },
    risk_type: { column: 'risk_type', op: 'eq', values: RISK_TYPES, example: 'attention', doc: 'One kind of flag.' },
    start_date: { column: 'event_date', op: 'from', example: '2026-01-01', doc: 'First announcement day wanted, inclusive.' },
    end_date: { column: 'event_date', op: 'to', example: '2026-06-30', doc: 'Last announcement day wanted, inclusive.' },
  },
  fields: [
    {
      time: 'series',
      entity: 'company',
      id: 'symbol',
      date: 'event_date',
      role: 'source_role',
      of: 'every flag of the newest day with one; without a flag it was not captured, which is no absence of risk',
      many: 'list',
      group: 'risk',
      words: { risk_types: 'types', risk_descriptions: 'descriptions' },
      names: { risk_types: 'risk_type', risk_descriptions: 'description' },
    },
  ],
  order: [
    ['event_date', 'desc'],
    ['risk_type', 'asc'],
  ],
  sortable: ['event_date'],
  search: [{ type: 'symbol', id: 'symbol', param: 'symbol' }],
  envelope: { kind: 'B', fieldGroup: 'risk_event', view: 'event_history' },
  empty: 'not_captured',
  lineage: {
    families: ['twse_announcements', 'tpex_announcements'],
    semantics: 'risk_flag_raised_by_an_exchange',
    role: 'official_risk_event',
    selected: 'exchange_announcements',
    fallbacks: [],
    notes: ['absence_means_not_captured', 'one_row_per_security_day_and_kind'],
    url: 'https://openapi.twse.com.tw/',
    attribution: 'Taiwan Stock Exchange; Taipei Exchange',
  },
  knownGaps: ['not_every_flag_is_captured', 'absence_is_not_absence_of_risk', 'some_lists_print_no_announcement_day'],
  warnings: ['not_investment_advice', 'preview_schema_may_change'],
  cadence: { every: 'trading_day', expectedAt: '20:00', sparse: 7 },
  pointInTime: 'none',
  coverage: { markets: ['TWSE', 'TPEX'], delisted: true, scope: 'security_risk_flag', type: 'event_history' },
  example: [
    row('2026-06-30', 'disposition', '連續三個營業日達注意交易資訊標準'),
    row('2026-06-29', 'attention', '最近六個營業日累積收盤價漲幅達標準'),
    row('2026-06-26', 'attention', '最近六個營業日累積收盤價漲幅達標準'),
  ],
})

function row(day: string, type: (typeof RISK_TYPES)[number], description: string) {
  return {
    symbol: '2330',
    event_date: day,
    risk_type: type,
    description,
    source_role: 'official_risk_event',
    lineage: { authority: 'TWSE', feed: 'twse_announcements', source_release: day },
  }
}
