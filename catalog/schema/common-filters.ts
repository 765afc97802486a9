/** Filters that datasets by ticker and trading day have in common, said once so that a parameter means the same everywhere. */

/** `symbol` of a dataset with a column `ticker`. */
export const TICKERS = {
  column: 'ticker',
  op: 'in',
  required: true,
  max: 50,
  fold: 'upper',
  pattern: '[0-9A-Za-z]{4,8}',
  example: '2330',
  doc: 'One ticker, or up to 50 separated by commas.',
} as const

/** `market` of a dataset with a column `market` that covers both. */
export const MARKET = { column: 'market', op: 'eq', values: ['TWSE', 'TPEX'], example: 'TWSE', doc: 'One market.' } as const

/** `start_date` and `end_date` of a dataset with a column `trade_date`. */
export const TRADING_DAYS = {
  start_date: { column: 'trade_date', op: 'from', doc: 'First trading day wanted, inclusive.', example: '2026-06-01' },
  end_date: { column: 'trade_date', op: 'to', doc: 'Last trading day wanted, inclusive.', example: '2026-06-30' },
} as const
