import { afterAll, expect, it } from 'vitest'
import { service } from '../support.ts'

const s = await service()
const key = s.keyOn('max')
afterAll(s.close)

const run = async (q: string, params: readonly unknown[] = []) => {
  const answer = await s.app.inject({ method: 'POST', url: '/v2/sql', headers: { 'x-api-key': key }, payload: { q, params } })
  expect(answer.statusCode, `${q}: ${answer.body.slice(0, 300)}`).toBe(200)
  return answer.json()
}

/**
 * Queries in which `%` represents a condition. With `OR false`, the condition cannot limit the
 * parts to open, but the rows must be the same.
 */
const CONDITIONED: readonly (readonly [query: string, condition: string, params?: readonly unknown[]])[] = [
  ['SELECT * FROM daily_prices WHERE % ORDER BY ALL', "ticker = '2330'"],
  ['SELECT * FROM daily_prices WHERE % ORDER BY ALL', "'2330' = ticker"],
  ['SELECT * FROM daily_prices WHERE % ORDER BY ALL', "ticker IN ('2330', $1)", ['2317']],
  ['SELECT * FROM daily_prices p WHERE % ORDER BY ALL', "p.trade_date >= '2026-06-30'"],
  ['SELECT * FROM daily_prices WHERE % ORDER BY ALL', "trade_date BETWEEN '2026-06-29' AND $1", ['2026-06-29']],
  ['SELECT * FROM daily_prices WHERE % ORDER BY ALL', "DATE '2026-06-30' > trade_date"],
  [
    'SELECT * FROM daily_prices JOIN institutional_positioning USING (ticker, trade_date) WHERE % ORDER BY ALL',
    "trade_date = '2026-06-30'",
  ],
  [
    'SELECT * FROM daily_prices a LEFT JOIN institutional_positioning b USING (ticker, trade_date) WHERE % ORDER BY ALL',
    "a.ticker = '2330'",
  ],
  [
    'SELECT * FROM daily_prices a LEFT JOIN institutional_positioning b ON a.ticker = b.ticker WHERE % ORDER BY ALL',
    "b.trade_date = '2026-06-30'",
  ],
  ['SELECT * FROM daily_prices a RIGHT JOIN institutional_positioning b ON a.ticker = b.ticker WHERE % ORDER BY ALL', "a.ticker = '2330'"],
  ['SELECT * FROM daily_prices a FULL JOIN institutional_positioning b ON a.ticker = b.ticker WHERE % ORDER BY ALL', "b.ticker = '2330'"],
  ['SELECT * FROM daily_prices a FULL JOIN institutional_positioning b USING (ticker) WHERE % ORDER BY ALL', "ticker = '2330'"],
  [
    'SELECT * FROM institutional_positioning a ASOF JOIN daily_prices b ON a.ticker = b.ticker AND a.trade_date >= b.trade_date WHERE % ORDER BY ALL',
    "b.trade_date < '2026-06-30'",
  ],
  [
    'SELECT * FROM daily_prices a WHERE % AND EXISTS (SELECT 1 FROM daily_prices b WHERE b.trade_date < a.trade_date) ORDER BY ALL',
    "a.trade_date = '2026-06-30'",
  ],
  [
    "SELECT ticker, count(*) AS n FROM (SELECT * FROM daily_prices WHERE %) FULL JOIN (SELECT ticker, 1 AS one FROM daily_prices WHERE trade_date = '2026-06-29') USING (ticker) GROUP BY ALL ORDER BY ALL",
    "ticker = '2330'",
  ],
  ['SELECT x.ticker FROM daily_prices AS x(ticker, trade_date) WHERE % ORDER BY ALL', "x.trade_date >= '2026-06-30'"],
]

it('a SQL query returns the same rows whether or not its conditions limit the parts to open', async () => {
  for (const [query, condition, params] of CONDITIONED) {
    const limited = await run(query.replace('%', condition), params)
    const whole = await run(query.replace('%', `(${condition} OR false)`), params)
    expect.soft(limited.data, query).toEqual(whole.data)
    expect.soft(limited.meta.scanned_rows, query).toBeLessThanOrEqual(whole.meta.scanned_rows)
  }
})
