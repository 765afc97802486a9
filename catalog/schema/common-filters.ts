/** Maximum number of keys. A URL with 500 keys is shorter than 8,192 characters. */
const MOST_KEYS = 500

export const TICKER_LIST = {
  op: 'in',
  max: MOST_KEYS,
  fold: 'upper',
  pattern: '[0-9A-Za-z]{4,8}',
  example: '2330',
  doc: `One ticker, or up to ${MOST_KEYS} separated by commas.`,
} as const

/** Filter `symbol` on the column `ticker`. */
export const TICKERS = { ...TICKER_LIST, column: 'ticker', required: true } as const

/**
 * Filter `symbol` of company reports. `report_type` and `latest` choose between the reports of a
 * company.
 */
export const ONE_TICKER = {
  column: 'ticker',
  op: 'eq',
  required: true,
  pattern: '[0-9A-Za-z]{4,8}',
  fold: 'upper',
  example: '2330',
  doc: 'One ticker. Lists are not accepted, because the default of `report_type` depends on the company.',
  onlyOne: {
    en: 'one ticker only, because the default report type is chosen for each company. Send one request per ticker.',
    zh: '只接受一個代號，因為預設的報表類型因公司而異。請為每個代號各送一次請求。',
  },
} as const

/** A list of firms. Codes are case-sensitive. */
export const BROKER_LIST = { column: 'broker_id', op: 'in', max: MOST_KEYS, pattern: '[0-9A-Za-z]{4}', example: '9800' } as const

/** Filter `contract` of futures and options. */
export const CONTRACTS = {
  column: 'contract',
  op: 'in',
  max: MOST_KEYS,
  required: true,
  fold: 'upper',
  pattern: '[0-9A-Za-z]{2,4}',
  doc: `One contract code, or up to ${MOST_KEYS} separated by commas.`,
} as const

/** Filters `contract_month`, `session`, `start_date` and `end_date`. */
export const EXPIRIES = {
  contract_month: { column: 'contract_month', op: 'eq', example: '202607', doc: 'Expiry to return, for example 202607.' },
  session: { column: 'session', op: 'eq', values: ['regular', 'after_hours'], example: 'regular', doc: 'Session to return.' },
} as const

export const MARKET = { column: 'market', op: 'eq', values: ['TWSE', 'TPEX'], example: 'TWSE', doc: 'Market to return.' } as const

/** Filters `start_date` and `end_date` on the column `trade_date`. */
export const TRADING_DAYS = {
  start_date: { column: 'trade_date', op: 'from', doc: 'First trading day to return, inclusive.', example: '2026-06-01' },
  end_date: { column: 'trade_date', op: 'to', doc: 'Last trading day to return, inclusive.', example: '2026-06-30' },
} as const

export const QUARTERS = {
  start_date: { column: 'period_end', op: 'from', example: '2025-03-31', doc: 'First quarter end to return, inclusive.' },
  end_date: { column: 'period_end', op: 'to', example: '2026-06-30', doc: 'Latest quarter end to return, inclusive.' },
} as const
