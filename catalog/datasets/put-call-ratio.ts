import { defineDataset, exampleRows, SITE_OF_TAIFEX, TAIFEX, TRADE_DATE, TRADING_DAYS } from '../schema/index.ts'

const COUNT = { type: 'integer', unit: 'contracts' } as const

const COLUMNS = {
  contract: { type: 'text', zh: '契約', doc: 'Code of the contract: always TXO, the options on the TAIEX.', docZh: '臺指選擇權（TXO）。' },
  ...TRADE_DATE,
  put_volume: {
    ...COUNT,
    zh: '賣權成交量',
    doc: 'Number of puts traded in the regular and after-hours sessions together.',
    docZh: '一般與盤後兩個時段合計的賣權成交口數。',
  },
  call_volume: {
    ...COUNT,
    zh: '買權成交量',
    doc: 'Number of calls traded in the regular and after-hours sessions together.',
    docZh: '一般與盤後兩個時段合計的買權成交口數。',
  },
  volume_ratio: {
    type: 'number',
    unit: 'percent',
    zh: '買賣權成交量比率%',
    doc: 'put_volume as a percentage of call_volume.',
    docZh: '賣權成交量占買權成交量的百分比。',
  },
  put_open_interest: {
    ...COUNT,
    zh: '賣權未平倉量',
    doc: 'Open interest in puts, without contracts that expire on this day.',
    docZh: '賣權未平倉口數，不含當日到期的月份。',
  },
  call_open_interest: {
    ...COUNT,
    zh: '買權未平倉量',
    doc: 'Open interest in calls, without contracts that expire on this day.',
    docZh: '買權未平倉口數，不含當日到期的月份。',
  },
  open_interest_ratio: {
    type: 'number',
    unit: 'percent',
    zh: '買賣權未平倉量比率%',
    doc: 'put_open_interest as a percentage of call_open_interest.',
    docZh: '賣權未平倉量占買權未平倉量的百分比。',
  },
} as const

const DAY = { trade_date: 't.trade_date', contract: 't.contract' }
const OF_DAY = { trade_date: 'trade_date', contract: 'contract' }

export default defineDataset({
  slug: 'put-call-ratio',
  id: 'put_call_ratio',
  title: 'Put/call ratio of TAIEX options',
  titleZh: '臺指選擇權買賣權比',
  family: 'market_structure',
  description: 'Volume and open interest of puts and calls on the TAIEX per trading day, with the ratios of puts to calls.',
  descriptionZh: '臺指選擇權每個交易日的賣權與買權成交量、未平倉量及其比率。',
  access: { plan: 'pro', credits: 1 },
  status: 'verified',
  version: '1.0.0',
  columns: COLUMNS,
  grain: ['contract', 'trade_date'],
  key: 'contract',
  date: 'trade_date',
  publish: { mode: 'merge', slice: ['trade_date'] },
  completeness: { severity: 'warning' },
  rules: [
    {
      name: 'volume_ratio_of_volumes',
      column: 'volume_ratio',
      equals: '100 * put_volume / nullif(call_volume, 0)',
      tolerance: 0.0051,
      doc: 'volume_ratio equals put_volume divided by call_volume, in percent, rounded to two decimals.',
      docZh: '比率為成交量之比，四捨五入至小數二位。',
    },
    {
      name: 'open_interest_ratio_of_positions',
      column: 'open_interest_ratio',
      equals: '100 * put_open_interest / nullif(call_open_interest, 0)',
      tolerance: 0.0051,
      doc: 'open_interest_ratio equals put_open_interest divided by call_open_interest, in percent, rounded to two decimals.',
      docZh: '比率為未平倉量之比，四捨五入至小數二位。',
    },
  ],
  reconcile: [
    {
      method: 'volume_of_options_daily',
      doc: 'Compares the volumes of puts and calls with the sums over both sessions in options-daily.',
      docZh: '將賣權與買權成交量與「選擇權每日交易行情」兩個時段的加總比對。',
      source: 'taifex_options_daily_report',
      over: 'release',
      against: {
        dataset: 'options-daily',
        on: DAY,
        sums: {
          by: OF_DAY,
          take: { puts: "sum(volume) FILTER (option_type = 'put')", calls: "sum(volume) FILTER (option_type = 'call')" },
        },
      },
      holds: 't.put_volume = o.puts AND t.call_volume = o.calls',
    },
    {
      method: 'open_interest_of_options_daily',
      doc: 'Compares the open interest of puts and calls with the sums in options-daily, without contracts that expire on this day.',
      docZh: '將賣權與買權未平倉量與「選擇權每日交易行情」不含當日到期月份的加總比對。',
      source: 'taifex_options_daily_report',
      over: 'release',
      against: {
        dataset: 'options-daily',
        on: DAY,
        sums: {
          by: OF_DAY,
          take: {
            puts: "sum(open_interest) FILTER (option_type = 'put' AND settlement_price <> 0)",
            calls: "sum(open_interest) FILTER (option_type = 'call' AND settlement_price <> 0)",
          },
        },
      },
      holds: 't.put_open_interest = o.puts AND t.call_open_interest = o.calls',
    },
  ],
  filters: { ...TRADING_DAYS },
  order: [['trade_date', 'desc']],
  sortable: ['trade_date'],
  envelope: { kind: 'B', fieldGroup: 'put_call_ratio', view: 'daily_time_series' },
  lineage: {
    ...TAIFEX,
    families: ['taifex_put_call_ratio'],
    semantics: 'put_call_ratio_by_day',
    selected: 'taifex_put_call_ratio',
    notes: ['ratios_are_the_exchanges_own'],
    url: 'https://www.taifex.com.tw/cht/3/pcRatio',
  },
  knownGaps: { website_needs_consent: SITE_OF_TAIFEX },
  warnings: ['not_investment_advice'],
  cadence: { every: 'trading_day', expectedAt: '16:00' },
  coverage: { markets: ['TAIFEX'], delisted: false, scope: 'taiex_options', type: 'daily_time_series' },
  sample: 'trading_days',
  example: exampleRows(COLUMNS, ['TXO', '2026-06-30', 170_000, 200_000, 85, 45_000, 44_000, 102.27]),
})
