import { CONTRACTS, defineDataset, exampleRows, NAMES_ONLY, TAIFEX } from '../schema/index.ts'

const COLUMNS = {
  contract: {
    type: 'text',
    zh: '商品代號',
    doc: 'Code of the contract, as published, for example TX for TAIEX futures.',
    docZh: '依原表的商品代號，例如臺股期貨為 TX。',
  },
  settlement_date: { type: 'date', zh: '最後結算日', doc: 'Final settlement day.', docZh: '最後結算日。' },
  contract_month: {
    type: 'text',
    zh: '契約月份',
    doc: 'Expiry of the contract, as published, for example 202607.',
    docZh: '依原表的契約月份，例如 202607。',
  },
  contract_name: { type: 'text', zh: '商品名稱', doc: 'Name of the contract.', docZh: '商品名稱。' },
  final_settlement_price: {
    type: 'number',
    zh: '最後結算價',
    doc: 'Final settlement price, in the unit in which the contract is quoted.',
    docZh: '最後結算價，單位與該契約的報價單位相同。',
  },
} as const

export default defineDataset({
  slug: 'final-settlement',
  id: 'final_settlement',
  title: 'Final settlement prices',
  titleZh: '最後結算價',
  family: 'market_structure',
  description: 'Final settlement prices of TAIFEX futures and options, per contract and settlement day.',
  descriptionZh: '期交所期貨與選擇權各最後結算日的最後結算價。',
  access: { plan: 'pro', credits: 1 },
  status: 'preview',
  version: '1.0.0',
  columns: COLUMNS,
  grain: ['contract', 'settlement_date', 'contract_month'],
  key: 'contract',
  date: 'settlement_date',
  publish: { mode: 'merge' },
  drift: 'any',
  rules: [
    {
      name: 'price_not_negative',
      column: 'final_settlement_price',
      min: 0,
      severity: 'acceptable',
      doc: 'The final settlement price is not negative.',
      docZh: '最後結算價不為負數。',
    },
  ],
  filters: {
    contract: { ...CONTRACTS, pattern: '[0-9A-Za-z/]{2,20}', example: 'TX' },
    contract_month: { column: 'contract_month', op: 'eq', example: '202607', doc: 'Expiry to return, for example 202607.' },
    start_date: { column: 'settlement_date', op: 'from', example: '2026-01-01', doc: 'First settlement day to return, inclusive.' },
    end_date: { column: 'settlement_date', op: 'to', example: '2026-06-30', doc: 'Last settlement day to return, inclusive.' },
  },
  order: [
    ['settlement_date', 'desc'],
    ['contract', 'asc'],
  ],
  sortable: ['settlement_date'],
  envelope: { kind: 'B', fieldGroup: 'final_settlement', view: 'event_history' },
  lineage: {
    ...TAIFEX,
    families: ['taifex_final_settlement_prices'],
    semantics: 'final_settlement_price_by_contract_and_expiry',
    selected: 'taifex_final_settlement_prices',
    notes: ['codes_and_months_are_as_printed'],
    url: 'https://openapi.taifex.com.tw/',
  },
  knownGaps: {
    no_captured_file_seen: NAMES_ONLY,
    newest_settlement_only_at_the_source: {
      en: 'The source offers only the newest settlements. Settlement days that were not collected in time are missing.',
      zh: '來源僅提供最近的最後結算價；未收錄的結算日不在此資料集。',
    },
  },
  warnings: ['not_investment_advice', 'preview_schema_may_change'],
  // Contracts expire on Wednesdays and Fridays. The longest gap is the Lunar New Year.
  cadence: { every: 'trading_day', expectedAt: '18:00', sparse: 14 },
  coverage: { markets: ['TAIFEX'], delisted: true, scope: 'futures_and_options', type: 'event_history' },
  sample: 'events',
  example: exampleRows(COLUMNS, ['TX', '2026-06-17', '202606', '臺股期貨', 45_120], ['TX', '2026-05-20', '202605', '臺股期貨', 43_980]),
})
