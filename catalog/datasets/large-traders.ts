import {
  CONTRACTS,
  defineDataset,
  exampleRows,
  type Reconciliation,
  SITE_OF_TAIFEX,
  TAIFEX,
  TRADE_DATE,
  TRADING_DAYS,
} from '../schema/index.ts'

const position = (zh: string, doc: string, docZh: string) =>
  ({ type: 'integer', unit: 'contracts', nullable: true, zh, doc, docZh }) as const

const COLUMNS = {
  contract: {
    type: 'text',
    zh: '商品(契約)',
    doc: 'Code of the contract. The code of futures and options on one stock has two letters, without the final F or O.',
    docZh: '契約代號；股票期貨與股票選擇權為兩個字母，不含 F 或 O。',
  },
  ...TRADE_DATE,
  instrument: {
    type: 'text',
    zh: '商品別',
    doc: 'Type of the contract: futures, call or put.',
    docZh: 'futures 為期貨，call 為買權，put 為賣權。',
  },
  contract_name: {
    type: 'text',
    zh: '商品名稱(契約名稱)',
    doc: 'Name of the contract, as published. The contract 臺股期貨(TX+MTX/4) counts four mini contracts as one contract.',
    docZh: '依原表的名稱；臺股期貨(TX+MTX/4) 以四口小型契約折算一口。',
  },
  contract_month: {
    type: 'text',
    zh: '到期月份(週別)',
    doc: 'Expiry: 999999 for all expiries together, 666666 for all weekly expiries together, or the nearest month, for example 202302.',
    docZh: '999999 為所有契約合計，666666 為所有週到期契約合計，其餘為近月契約，例如 202302。',
  },
  trader_type: {
    type: 'text',
    zh: '交易人類別',
    doc: 'Group of traders: all (the largest traders of any kind) or institutions (the institutional investors, 特定法人, among these largest traders).',
    docZh: 'all 為全部交易人，institutions 為其中屬於特定法人者。',
  },
  top5_buy: position('前五大交易人買方', 'Long positions of the five largest traders. Null if not published.', '前五大交易人買方部位。'),
  top5_sell: position('前五大交易人賣方', 'Short positions of the five largest traders. Null if not published.', '前五大交易人賣方部位。'),
  top10_buy: position('前十大交易人買方', 'Long positions of the ten largest traders. Null if not published.', '前十大交易人買方部位。'),
  top10_sell: position('前十大交易人賣方', 'Short positions of the ten largest traders. Null if not published.', '前十大交易人賣方部位。'),
  market_open_interest: position(
    '全市場未沖銷部位數',
    'Open interest of the whole market, without contracts that expire on this day. Null if not published.',
    '全市場未沖銷部位數，不含當日到期的月份。',
  ),
} as const

/** Open interest without expiring contracts, whose settlement price is 0. */
const OPEN_INTEREST = { open_interest: 'coalesce(sum(open_interest) FILTER (settlement_price <> 0), 0)' }
/** TX, TE and TF are excluded, because they include mini contracts (`+` in the name). */
const COMPARED = "t.contract_month = '999999' AND t.trader_type = 'all' AND NOT contains(t.contract_name, '+')"

const compared = (kind: 'futures' | 'options', isStock: boolean): Reconciliation => {
  const types = kind === 'options' ? { option_type: 'option_type' } : {}
  const code = isStock ? 'left(contract, 2)' : 'contract'
  return {
    method: `open_interest_of_${isStock ? 'stock_' : ''}${kind}`,
    doc: `Compares the open interest of all expiries together with the sum of open interest in ${kind}-daily${isStock ? ', for contracts on one stock' : ''}.`,
    docZh: `將所有契約合計的未沖銷部位數與「${kind === 'futures' ? '期貨' : '選擇權'}每日交易行情」的加總比對${isStock ? '（股票類契約）' : ''}。`,
    source: 'taifex_daily_report',
    over: 'release',
    against: {
      dataset: `${kind}-daily`,
      on: { trade_date: 't.trade_date', contract: 't.contract', ...(kind === 'options' ? { option_type: 't.instrument' } : {}) },
      sums: { by: { trade_date: 'trade_date', contract: code, ...types }, take: OPEN_INTEREST },
    },
    holds: `CASE WHEN ${COMPARED} AND (t.instrument = 'futures') = ${kind === 'futures'} AND (length(t.contract) = 2) = ${isStock} THEN t.market_open_interest = o.open_interest END`,
  }
}

export default defineDataset({
  slug: 'large-traders',
  id: 'large_traders',
  title: 'Open interest of large traders',
  titleZh: '大額交易人未沖銷部位結構',
  family: 'capital_flows',
  description:
    'Positions of the five and of the ten largest traders in each TAIFEX contract per trading day, with the open interest of the whole market.',
  descriptionZh: '期交所各契約每個交易日前五大與前十大交易人的部位，以及全市場未沖銷部位數。',
  access: { plan: 'pro', credits: 1 },
  status: 'verified',
  version: '1.0.0',
  columns: COLUMNS,
  grain: ['contract', 'trade_date', 'instrument', 'contract_month', 'trader_type'],
  key: 'contract',
  date: 'trade_date',
  publish: { mode: 'merge', slice: ['instrument', 'trade_date'] },
  completeness: { severity: 'warning' },
  rules: [
    {
      name: 'known_instrument',
      column: 'instrument',
      values: ['futures', 'call', 'put'],
      doc: 'The instrument is futures, call or put.',
      docZh: '商品別為期貨、買權或賣權。',
    },
    {
      name: 'ten_hold_no_less_than_five',
      holds: 'top5_buy <= top10_buy AND top5_sell <= top10_sell',
      doc: 'The ten largest traders hold at least as much as the five largest.',
      docZh: '前十大交易人的部位不少於前五大。',
    },
    {
      name: 'within_the_market',
      holds: 'top10_buy <= market_open_interest AND top10_sell <= market_open_interest',
      doc: 'The positions of a group do not exceed the open interest of the whole market.',
      docZh: '任一類交易人的部位不超過全市場。',
    },
  ],
  reconcile: [compared('futures', false), compared('futures', true), compared('options', false), compared('options', true)],
  filters: {
    contract: { ...CONTRACTS, example: 'TX' },
    instrument: {
      column: 'instrument',
      op: 'eq',
      values: ['futures', 'call', 'put'],
      example: 'futures',
      doc: 'Type of contract to return: `futures`, `call` or `put`.',
    },
    contract_month: {
      column: 'contract_month',
      op: 'eq',
      example: '999999',
      doc: 'Expiry to return. The value 999999 is the total of all expiries.',
    },
    trader_type: { column: 'trader_type', op: 'eq', values: ['all', 'institutions'], example: 'all', doc: 'Group of traders to return.' },
    ...TRADING_DAYS,
  },
  order: [
    ['trade_date', 'desc'],
    ['contract', 'asc'],
  ],
  sortable: ['trade_date'],
  envelope: { kind: 'B', fieldGroup: 'large_traders', view: 'daily_time_series' },
  lineage: {
    ...TAIFEX,
    families: ['taifex_large_traders'],
    semantics: 'positions_of_large_traders_by_contract_and_day',
    selected: 'taifex_open_interest_of_large_traders',
    notes: ['month_999912_of_open_data_is_stored_as_999999'],
    url: 'https://www.taifex.com.tw/cht/3/largeTraderFutQry',
  },
  knownGaps: { website_needs_consent: SITE_OF_TAIFEX },
  warnings: ['not_investment_advice'],
  cadence: { every: 'trading_day', expectedAt: '17:00' },
  coverage: { markets: ['TAIFEX'], delisted: true, scope: 'large_trader_positions', type: 'daily_time_series' },
  sample: 'trading_days',
  example: exampleRows(
    COLUMNS,
    ['TX', '2026-06-30', 'futures', '臺股期貨(TX+MTX/4)', '999999', 'all', 75_000, 55_000, 82_000, 75_000, 112_000],
    ['TX', '2026-06-30', 'futures', '臺股期貨(TX+MTX/4)', '999999', 'institutions', 75_000, 55_000, 79_000, 74_000, 112_000],
  ),
})
