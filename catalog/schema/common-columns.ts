import type { Column, Unit } from './column.ts'

/** Identifies a security, as the exchanges publish it. */
export const SECURITY = {
  ticker: {
    type: 'text',
    zh: '證券代號',
    doc: 'Exchange code of the security. Letters and leading zeros are preserved.',
    docZh: '交易所的證券代號，保留英文字母與前導零。',
  },
  market: {
    type: 'text',
    zh: '市場',
    doc: 'TWSE for listed securities, TPEX for over-the-counter securities.',
    docZh: '上市證券為 TWSE，上櫃證券為 TPEX。',
  },
} as const satisfies Readonly<Record<string, Column>>

export const LISTED_SECURITY = {
  ticker: {
    type: 'text',
    zh: '有價證券代號',
    doc: 'Exchange code of the security. Letters and leading zeros are preserved.',
    docZh: '交易所的證券代號，保留英文字母與前導零。',
  },
  market: {
    type: 'text',
    zh: '市場別',
    doc: 'TWSE for listed securities, TPEX for over-the-counter securities.',
    docZh: '上市證券為 TWSE，上櫃證券為 TPEX。',
  },
  name: {
    type: 'text',
    zh: '有價證券名稱',
    doc: 'Short name of the security. Unicode compatibility characters are replaced by standard characters.',
    docZh: '簡稱，已將相容字元轉為標準字元。',
  },
  security_type: {
    type: 'text',
    nullable: true,
    zh: '有價證券別',
    doc: 'Security type as written in the source list, for example 股票 or ETF. Null if not in the list.',
    docZh: '清單所載的證券種類，例如股票或 ETF；清單未載時為空值。',
  },
  industry: {
    type: 'text',
    nullable: true,
    zh: '產業別',
    doc: 'Official name of the industry. Null if not in the source list.',
    docZh: '產業別的正式名稱；清單未載時為空值。',
  },
  isin: {
    type: 'text',
    nullable: true,
    zh: '國際證券編碼',
    doc: 'ISIN of the security. Null if not in the source list.',
    docZh: '國際證券編碼（ISIN）；清單未載時為空值。',
  },
  listed_on: {
    type: 'date',
    nullable: true,
    zh: '上市（櫃）日',
    doc: 'First trading day of the security on its market. Null if not in the source list.',
    docZh: '在所屬市場掛牌的第一日；清單未載時為空值。',
  },
  cfi: {
    type: 'text',
    nullable: true,
    zh: 'CFI 代碼',
    doc: 'ISO 10962 (CFI) code of the security type. Null if not in the source list.',
    docZh: '證券種類的 ISO 10962（CFI）代碼；清單未載時為空值。',
  },
  as_of_date: { type: 'date', zh: '資料基準日', doc: 'Date of the ISIN list.', docZh: '清單的基準日。' },
  source_name: {
    type: 'text',
    provenance: true,
    zh: '來源名稱',
    doc: 'Name of the list from which the row was read.',
    docZh: '資料所取自的清單。',
  },
} as const satisfies Readonly<Record<string, Column>>

export const TRADE_DATE = {
  trade_date: { type: 'date', zh: '交易日', doc: 'Trading day, in Taipei time.', docZh: '交易日（臺北時間）。' },
} as const satisfies Readonly<Record<string, Column>>

export const SECURITY_ON_DAY = { ...SECURITY, ...TRADE_DATE } as const satisfies Readonly<Record<string, Column>>

/** Columns of market totals: the market and the trading day. */
export const MARKET_ON_DAY = {
  market: {
    type: 'text',
    zh: '市場',
    doc: 'TWSE for the listed market, TPEX for the over-the-counter market.',
    docZh: '上市市場為 TWSE，上櫃市場為 TPEX。',
  },
  ...TRADE_DATE,
} as const satisfies Readonly<Record<string, Column>>

/** Year and quarter of `period_end`, computed by reads. */
export const FISCAL_QUARTER = {
  fiscal_year: {
    type: 'integer',
    unit: 'years',
    zh: '年度',
    doc: 'Gregorian year of the quarter.',
    docZh: '年度（西元年）。',
    virtual: 'year(period_end)',
  },
  fiscal_quarter: {
    type: 'integer',
    zh: '季別',
    doc: 'Number of the quarter, 1 to 4.',
    docZh: '季別，1 至 4。',
    virtual: 'quarter(period_end)',
  },
} as const satisfies Readonly<Record<string, Column>>

const PRICE = { type: 'number', nullable: true } as const

/** Identifies a futures or options row: contract, trading day and expiry. */
export const CONTRACT_ON_DAY = {
  contract: {
    type: 'text',
    zh: '契約',
    doc: 'Code of the contract, for example TX for TAIEX futures, TXO for TAIEX options.',
    docZh: '契約代號，例如臺股期貨為 TX、臺指選擇權為 TXO。',
  },
  trade_date: {
    type: 'date',
    zh: '交易日期',
    doc: 'Trading day. The after-hours session of the previous night belongs to this day.',
    docZh: '交易日期；某日的盤後時段為該日一般時段前一晚的交易。',
  },
  contract_month: {
    type: 'text',
    zh: '到期月份(週別)',
    doc: 'Expiry: a month such as 202302, a week such as 202302W1, or both months of a calendar spread such as 202302/202303.',
    docZh: '到期月份，例如 202302；週契約如 202302W1；跨月價差委託為兩個月份，如 202302/202303。',
  },
} as const satisfies Readonly<Record<string, Column>>

export const SESSION = {
  session: {
    type: 'text',
    zh: '交易時段',
    doc: 'Trading session: regular (day) or after_hours (night).',
    docZh: 'regular 為一般交易時段，after_hours 為盤後交易時段。',
  },
} as const satisfies Readonly<Record<string, Column>>

export const CONTRACT_QUOTE = {
  open: { ...PRICE, zh: '開盤價', doc: 'First price of the session. Null without trades.', docZh: '開盤價；無成交時為空值。' },
  high: { ...PRICE, zh: '最高價', doc: 'Highest price of the session. Null without trades.', docZh: '最高價；無成交時為空值。' },
  low: { ...PRICE, zh: '最低價', doc: 'Lowest price of the session. Null without trades.', docZh: '最低價；無成交時為空值。' },
  close: { ...PRICE, zh: '收盤價', doc: 'Last price of the session. Null without trades.', docZh: '最後成交價；無成交時為空值。' },
  change: {
    ...PRICE,
    zh: '漲跌價',
    doc: 'Difference between the last price and the settlement price of the previous trading day. Null if not published.',
    docZh: '與前一交易日結算價的差，兩個時段的基準相同。',
  },
  change_percent: {
    ...PRICE,
    unit: 'percent',
    zh: '漲跌%',
    doc: 'Change, as a percentage of the settlement price of the previous trading day. Null if not published.',
    docZh: '漲跌價占前一交易日結算價的百分比。',
  },
  volume: {
    type: 'integer',
    unit: 'contracts',
    zh: '成交量',
    doc: 'Number of contracts traded in the session.',
    docZh: '該時段的成交口數。',
  },
  settlement_price: {
    ...PRICE,
    zh: '結算價',
    doc: 'Daily settlement price of the regular session. 0 for a contract that expires on this day. Null for the after-hours session.',
    docZh: '一般時段的每日結算價；當日到期的契約為 0，盤後時段為空值。',
  },
  open_interest: {
    type: 'integer',
    unit: 'contracts',
    nullable: true,
    zh: '未沖銷契約數',
    doc: 'Open interest: contracts still open after the regular session, including contracts that expire on this day. Null for the after-hours session.',
    docZh: '一般時段收盤後的未沖銷契約數，含當日到期的契約；盤後時段為空值。',
  },
  best_bid: {
    ...PRICE,
    zh: '最後最佳買價',
    doc: 'Best bid price at the end of the session. Null if there was no bid.',
    docZh: '最後最佳買價；沒有時為空值。',
  },
  best_ask: {
    ...PRICE,
    zh: '最後最佳賣價',
    doc: 'Best ask price at the end of the session. Null if there was no ask.',
    docZh: '最後最佳賣價；沒有時為空值。',
  },
  historical_high: {
    ...PRICE,
    zh: '歷史最高價',
    doc: 'Highest price since the contract was listed. Null if not published.',
    docZh: '契約上市以來的最高價。',
  },
  historical_low: {
    ...PRICE,
    zh: '歷史最低價',
    doc: 'Lowest price since the contract was listed. Null if not published.',
    docZh: '契約上市以來的最低價。',
  },
  trading_halt: {
    type: 'text',
    nullable: true,
    mayNotApply: true,
    zh: '是否因訊息面暫停交易',
    doc: 'Mark of a trading halt because of news, as published. Null if trading was not halted.',
    docZh: '因訊息面暫停交易的註記；未暫停時為空值。',
  },
} as const satisfies Readonly<Record<string, Column>>

export const integersIn =
  <U extends Unit>(unit: U) =>
  (zh: string, doc: string, docZh: string) =>
    ({ type: 'integer', unit, zh, doc, docZh }) as const
