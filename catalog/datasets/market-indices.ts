import { defineDataset, TRADING_DAYS } from '../schema/index.ts'

export default defineDataset({
  slug: 'market-indices',
  id: 'market_indices',
  title: 'Market indices',
  titleZh: '市場指數收盤',
  family: 'market_structure',
  description:
    'Closing values of the main and sector indices of the exchange per trading day, each by prices alone and, where it is published, with dividends.',
  access: { plan: 'free', credits: 1 },
  status: 'verified',
  version: '1.0.0',
  columns: {
    index_code: {
      type: 'text',
      zh: '指數代號',
      doc: 'Code of the index on the list of its exchange, for example IX0001; the same with dividends begins with IR, IR0001.',
    },
    name: { type: 'text', zh: '指數名稱', doc: 'Name of the index that day, in Chinese.' },
    kind: {
      type: 'text',
      zh: '指數類別',
      doc: 'price for an index of prices alone, total_return for one with dividends.',
      virtual: "CASE WHEN index_code LIKE 'IR%' THEN 'total_return' ELSE 'price' END",
    },
    trade_date: { type: 'date', zh: '交易日', doc: 'Trading day in Taipei.' },
    value: { type: 'number', unit: 'index points', zh: '收盤指數', doc: 'Value at the close.' },
    change: {
      type: 'number',
      unit: 'index points',
      nullable: true,
      zh: '漲跌點數',
      doc: 'Points gained since the previous close, negative when lost; null where not compared.',
    },
    change_pct: {
      type: 'number',
      unit: 'percent',
      nullable: true,
      zh: '漲跌百分比',
      doc: 'The same change in percent of the previous close.',
    },
  },
  grain: ['index_code', 'trade_date'],
  key: 'index_code',
  date: 'trade_date',
  publish: { mode: 'merge' },
  rules: [{ name: 'positive_value', column: 'value', above: 0, doc: 'An index closes above zero.' }],
  filters: {
    index_code: {
      column: 'index_code',
      op: 'in',
      max: 50,
      pattern: '[0-9A-Za-z]{2,10}',
      example: 'IX0001',
      doc: 'One index, or up to 50 separated by commas; case-sensitive.',
    },
    kind: { column: 'kind', op: 'eq', values: ['price', 'total_return'], example: 'total_return', doc: 'Without or with dividends.' },
    ...TRADING_DAYS,
  },
  fields: [
    {
      time: 'series',
      entity: 'index',
      id: 'index_code',
      date: 'trade_date',
      of: 'the close of the newest trading day',
      plan: 'free',
      group: 'index',
      words: { index_value: 'value', index_change: 'change', index_change_pct: 'change_pct' },
      names: { index_value: 'value', index_change: 'change', index_change_pct: 'change_pct' },
      defaults: ['index_value', 'index_change', 'index_change_pct'],
    },
  ],
  order: [
    ['trade_date', 'desc'],
    ['index_code', 'asc'],
  ],
  sortable: ['trade_date', 'index_code'],
  search: [{ type: 'index', id: 'index_code', title: ['name'], rank: 2, param: 'index_code' }],
  envelope: { kind: 'B', fieldGroup: 'index', view: 'daily_series' },
  lineage: {
    families: ['twse_open_data'],
    semantics: 'index_value_at_the_close',
    role: 'canonical',
    selected: 'twse_mi_index',
    fallbacks: [],
    notes: ['indices_with_dividends_have_codes_that_begin_with_ir'],
    url: 'https://openapi.twse.com.tw/',
    attribution: 'Taiwan Stock Exchange',
  },
  knownGaps: ['indices_of_tpex_are_not_built', 'codes_follow_the_index_list_of_2026'],
  warnings: ['not_investment_advice'],
  cadence: { every: 'trading_day', expectedAt: '15:00' },
  pointInTime: 'none',
  coverage: { markets: ['TWSE'], delisted: true, scope: 'main_and_sector_indices', type: 'daily_time_series' },
  example: [
    row('IR0001', '發行量加權股價報酬指數', '2026-06-30', 68_900, [700, 1.03]),
    row('IX0001', '發行量加權股價指數', '2026-06-30', 30_300, [300, 1]),
    row('IX0027', '電子工業類指數', '2026-06-30', 1_584, [-16, -1]),
    row('IX0001', '發行量加權股價指數', '2026-06-29', 30_000, [null, null]),
  ],
})

function row(code: string, name: string, day: string, value: number, [change, percent]: (number | null)[]) {
  const kind = code.startsWith('IR') ? 'total_return' : 'price'
  return { index_code: code, name, kind, trade_date: day, value, change, change_pct: percent }
}
