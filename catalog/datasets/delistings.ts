import { BOTH_EXCHANGES, defineDataset, exampleRows, KNOWN_MARKET, MARKET, SECURITY, TICKERS } from '../schema/index.ts'

const COLUMNS = {
  ...SECURITY,
  delisting_date: {
    type: 'date',
    zh: '終止上市（櫃）日期',
    doc: 'First day on which the security no longer trades.',
    docZh: '終止上市（櫃）日，即停止交易的首日。',
  },
  company_name: { type: 'text', zh: '公司名稱', doc: 'Name of the company, as published.', docZh: '公司名稱，依原表。' },
  reason: {
    type: 'text',
    nullable: true,
    zh: '終止上櫃原因',
    doc: 'Reason for the delisting, as published. Null for TWSE, which publishes no reasons.',
    docZh: '終止原因，依原表；證交所未公布，為空值。',
  },
} as const

export default defineDataset({
  slug: 'delistings',
  id: 'delistings',
  title: 'Delistings',
  titleZh: '終止上市（櫃）公司',
  family: 'companies_events',
  description:
    'Securities whose listing on TWSE or TPEx ended. The exchange may use the code of a delisted security again. A delisted security may move to the other market.',
  descriptionZh: '終止上市或上櫃的證券；代號日後可能再次使用，或改在另一市場交易。',
  access: { plan: 'free', credits: 1 },
  status: 'verified',
  version: '1.0.0',
  columns: COLUMNS,
  grain: ['ticker', 'market', 'delisting_date'],
  key: 'ticker',
  date: 'delisting_date',
  daysAhead: 365,
  fields: [
    {
      time: 'series',
      entity: 'company',
      id: 'ticker',
      date: 'delisting_date',
      of: 'the latest delisting',
      ofZh: '最近一次終止上市（櫃）',
      names: { 'delisting.delisting_date': 'delisting_date', 'delisting.reason': 'reason' },
    },
  ],
  publish: { mode: 'merge' },

  rules: [KNOWN_MARKET],
  reconcile: [
    {
      method: 'no_price_after_delisting',
      doc: 'Compares the delisting day with the last day on which daily-prices has a row for the security in the same market.',
      docZh: '將終止日期與該證券在同一市場「個股日成交資訊」的最後交易日比對。',
      source: 'exchange_daily_quotes',
      over: 'release',
      against: {
        dataset: 'daily-prices',
        on: { ticker: 't.ticker', market: 't.market' },
        sums: { by: { ticker: 'ticker', market: 'market' }, take: { last_day: 'max(trade_date)' } },
      },
      holds: 'o.last_day < t.delisting_date',
    },
  ],
  filters: {
    symbol: { ...TICKERS, example: '2888' },
    market: MARKET,
    start_date: { column: 'delisting_date', op: 'from', example: '2025-01-01', doc: 'First delisting day to return, inclusive.' },
    end_date: { column: 'delisting_date', op: 'to', example: '2026-12-31', doc: 'Last delisting day to return, inclusive.' },
  },
  order: [
    ['delisting_date', 'desc'],
    ['ticker', 'asc'],
  ],
  sortable: ['delisting_date'],
  search: [{ type: 'symbol', id: 'ticker', title: ['company_name'], subtitle: ['reason'], market: 'market', rank: 9, param: 'symbol' }],
  envelope: { kind: 'B', fieldGroup: 'delistings', view: 'event_history' },
  lineage: {
    ...BOTH_EXCHANGES,
    families: ['twse_suspend_listing', 'tpex_delisted_companies'],
    semantics: 'security_left_the_market',
    selected: 'exchange_delisting_lists',
    notes: ['a_delisting_is_an_event_codes_can_return'],
    url: 'https://openapi.twse.com.tw/',
  },
  knownGaps: {
    address_of_the_tpex_list_not_verified: {
      en: 'The address from which the service fetches the TPEx list was never tried. If it fails, the operator can import files of the list.',
      zh: '櫃買中心清單的下載網址尚未實際驗證；若無法取得，營運者可匯入該清單的檔案。',
    },
  },
  warnings: ['not_investment_advice'],
  cadence: { every: 'on_change' },
  coverage: { markets: ['TWSE', 'TPEX'], delisted: true, scope: 'delisted_securities', type: 'event_history' },
  sample: 'events',
  example: exampleRows(COLUMNS, ['2888', 'TWSE', '2025-07-24', '新光金', null]),
})
