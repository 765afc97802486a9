import { defineDataset, TRADING_DAYS } from '../schema/index.ts'

export default defineDataset({
  slug: 'market-indices',
  id: 'market_indices',
  title: 'Market indices',
  titleZh: '市場指數收盤',
  family: 'market_structure',
  description:
    'Closing values of the main and sector indices of the exchange per trading day. Includes price indices and, if published, total return indices.',
  descriptionZh: '證交所主要指數與類股指數各交易日的收盤值，含價格指數，以及有公布者的報酬指數。',
  access: { plan: 'free', credits: 1 },
  status: 'verified',
  version: '1.0.0',
  columns: {
    index_code: {
      type: 'text',
      zh: '指數代號',
      doc: 'Code of the index in the exchange’s list, for example IX0001. Codes of total return indices start with IR, for example IR0001.',
      docZh: '交易所指數清單上的代號，例如 IX0001；其報酬指數的代號以 IR 開頭，例如 IR0001。',
    },
    name: { type: 'text', zh: '指數名稱', doc: 'Chinese name of the index on the trading day.', docZh: '當日的指數中文名稱。' },
    kind: {
      type: 'text',
      zh: '指數類別',
      doc: 'Type of the index: price (without dividends) or total_return (with dividends).',
      docZh: 'price 為價格指數，total_return 為含股利的報酬指數。',
      virtual: "CASE WHEN index_code LIKE 'IR%' THEN 'total_return' ELSE 'price' END",
    },
    trade_date: { type: 'date', zh: '交易日', doc: 'Trading day, in Taipei time.', docZh: '交易日（臺北時間）。' },
    value: { type: 'number', unit: 'index points', zh: '收盤指數', doc: 'Closing value of the index.', docZh: '收盤指數值。' },
    change: {
      type: 'number',
      unit: 'index points',
      nullable: true,
      zh: '漲跌點數',
      doc: 'Change since the previous close, in points. Negative for a fall. Null if the report has no comparison.',
      docZh: '與前一次收盤相比的漲跌點數，下跌為負數；沒有比較時為空值。',
    },
    change_pct: {
      type: 'number',
      unit: 'percent',
      nullable: true,
      zh: '漲跌百分比',
      doc: 'Change since the previous close, in percent. Negative for a fall. Null if the report has no comparison.',
      docZh: '漲跌點數占前一次收盤的百分比。',
    },
  },
  grain: ['index_code', 'trade_date'],
  key: 'index_code',
  date: 'trade_date',
  publish: { mode: 'merge' },
  rules: [
    { name: 'positive_value', column: 'value', above: 0, doc: 'The closing value is greater than zero.', docZh: '指數收盤值大於零。' },
  ],
  filters: {
    index_code: {
      column: 'index_code',
      op: 'in',
      max: 500,
      pattern: '[0-9A-Za-z]{2,10}',
      example: 'IX0001',
      doc: 'One index, or up to 500 separated by commas. Case-sensitive.',
    },
    kind: {
      column: 'kind',
      op: 'eq',
      values: ['price', 'total_return'],
      example: 'total_return',
      doc: 'Index type to return: price or total return.',
    },
    ...TRADING_DAYS,
  },
  fields: [
    {
      time: 'series',
      entity: 'index',
      id: 'index_code',
      date: 'trade_date',
      of: 'the close of the latest trading day',
      ofZh: '最近一個交易日的收盤',
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
    attributionZh: '臺灣證券交易所',
  },
  knownGaps: {
    indices_of_tpex_are_not_built: {
      en: 'Only TWSE indices are included. TPEx indices are not available.',
      zh: '只收錄證交所的指數；櫃買中心的指數尚未收錄。',
    },
    thematic_and_leveraged_indices_are_left_out: {
      en: 'Only the main, size and sector indices of the TWSE daily report are included (75 of 227 indices on 2023-01-30). Thematic, factor, leveraged, inverse and cross-market indices are not included. Total return indices are included only if the code of their price index starts with IX.',
      zh: '證交所每日收盤行情所列指數中，只收錄主要、規模與類股指數（2023-01-30 的 227 項中有 75 項）；不含主題、因子、槓桿、反向與跨市場指數；報酬指數只收錄價格指數代號以 IX 開頭者。',
    },
    codes_follow_the_index_list_of_2026: {
      en: 'Index codes follow the 2026 index list for all days. The name of an index may have differed on earlier days.',
      zh: '指數代號一律依 2026 年的指數清單；先前日期的指數名稱可能不同。',
    },
  },
  warnings: ['not_investment_advice'],
  cadence: { every: 'trading_day', expectedAt: '15:00' },
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
