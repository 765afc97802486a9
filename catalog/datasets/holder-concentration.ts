import { defineDataset, SECURITY, TICKERS } from '../schema/index.ts'

/** Pairs of a limit in lots (1,000 shares) and the lowest level above the limit. */
const LARGE = [
  [400, 12],
  [1_000, 15],
] as const

const figures = LARGE.map(
  ([lots, level]) =>
    `(sum(holders) FILTER (level BETWEEN ${level} AND 15))::BIGINT AS holders_${lots}, (sum(shares) FILTER (level BETWEEN ${level} AND 15))::BIGINT AS shares_${lots}`,
)
const shares = LARGE.map(([lots]) => `round(100 * shares_${lots} / nullif(total_shares, 0), 4) AS percent_${lots}`)

export default defineDataset({
  slug: 'holder-concentration',
  id: 'holder_concentration',
  title: 'Holder concentration',
  titleZh: '大股東持股集中度',
  family: 'capital_flows',
  description:
    'Large holders of each security per week. Has the number of holders of more than 400 lots and of more than 1,000 lots, the number of their shares, and the percentage of all shares in custody. One lot is 1,000 shares. Computed from shareholder-distribution.',
  descriptionZh: '各證券每週持股超過 400 張與超過 1,000 張的股東人數、股數與占集保股數比例，由集保戶股權分散表計算。',
  access: { plan: 'pro', credits: 1 },
  status: 'verified',
  version: '1.0.0',
  columns: {
    ticker: SECURITY.ticker,
    week_date: { type: 'date', zh: '資料日期', doc: 'Last trading day of the week.', docZh: '當週最後一個交易日。' },
    holders_400: holders(400),
    shares_400: held(400),
    percent_400: percent(400),
    holders_1000: holders(1_000),
    shares_1000: held(1_000),
    percent_1000: percent(1_000),
    total_holders: {
      type: 'integer',
      zh: '總股東人數',
      doc: 'Total number of holders of the security, as published.',
      docZh: '總股東人數。',
    },
    total_shares: {
      type: 'integer',
      unit: 'shares',
      zh: '集保總股數',
      doc: 'Number of shares in central custody, as published.',
      docZh: '公布的集保股數合計。',
    },
  },
  grain: ['ticker', 'week_date'],
  key: 'ticker',
  date: 'week_date',
  publish: { mode: 'merge' },
  from: {
    inputs: ['shareholder-distribution'],
    by: 'day',
    sql: `
      SELECT *, ${shares.join(', ')} FROM (
        SELECT ticker, week_date, ${figures.join(', ')},
          max(holders) FILTER (level = 17) AS total_holders, max(shares) FILTER (level = 17) AS total_shares
        FROM shareholder_distribution GROUP BY ticker, week_date)
      WHERE total_shares IS NOT NULL`,
  },
  rules: [
    {
      name: 'larger_holders_are_among_large_ones',
      holds: 'holders_1000 <= holders_400 AND shares_1000 <= shares_400',
      doc: 'Figures for holders of more than 1,000 lots do not exceed figures for holders of more than 400 lots.',
      docZh: '持股超過 1,000 張者亦超過 400 張。',
    },
    {
      name: 'shares_not_negative',
      column: ['shares_400', 'shares_1000', 'total_shares'],
      min: 0,
      doc: 'The number of shares is not negative.',
      docZh: '股數不為負數。',
    },
  ],
  filters: {
    symbol: TICKERS,
    start_date: { column: 'week_date', op: 'from', doc: 'First day to return, inclusive.', example: '2026-01-01' },
    end_date: { column: 'week_date', op: 'to', doc: 'Last day to return, inclusive.', example: '2026-06-30' },
  },
  order: [
    ['week_date', 'desc'],
    ['ticker', 'asc'],
  ],
  sortable: ['week_date'],
  envelope: { kind: 'A', scope: 'holder_concentration', coverage: 'weekly_time_series' },
  lineage: {
    families: ['tdcc_open_data'],
    semantics: 'large_holders_by_security_and_week',
    role: 'derived',
    selected: 'computed_from_shareholder_distribution',
    fallbacks: [],
    notes: ['a_lot_has_1000_shares', 'percentages_of_shares_in_custody'],
    url: 'https://opendata.tdcc.com.tw/getOD.ashx?id=1-5',
    attribution: 'Taiwan Depository & Clearing Corporation',
    attributionZh: '臺灣集中保管結算所',
  },
  knownGaps: {
    holders_are_accounts: {
      en: 'The depository counts all accounts with the same identity as one holder. Related persons and holdings through other custodians count as separate holders.',
      zh: '集保依身分歸戶計算；關係人之持股與經由不同保管機構之持股並未合併。',
    },
    missed_weeks_are_lost: {
      en: 'The depository publishes the latest week only, so weeks that were not collected have no rows.',
      zh: '集保結算所只公布最新一週，未收錄的週次沒有資料列。',
    },
  },
  warnings: ['not_investment_advice'],
  cadence: { every: 'week', weekday: 6, expectedAt: '18:00' },
  coverage: { markets: ['TWSE', 'TPEX'], delisted: true },
  example: [
    row('2026-06-26', [1_500, 22_000_000_000, 84.8602], [1_500, 22_000_000_000, 84.8602], [1_300_000, 25_925_000_000]),
    row('2026-06-18', [null, null, null], [null, null, null], [1_298_000, 25_925_000_000]),
  ],
})

function holders(lots: number) {
  return {
    type: 'integer',
    nullable: true,
    zh: `${lots} 張以上人數`,
    doc: `Number of holders of more than ${lots} lots (1,000 shares each). Null if the source has only the total.`,
    docZh: `持股超過 ${lots} 張的人數；來源僅有合計時為空值。`,
  } as const
}

function held(lots: number) {
  return {
    type: 'integer',
    unit: 'shares',
    nullable: true,
    zh: `${lots} 張以上股數`,
    doc: `Shares of holders of more than ${lots} lots (1,000 shares each). Null if the source has only the total.`,
    docZh: `持股超過 ${lots} 張者的股數；來源僅有合計時為空值。`,
  } as const
}

function percent(lots: number) {
  return {
    type: 'number',
    unit: 'percent',
    nullable: true,
    zh: `${lots} 張以上比例`,
    doc: `Shares of holders of more than ${lots} lots as a percentage of total_shares, rounded to four decimals. Null if the source has only the total.`,
    docZh: `持股超過 ${lots} 張者占集保總股數的百分比，四捨五入至小數第四位；來源僅有合計時為空值。`,
  } as const
}

type Figures = readonly [holders: number | null, shares: number | null, percent: number | null]

function row(week: string, large: Figures, larger: Figures, [total_holders, total_shares]: readonly number[]) {
  return {
    ticker: '2330',
    week_date: week,
    holders_400: large[0],
    shares_400: large[1],
    percent_400: large[2],
    holders_1000: larger[0],
    shares_1000: larger[1],
    percent_1000: larger[2],
    total_holders,
    total_shares,
  }
}
