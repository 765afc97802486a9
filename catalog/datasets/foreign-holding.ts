import { defineDataset, MARKET, SECURITY_ON_DAY, TICKERS, TRADING_DAYS } from '../schema/index.ts'

const shares = (zh: string, doc: string, docZh: string) => ({ type: 'integer', unit: 'shares', zh, doc, docZh }) as const
const percent = (zh: string, doc: string, docZh: string) => ({ type: 'number', unit: 'percent', zh, doc, docZh }) as const
const EITHER = { nullable: true, mayNotApply: true } as const

export default defineDataset({
  slug: 'foreign-holding',
  id: 'foreign_holding',
  title: 'Foreign holdings',
  titleZh: '外資及陸資持股',
  family: 'capital_flows',
  description:
    'Shares of each security that foreign and mainland Chinese investors hold at the end of each trading day. Includes the shares still available to these investors and their legal limits.',
  descriptionZh: '外資及陸資於各交易日終了時的持股，含尚可投資股數與法令投資上限。',
  access: { plan: 'pro', credits: 1 },
  status: 'verified',
  version: '1.0.0',
  columns: {
    ...SECURITY_ON_DAY,
    name: {
      type: 'text',
      zh: '證券名稱',
      doc: 'Short name of the security on the trading day, without extra spaces.',
      docZh: '當日的證券簡稱，已去除多餘空白。',
    },
    isin: {
      type: 'text',
      ...EITHER,
      zh: '國際證券編碼',
      doc: 'ISIN of the security. Null for TPEx, which publishes no ISIN.',
      docZh: '證券的國際證券編碼（ISIN）；僅證交所公布。',
    },
    issued_shares: shares('發行股數', 'Number of shares issued.', '已發行股數。'),
    available_shares: shares(
      '尚可投資股數',
      'Number of shares that foreign and mainland Chinese investors may still buy.',
      '外資及陸資尚可買進的股數。',
    ),
    held_shares: shares(
      '全體外資及陸資持有股數',
      'Number of shares that foreign and mainland Chinese investors own.',
      '外資及陸資持有的股數。',
    ),
    available_pct: percent(
      '尚可投資比率',
      'Shares still available as a percentage of issued shares, truncated to two decimals.',
      '尚可投資股數占發行股數的百分比，無條件捨去至小數第二位。',
    ),
    held_pct: percent(
      '持股比率',
      'Shares owned by foreign and mainland Chinese investors as a percentage of issued shares, truncated to two decimals.',
      '持有股數占發行股數的百分比，無條件捨去至小數第二位。',
    ),
    foreign_limit_pct: percent(
      '法令投資上限比率',
      'Legal limit for foreign and mainland Chinese investors together, as a percentage of issued shares.',
      '外資及陸資合計的法令投資上限，以發行股數的百分比表示。',
    ),
    mainland_limit_pct: {
      ...percent(
        '陸資法令投資上限比率',
        'Legal limit for mainland Chinese investors, as a percentage of issued shares. Null if not published.',
        '陸資的法令投資上限，以發行股數的百分比表示；報表未載時為空值。',
      ),
      ...EITHER,
    },
    change_reason: {
      type: 'text',
      ...EITHER,
      zh: '與前日異動原因',
      doc: 'Code of the reason for a change other than trading: 2 (new report by the company), 3 (other), 4 (depositary receipts) or 5 (conversions). Null if only trading changed the holding.',
      docZh: '買賣以外的持股異動原因：2 公司重新申報、3 其他原因、4 存託憑證、5 轉換；只因買賣而異動時為空值。',
    },
    reported_on: {
      type: 'date',
      ...EITHER,
      zh: '最近一次申報異動日期',
      doc: 'Last date on which the company reported the holding. Null if the company never reported a holding.',
      docZh: '公司最近一次申報持股的日期；從未申報時為空值。',
    },
  },
  grain: ['ticker', 'trade_date'],
  key: 'ticker',
  date: 'trade_date',
  publish: { mode: 'merge', slice: ['market', 'trade_date'] },
  completeness: { severity: 'warning' },
  rules: [
    {
      name: 'known_market',
      column: 'market',
      values: ['TWSE', 'TPEX'],
      doc: 'The market is TWSE or TPEX.',
      docZh: '市場為 TWSE 或 TPEX。',
    },
    {
      name: 'nothing_negative',
      column: ['issued_shares', 'available_shares', 'held_shares', 'available_pct', 'held_pct', 'foreign_limit_pct', 'mainland_limit_pct'],
      min: 0,
      doc: 'Shares and percentages are not negative.',
      docZh: '股數與比率不為負數。',
    },
    {
      name: 'no_more_than_issued',
      column: ['available_pct', 'held_pct', 'foreign_limit_pct', 'mainland_limit_pct'],
      max: 100,
      severity: 'acceptable',
      doc: 'Holdings do not exceed issued shares.',
      docZh: '持股不超過發行股數。',
    },
    {
      name: 'known_isin',
      column: 'isin',
      pattern: '[A-Z]{2}[A-Z0-9]{9}\\d',
      doc: 'The ISIN has twelve characters. The first two are letters, and the last is a digit.',
      docZh: 'ISIN 為十二個字元，前兩個為英文字母，最後一個為數字。',
    },
  ],
  reconcile: [
    {
      method: 'printed_ratio',
      doc: 'Divides held_shares and available_shares by issued_shares, truncates the percentages to two decimals, and compares them with the published percentages. Rows without issued shares cannot be compared.',
      docZh: '以股數除以發行股數，無條件捨去至小數第二位，與公布的兩項比率比對；沒有發行股數時無法比對。',
      source: 'exchange_printed_ratio',
      over: 'received',
      holds:
        'CASE WHEN issued_shares > 0 THEN abs(held_pct - floor(held_shares * 10000.0 / issued_shares) / 100) < 0.001 AND abs(available_pct - floor(available_shares * 10000.0 / issued_shares) / 100) < 0.001 END',
    },
  ],
  filters: {
    symbol: TICKERS,
    market: MARKET,
    ...TRADING_DAYS,
  },
  fields: [
    {
      time: 'series',
      entity: 'company',
      id: 'ticker',
      date: 'trade_date',
      of: 'the latest trading day',
      ofZh: '最近一個交易日',
      names: {
        'foreign_holding.held_shares': 'held_shares',
        'foreign_holding.held_pct': 'held_pct',
        'foreign_holding.available_shares': 'available_shares',
        'foreign_holding.available_pct': 'available_pct',
        'foreign_holding.issued_shares': 'issued_shares',
        'foreign_holding.limit_pct': 'foreign_limit_pct',
        'foreign_holding.mainland_limit_pct': 'mainland_limit_pct',
      },
    },
  ],
  order: [
    ['trade_date', 'desc'],
    ['ticker', 'asc'],
  ],
  sortable: ['trade_date'],
  search: [{ type: 'symbol', id: 'ticker', title: ['name'], market: 'market', rank: 3, param: 'symbol' }],
  envelope: { kind: 'B', fieldGroup: 'foreign_holding', view: 'daily_time_series' },
  lineage: {
    families: ['twse_mi_qfiis', 'tpex_foreign_holding'],
    semantics: 'shares_held_by_foreign_and_mainland_investors',
    role: 'canonical',
    selected: 'exchange_foreign_holding_reports',
    fallbacks: [],
    notes: ['percentages_are_cut_off_not_rounded'],
    url: 'https://www.twse.com.tw/zh/trading/foreign/mi-qfiis.html',
    attribution: 'Taiwan Stock Exchange; Taipei Exchange',
    attributionZh: '臺灣證券交易所、證券櫃檯買賣中心',
  },
  knownGaps: {
    isin_of_twse_only: {
      en: 'TPEx publishes no ISIN, so isin is null for TPEx securities.',
      zh: '櫃買中心不公布國際證券編碼，因此上櫃證券的 isin 為空值。',
    },
    tpex_pages_of_past_days_may_lack_securities_delisted_since: {
      en: 'TPEx creates the report of a past day from its current list of securities. A report that was fetched late may lack securities delisted in the meantime.',
      zh: '櫃買中心以目前的證券清單產生過去日期的報表；較晚取得的日期可能缺少其後下櫃的證券。',
    },
    issued_shares_may_lead_those_of_other_reports: {
      en: 'The number of issued shares of a fund may be one day newer than in other reports.',
      zh: '基金的發行單位數可能比其他報表早一日更新。',
    },
  },
  warnings: ['not_investment_advice'],
  cadence: { every: 'trading_day', expectedAt: '20:00' },
  coverage: { markets: ['TWSE', 'TPEX'], delisted: true, scope: 'foreign_shareholding', type: 'daily_time_series' },
  example: [
    row('2026-06-30', ['TW0002330008', null, '2026-05-26'], [25_932_370_067, 7_992_401_606, 17_939_968_461], [30.82, 69.17, 100, 100]),
    row('2026-06-29', ['TW0002330008', '4', '2026-05-26'], [25_932_370_067, 7_990_000_000, 17_942_370_067], [30.81, 69.18, 100, 100]),
  ],
})

function row(
  day: string,
  [isin, reason, reported]: readonly (string | null)[],
  [issued, available, held]: readonly number[],
  [availablePct, heldPct, limit, mainland]: readonly number[],
) {
  return {
    ticker: '2330',
    market: 'TWSE',
    trade_date: day,
    name: '台積電',
    isin,
    issued_shares: issued,
    available_shares: available,
    held_shares: held,
    available_pct: availablePct,
    held_pct: heldPct,
    foreign_limit_pct: limit,
    mainland_limit_pct: mainland,
    change_reason: reason,
    reported_on: reported,
  }
}
