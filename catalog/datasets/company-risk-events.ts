import { defineDataset, TICKER_LIST } from '../schema/index.ts'

const RISK_TYPES = ['attention', 'disposition', 'altered_trading', 'managed_stock', 'suspension', 'default_settlement'] as const

export default defineDataset({
  slug: 'company-risk-events',
  id: 'company_risk_events',
  title: 'Company risk events',
  titleZh: '注意、處置與變更交易公告',
  family: 'companies_events',
  description:
    'Risk flags published by the exchanges: attention, disposition, altered trading and others. Only collected flags are listed, so a security without a flag is not necessarily free of risk.',
  descriptionZh: '交易所對證券公布的風險警示：注意、處置、變更交易方法等。沒有警示只表示未收錄到警示，不代表沒有風險。',
  access: { plan: 'pro', credits: 3 },
  status: 'preview',
  version: '0.1.0',
  columns: {
    symbol: { type: 'text', zh: '證券代號', doc: 'Exchange code of the security.', docZh: '交易所的證券代號。' },
    event_date: {
      type: 'date',
      zh: '公告日',
      doc: 'Date on which the exchange announced the flag. If the list has no announcement date, this is the date on which the list was collected, and lineage states so.',
      docZh: '交易所公布警示的日期；清單未載公告日時為收錄日，並於 lineage 註明。',
    },
    risk_type: {
      type: 'text',
      zh: '風險類別',
      doc: `Normalized risk type: ${RISK_TYPES.join(', ')}.`,
      docZh:
        '統一後的類別：attention 注意、disposition 處置、altered_trading 變更交易方法、managed_stock 管理股票、suspension 停止買賣、default_settlement 違約交割。',
    },
    description: { type: 'text', zh: '公告事由', doc: 'Reason for the flag, in the words of the exchange.', docZh: '交易所所載的事由。' },
    source_role: {
      type: 'text',
      provenance: true,
      zh: '來源角色',
      doc: 'Role of the source: official announcement of the exchange.',
      docZh: '來源角色：交易所的正式公告。',
    },
    lineage: {
      type: 'json',
      shape: {
        members: {
          synthetic: 'boolean',
          authority: 'text',
          feed: 'text',
          source_release: 'text',
          event_date_is: 'text',
          effective_from: 'text',
          effective_to: 'text',
        },
      },
      provenance: true,
      zh: '資料來源紀錄',
      doc: 'Details of the source, for example the authority that published the flag, and the release of the list.',
      docZh: '公布警示的機關，以及其清單的版本。',
    },
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
      doc: 'The risk type is one of the types listed for the column risk_type.',
      docZh: '類別須為所列的類別之一。',
    },
  ],
  filters: {
    symbol: { ...TICKER_LIST, column: 'symbol', required: true },
    risk_type: { column: 'risk_type', op: 'eq', values: RISK_TYPES, example: 'attention', doc: 'Risk type to return.' },
    start_date: { column: 'event_date', op: 'from', example: '2026-01-01', doc: 'First announcement day to return, inclusive.' },
    end_date: { column: 'event_date', op: 'to', example: '2026-06-30', doc: 'Last announcement day to return, inclusive.' },
  },
  fields: [
    {
      time: 'series',
      entity: 'company',
      id: 'symbol',
      date: 'event_date',
      role: 'source_role',
      of: 'all flags of the latest day on which the security has flags; without a collected flag there is no value, but the security is not necessarily free of risk',
      ofZh: '該證券最近有警示之日的所有警示；沒有警示表示未收錄，不代表沒有風險',
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
    attributionZh: '臺灣證券交易所、證券櫃檯買賣中心',
  },
  knownGaps: {
    not_every_flag_is_captured: {
      en: 'Only flags on the fetched lists are included. The exchanges also publish flags on other lists.',
      zh: '只收錄已取得清單上的警示；交易所另有未收錄的警示。',
    },
    absence_is_not_absence_of_risk: {
      en: 'A security without rows is not necessarily free of risk. Flags of the security may not have been collected.',
      zh: '沒有資料列的證券只表示未收錄到警示，不代表沒有風險。',
    },
    some_lists_print_no_announcement_day: {
      en: 'The altered-trading and managed-stock lists have no announcement date. Rows from these lists use the date on which the list was collected.',
      zh: '變更交易方法與管理股票的清單沒有公告日；其資料列以收錄清單的日期為準。',
    },
  },
  warnings: ['not_investment_advice', 'preview_schema_may_change'],
  cadence: { every: 'trading_day', expectedAt: '20:00', sparse: 7 },
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
