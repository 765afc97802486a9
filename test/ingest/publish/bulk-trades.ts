import { trade } from '../../fixtures/publish/rows.ts'

/** Tickers of `appendedTrades`. All but the last are also in `BULK_TRADES`. */
export const APPENDED = ['1000', '1001', '1007', '1749', '9999'] as const

/** SELECT of 30,000 trades of 750 tickers, which is enough for two buckets. */
export const BULK_TRADES = `SELECT printf('%04d', 1000 + t) AS ticker, 'TWSE' AS market, DATE '2026-02-02' + (d // 5 * 7 + d % 5)::INTEGER AS trade_date,
  10 * t + d AS foreign_net_buy, d AS investment_trust_net_buy, t AS dealer_net_buy FROM range(750) AS a(t), range(40) AS b(d)`

export const appendedTrades = (date: string, seed: number) => APPENDED.map((ticker, at) => trade(ticker, date, 100 * seed + at))
