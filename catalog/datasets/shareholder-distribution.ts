import { defineDataset, TICKERS } from '../schema/index.ts'

/** Lower bound of each bracket, in shares. Levels 16 and 17 are not brackets. */
const FROM = [
  1, 1_000, 5_001, 10_001, 15_001, 20_001, 30_001, 40_001, 50_001, 100_001, 200_001, 400_001, 600_001, 800_001, 1_000_001,
] as const

/** Upper bound of each bracket, in shares. The last bracket has none. */
const TO = [999, 5_000, 10_000, 15_000, 20_000, 30_000, 40_000, 50_000, 100_000, 200_000, 400_000, 600_000, 800_000, 1_000_000] as const

const IN_BRACKETS = 't.level <= 15'

export default defineDataset({
  slug: 'shareholder-distribution',
  id: 'shareholder_distribution',
  title: 'Shareholder distribution',
  titleZh: '集保戶股權分散表',
  family: 'capital_flows',
  description:
    'Weekly distribution of a security’s shares in central custody: holders, shares and percentage for each of 15 holding levels. Level 16 is the published difference from issued shares. Level 17 is the published total.',
  descriptionZh:
    '各證券送存集保的股份每週在股東間的分布：15 個持股分級的人數、股數與比例；第 16 級為公布的差異數調整，第 17 級為公布的合計。',
  access: { plan: 'pro', credits: 2 },
  status: 'verified',
  version: '1.0.0',
  columns: {
    ticker: {
      type: 'text',
      zh: '證券代號',
      doc: 'Code of the security. Letters and leading zeros are preserved. Codes that start with Y are unlisted securities.',
      docZh: '證券代號，保留英文字母與前導零；Y 開頭者為未在任何市場掛牌的證券。',
    },
    week_date: {
      type: 'date',
      zh: '資料日期',
      doc: 'Last trading day of the week. Holdings are as of the end of this day.',
      docZh: '當週最後一個交易日；持股以該日終了為準。',
    },
    level: {
      type: 'integer',
      zh: '持股分級',
      doc: 'Holding level. Levels 1 to 15 are ordered from the smallest to the largest holdings. Level 16 is the difference from issued shares. Level 17 is the total.',
      docZh: '持股分級：1 至 15 由小到大，16 為與發行股數的差異數調整，17 為合計。',
    },
    bracket: {
      type: 'text',
      zh: '持股分級說明',
      doc: 'Range of shares per holder at this level, for example 1000-5000. Level 15 has over-1000000, level 16 has difference, and level 17 has total.',
      docZh: '分級的股數範圍，例如 1000-5000；第 15 級為 over-1000000，第 16 級為 difference，第 17 級為 total。',
      virtual: `CASE ${FROM.map((from, at) => `WHEN level = ${at + 1} THEN '${TO[at] === undefined ? `over-${from - 1}` : `${from}-${TO[at]}`}'`).join(' ')} WHEN level = 16 THEN 'difference' WHEN level = 17 THEN 'total' END`,
    },
    shares_from: {
      type: 'integer',
      unit: 'shares',
      nullable: true,
      mayNotApply: true,
      zh: '持股數下限',
      doc: 'Minimum shares per holder at this level. Null for levels 16 and 17.',
      docZh: '該級股東持股的最低股數；第 16、17 級為空值。',
      virtual: `CASE ${FROM.map((from, at) => `WHEN level = ${at + 1} THEN ${from}`).join(' ')} END::BIGINT`,
    },
    shares_to: {
      type: 'integer',
      unit: 'shares',
      nullable: true,
      mayNotApply: true,
      zh: '持股數上限',
      doc: 'Maximum shares per holder at this level. Null for levels 15, 16 and 17.',
      docZh: '該級股東持股的最高股數；第 15、16、17 級為空值。',
      virtual: `CASE ${TO.map((to, at) => `WHEN level = ${at + 1} THEN ${to}`).join(' ')} END::BIGINT`,
    },
    holders: {
      type: 'integer',
      zh: '人數',
      doc: 'Number of holders at this level. Level 17 is the total of levels 1 to 15. At level 16, the value is not a number of holders.',
      docZh: '該級的人數；第 17 級為第 1 至 15 級的合計，第 16 級為標記，並非人數。',
    },
    shares: {
      type: 'integer',
      unit: 'shares',
      zh: '股數',
      doc: 'Number of shares held at this level. Level 17 is the sum of levels 1 to 15 minus level 16.',
      docZh: '該級股東持有的股數。第 17 級為第 1 至 15 級的合計減去第 16 級。',
    },
    percent: {
      type: 'number',
      unit: 'percent',
      zh: '占集保庫存數比例%',
      doc: 'Shares as a percentage of level 17, as published: truncated to two decimals, not rounded.',
      docZh: '股數占第 17 級的百分比，依原表所載：無條件捨去至小數第二位，未四捨五入。',
    },
  },
  grain: ['ticker', 'week_date', 'level'],
  key: 'ticker',
  date: 'week_date',
  publish: { mode: 'merge', slice: ['week_date'] },
  rules: [
    { name: 'known_level', column: 'level', min: 1, max: 17, doc: 'Levels are numbered from 1 to 17.', docZh: '分級編號為 1 至 17。' },
    { name: 'holders_not_negative', column: 'holders', min: 0, doc: 'The number of holders is not negative.', docZh: '人數不為負數。' },
    {
      name: 'shares_not_negative',
      holds: 'shares >= 0 OR level = 16',
      doc: 'The number of shares is not negative. Only level 16 (difference) may be negative.',
      docZh: '除第 16 級的差異數外，持有股數不為負數。',
    },
    {
      name: 'percent_of_a_whole',
      column: 'percent',
      max: 100,
      severity: 'acceptable',
      doc: 'The percentage of a level is at most 100.',
      docZh: '任何分級的持股不超過合計。',
    },
  ],
  reconcile: [
    {
      method: 'levels_add_up',
      doc: 'Compares the published total (level 17) with the sum of levels 1 to 15. For shares, level 16 is subtracted from the sum. Securities without a total cannot be compared.',
      docZh: '將第 1 至 15 級加總，與公布的第 17 級合計比對；股數另減去第 16 級。沒有合計的證券無法比對。',
      source: 'tdcc_printed_total',
      over: 'received',
      holds:
        `max(CASE WHEN t.level = 17 THEN t.shares END) OVER own = sum(CASE WHEN ${IN_BRACKETS} THEN t.shares WHEN t.level = 16 THEN -t.shares END) OVER own
        AND max(CASE WHEN t.level = 17 THEN t.holders END) OVER own = sum(CASE WHEN ${IN_BRACKETS} THEN t.holders END) OVER own`.replaceAll(
          'OVER own',
          'OVER (PARTITION BY t.ticker, t.week_date)',
        ),
    },
    {
      method: 'percent_of_total',
      doc: 'Compares the published percentage of a level with the shares of the level divided by the shares of level 17. The values match if the published percentage is the computed percentage truncated to two decimals. Securities without shares cannot be compared.',
      docZh: '以各級股數除以第 17 級股數，無條件捨去至小數第二位，與公布的百分比比對：相等即為相符。沒有股數的證券無法比對。',
      source: 'tdcc_printed_percent',
      over: 'received',
      holds:
        'abs(round(100 * t.percent) - trunc(10000 * t.shares::DOUBLE / nullif(max(CASE WHEN t.level = 17 THEN t.shares END) OVER (PARTITION BY t.ticker, t.week_date), 0))) < 0.5',
    },
  ],
  filters: {
    symbol: TICKERS,
    level: {
      column: 'level',
      op: 'in',
      max: 17,
      pattern: '\\d{1,2}',
      example: '15',
      doc: 'Levels to return, separated by commas. Level 15 has the holders of more than one million shares. Level 17 is the total.',
    },
    start_date: { column: 'week_date', op: 'from', doc: 'First day to return, inclusive.', example: '2026-01-01' },
    end_date: { column: 'week_date', op: 'to', doc: 'Last day to return, inclusive.', example: '2026-06-30' },
  },
  fields: [
    {
      time: 'series',
      entity: 'company',
      id: 'ticker',
      date: 'week_date',
      rows: { column: 'level', equals: 17 },
      of: 'the latest week, all holders',
      ofZh: '最近一週，全體股東',
      names: { 'shareholders.holders': 'holders', 'shareholders.shares': 'shares' },
    },
    {
      time: 'series',
      entity: 'company',
      id: 'ticker',
      date: 'week_date',
      rows: { column: 'level', equals: 15 },
      of: 'the latest week, holders of more than 1,000,000 shares',
      ofZh: '最近一週，持股超過 1,000,000 股的股東',
      names: {
        'large_shareholders.holders': 'holders',
        'large_shareholders.shares': 'shares',
        'large_shareholders.percent': 'percent',
      },
    },
    {
      time: 'series',
      entity: 'company',
      id: 'ticker',
      date: 'week_date',
      rows: { column: 'level', equals: 1 },
      of: 'the latest week, holders of less than one lot (1,000 shares)',
      ofZh: '最近一週，持股未滿一張（1,000 股）的股東',
      names: { 'odd_lot_shareholders.holders': 'holders', 'odd_lot_shareholders.shares': 'shares' },
    },
  ],
  order: [
    ['week_date', 'desc'],
    ['ticker', 'asc'],
    ['level', 'asc'],
  ],
  sortable: ['week_date', 'level'],
  search: [{ type: 'symbol', id: 'ticker', param: 'symbol' }],
  envelope: { kind: 'B', fieldGroup: 'ownership', view: 'weekly_series' },
  lineage: {
    families: ['tdcc_open_data'],
    semantics: 'holders_and_shares_by_size_of_holding_and_week',
    role: 'canonical',
    selected: 'tdcc_shareholder_distribution',
    fallbacks: [],
    notes: ['level_17_is_levels_1_to_15_less_level_16', 'percent_is_cut_off_not_rounded'],
    url: 'https://opendata.tdcc.com.tw/getOD.ashx?id=1-5',
    attribution: 'Taiwan Depository & Clearing Corporation',
    attributionZh: '臺灣集中保管結算所',
  },
  knownGaps: {
    only_the_newest_week_is_published_so_missed_weeks_are_lost: {
      en: 'The depository publishes the latest week only. A missed week cannot be fetched later.',
      zh: '集保結算所只公布最新一週；錯過的週次無法補取。',
    },
    shares_outside_custody_are_not_counted: {
      en: 'Shares outside central custody are not included in any level.',
      zh: '未送存集保的股份不計入任何分級。',
    },
    published_a_day_or_more_after_the_week: {
      en: 'A week is published one day or more after its last trading day.',
      zh: '每週資料最早於該週最後一個交易日的次日公布。',
    },
  },
  warnings: ['not_investment_advice'],
  cadence: { every: 'week', weekday: 6, expectedAt: '18:00' },
  coverage: { markets: ['TWSE', 'TPEX'], delisted: true, scope: 'shareholder_distribution', type: 'weekly_time_series' },
  example: [
    row('2026-06-26', 1, ['1-999', 1, 999], [900_000, 180_000_000, 0.69]),
    row('2026-06-26', 15, ['over-1000000', 1_000_001, null], [1_500, 22_000_000_000, 84.85]),
    row('2026-06-26', 16, ['difference', null, null], [0, 0, 0]),
    row('2026-06-26', 17, ['total', null, null], [1_300_000, 25_925_000_000, 100]),
    row('2026-06-18', 17, ['total', null, null], [1_298_000, 25_925_000_000, 100]),
  ],
})

function row(
  week: string,
  level: number,
  [bracket, from, to]: readonly [string, number | null, number | null],
  [holders, shares, percent]: readonly [number, number, number],
) {
  return { ticker: '2330', week_date: week, level, bracket, shares_from: from, shares_to: to, holders, shares, percent }
}
