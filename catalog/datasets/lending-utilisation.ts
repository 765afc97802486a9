import { defineDataset, MARKET, SECURITY_ON_DAY, TICKERS, TRADING_DAYS } from '../schema/index.ts'

const [BORROWED, ON_MARGIN, BOTH] = ['balance', 'margin_short_balance', '(balance + margin_short_balance)'] as const

const OR_NULL = { nullable: true, mayNotApply: true } as const

const percentOf = (shares: string, all: string): string => `round(100 * ${shares}::DOUBLE / nullif(${all}, 0), 4)`

export default defineDataset({
  slug: 'lending-utilisation',
  id: 'lending_utilisation',
  title: 'Lending utilisation',
  titleZh: '借券賣出使用率',
  family: 'capital_flows',
  description:
    'Short-sale ratios of each security per trading day, in percent: borrowed shares sold / limit of the day, balance of borrowed shares sold / issued shares, balance of short sales on margin / limit of short sales on margin, and both balances / issued shares.',
  descriptionZh: '各證券每個交易日的放空比率：借券賣出占當日限額與發行股數之比率、融券使用率，以及借券賣出與融券餘額合計占發行股數之比率。',
  access: { plan: 'pro', credits: 1 },
  status: 'verified',
  version: '1.0.0',
  columns: {
    ...SECURITY_ON_DAY,
    sold: shares('借券賣出當日賣出', 'Number of borrowed shares sold on the day.', '當日借券賣出的股數。'),
    day_limit: {
      ...shares(
        '當日可借券賣出限額',
        'Maximum number of borrowed shares that could be sold on the day, as published on the security’s previous trading day. Null if not published.',
        '當日可借券賣出的最高股數，取自該證券前一交易日的資料列；未公布時為空值。',
      ),
      ...OR_NULL,
    },
    limit_used_percent: percent('當日限額使用率', 'sold as a percentage of day_limit', 'sold 占 day_limit 的百分比'),
    borrowed_balance: shares(
      '借券賣出當日餘額',
      'Number of borrowed shares that were sold and not yet returned at the end of the day.',
      '當日終了借券賣出而尚未還券的股數。',
    ),
    borrowed_percent: percent(
      '借券賣出餘額比率',
      'borrowed_balance as a percentage of issued_shares',
      'borrowed_balance 占 issued_shares 的百分比',
    ),
    margin_short_balance: shares(
      '融券今日餘額',
      'Number of shares that were sold short on margin and not yet returned at the end of the day.',
      '當日終了融券賣出而尚未返還的股數。',
    ),
    margin_short_used_percent: percent(
      '融券使用率',
      'margin_short_balance as a percentage of the limit of short sales on margin',
      'margin_short_balance 占融券限額的百分比',
    ),
    issued_shares: {
      ...shares(
        '發行股數',
        'Number of shares issued, from the dataset foreign-holding. Null if not available.',
        '已發行股數，取自外資及陸資持股。',
      ),
      ...OR_NULL,
    },
    short_percent: percent(
      '放空餘額比率',
      'borrowed_balance and margin_short_balance together as a percentage of issued_shares',
      'borrowed_balance 與 margin_short_balance 合計占 issued_shares 的百分比',
    ),
  },
  grain: ['ticker', 'trade_date'],
  key: 'ticker',
  date: 'trade_date',
  publish: { mode: 'merge' },
  from: {
    inputs: ['securities-lending', 'foreign-holding'],
    by: 'key',
    lookback: { rows: 1 },
    sql: `
      SELECT ticker, market, trade_date, sold, day_limit, ${percentOf('sold', 'day_limit')} AS limit_used_percent,
        balance AS borrowed_balance, ${percentOf(BORROWED, 'issued_shares')} AS borrowed_percent,
        margin_short_balance, ${percentOf(ON_MARGIN, 'margin_short_limit')} AS margin_short_used_percent,
        issued_shares, ${percentOf(BOTH, 'issued_shares')} AS short_percent
      FROM (SELECT *, lag(next_day_limit) OVER (PARTITION BY ticker ORDER BY trade_date) AS day_limit FROM securities_lending)
      LEFT JOIN (SELECT ticker, trade_date, issued_shares FROM foreign_holding) USING (ticker, trade_date)`,
  },
  rules: [
    {
      name: 'nothing_negative',
      column: ['sold', 'borrowed_balance', 'margin_short_balance', 'limit_used_percent', 'borrowed_percent', 'short_percent'],
      min: 0,
      doc: 'Shares and percentages are not negative.',
      docZh: '股數與比率不為負數。',
    },
  ],
  filters: { symbol: TICKERS, market: MARKET, ...TRADING_DAYS },
  order: [
    ['trade_date', 'desc'],
    ['ticker', 'asc'],
  ],
  sortable: ['trade_date'],
  envelope: { kind: 'A', scope: 'short_sales_used', coverage: 'daily_time_series' },
  lineage: {
    families: ['twse_twt93u', 'tpex_margin_sbl', 'exchange_foreign_holdings'],
    semantics: 'short_sales_as_percentages_by_security_and_day',
    role: 'derived',
    selected: 'computed_from_securities_lending_and_foreign_holding',
    fallbacks: [],
    notes: ['limit_of_the_previous_row', 'issued_shares_of_the_foreign_holding_report', 'rounded_to_four_decimals'],
    url: 'https://www.twse.com.tw/zh/trading/margin/twt93u.html',
    attribution: 'Taiwan Stock Exchange; Taipei Exchange',
    attributionZh: '臺灣證券交易所、證券櫃檯買賣中心',
  },
  knownGaps: {
    lendable_shares_are_not_published: {
      en: 'Neither exchange publishes the number of lendable shares, so utilisation is measured against limits and issued shares.',
      zh: '兩市場均未公布可供出借的股數，因此以限額與發行股數計算使用率。',
    },
    issued_shares_arrive_with_another_report: {
      en: 'Percentages of issued shares are null until the dataset foreign-holding has rows for the day, and for securities that are not in foreign-holding.',
      zh: '占發行股數之比率於當日外資持股公布之前為空值；未列於該報表的證券亦為空值。',
    },
    sales_may_exceed_the_limit: {
      en: 'Sales include block trades and sales that are exempt from the limit, so limit_used_percent can exceed 100.',
      zh: '賣出含鉅額交易與不受限額規範者，limit_used_percent 可能超過 100。',
    },
  },
  warnings: ['not_investment_advice'],
  cadence: { every: 'trading_day', expectedAt: '23:30' },
  coverage: { markets: ['TWSE', 'TPEX'], delisted: true },
  example: [row('2026-06-30', [1_272_000, 0.2358], [25_932_370_067, 0.0828, 0.0836]), row('2026-06-29', [null, null], [null, null, null])],
})

function shares(zh: string, doc: string, docZh: string) {
  return { type: 'integer', unit: 'shares', zh, doc, docZh } as const
}

function percent(zh: string, doc: string, docZh: string) {
  return {
    type: 'number',
    unit: 'percent',
    ...OR_NULL,
    zh,
    doc: `${doc}, rounded to four decimals. Null if the denominator is missing or zero.`,
    docZh: `${docZh}，四捨五入至小數第四位；分母缺少或為零時為空值。`,
  } as const
}

function row(
  day: string,
  [day_limit, limit_used_percent]: readonly (number | null)[],
  [issued_shares, borrowed_percent, short_percent]: readonly (number | null)[],
) {
  return {
    ticker: '2330',
    market: 'TWSE',
    trade_date: day,
    sold: 3_000,
    day_limit,
    limit_used_percent,
    borrowed_balance: 21_472_000,
    borrowed_percent,
    margin_short_balance: 217_000,
    margin_short_used_percent: 0.0384,
    issued_shares,
    short_percent,
  }
}
