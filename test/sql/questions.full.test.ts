import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Row } from '../../catalog/index.ts'
import { ended, startTwmd } from '../fixtures/cli/twmd.ts'
import { quote, trade, weekdays } from '../fixtures/publish/rows.ts'
import { stored } from '../fixtures/publish/store.ts'
import { type Agent, agentAt } from '../mcp/agent.ts'
import { service, type TestService } from '../support.ts'

const TICKERS = Array.from({ length: 12 }, (_, index) => String(1101 + index))
const DAYS = weekdays('2026-05-04', 40)
const MONTHS = ['2026-03', '2026-04', '2026-05'].map(month => [month, `${month}-${month === '2026-04' ? 30 : 31}`] as const)

/** A whole number below `most`, different for each ticker, day and use. */
const noise = (ticker: string, step: number, use: number, most: number): number =>
  Math.abs(Math.imul(Number(ticker) * 31 + step, 2_654_435_761 + use * 97)) % most

const PRICES: readonly Row[] = TICKERS.flatMap(ticker =>
  DAYS.map((day, step) => {
    const close = 50 + noise(ticker, step, 1, 500) / 10
    return quote(ticker, day, 1_000 + noise(ticker, step, 2, 100_000), { open: close, high: close + 1, low: close - 1, close })
  }),
)
const TRADES: readonly Row[] = TICKERS.flatMap(ticker => DAYS.map((day, step) => trade(ticker, day, noise(ticker, step, 3, 2_000) - 1_000)))

/** Questions that the datasets can only answer together, or after counting. */
const QUESTIONS: Readonly<Record<string, string>> = {
  'Which stocks did foreign investors buy most in June?': `
    SELECT ticker, sum(foreign_net_buy) AS net FROM institutional_positioning
    WHERE trade_date >= '2026-06-01' GROUP BY ticker ORDER BY net DESC, ticker LIMIT 5`,
  'How did prices move on the days after large purchases?': `
    WITH next AS (SELECT ticker, trade_date, lead(close) OVER (PARTITION BY ticker ORDER BY trade_date) / close - 1 AS change FROM daily_prices)
    SELECT ticker, count(*) AS days, round(avg(change), 6) AS change
    FROM next JOIN institutional_positioning USING (ticker, trade_date)
    WHERE foreign_net_buy > 500 AND change IS NOT NULL GROUP BY ticker ORDER BY ticker`,
  'Which stocks closed at their highest of 20 days?': `
    SELECT ticker, close FROM daily_prices
    QUALIFY trade_date = (SELECT max(trade_date) FROM daily_prices)
      AND close = max(close) OVER (PARTITION BY ticker ORDER BY trade_date ROWS 19 PRECEDING)
    ORDER BY ticker`,
  'What was the volume per market and month?': `
    SELECT * FROM (PIVOT (SELECT ticker, month(trade_date) AS month, volume FROM daily_prices) ON month IN (5, 6) USING sum(volume) GROUP BY ticker)
    ORDER BY ticker`,
  'At which price did they trade when the revenue of a month was complete?': `
    SELECT r.ticker, r.month, r.revenue, p.trade_date, p.close
    FROM monthly_revenue AS r ASOF JOIN daily_prices AS p ON r.ticker = p.ticker AND r.period_end >= p.trade_date
    ORDER BY r.ticker, r.month`,
}

let s: TestService
let url: string
let key: string
let agent: Agent
beforeAll(async () => {
  s = await service({ examples: false })
  await s.publish('daily-prices', PRICES)
  await s.publish('institutional-positioning', TRADES)
  const { example, columns } = s.dataset('monthly-revenue')
  const given = Object.fromEntries(Object.entries(example[0]!).filter(([name]) => columns[name]!.derived === undefined))
  const revenue = TICKERS.flatMap(ticker =>
    MONTHS.map(([month, end], step) => {
      const sold = (Number(ticker) * 7 + step * step * 13) * 1_000
      const figures = {
        revenue: sold,
        last_month_revenue: sold - 1_000,
        last_year_revenue: sold - 2_000,
        cumulative_revenue: sold * (step + 1),
      }
      return { ...given, ...figures, ticker, month, period_end: end }
    }),
  )
  expect((await s.publish('monthly-revenue', revenue, { accept: ['same_body'] })).faults).toEqual([])
  url = await s.app.listen({ port: 0, host: '127.0.0.1' })
  key = s.keyOn('max')
  agent = await agentAt(url, key)
})
afterAll(async () => {
  await agent?.close()
  await s?.close()
})

/** Runs the query over the part files in another engine, which has no views of the service. */
async function overParts(query: string): Promise<readonly Row[]> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    for (const slug of ['daily-prices', 'institutional-positioning', 'monthly-revenue']) {
      const files = stored(s.workspace.releases, slug).files.map(file => `'${file}'`)
      await connection.run(`CREATE VIEW ${slug.replaceAll('-', '_')} AS SELECT * FROM read_parquet([${files.join(', ')}])`)
    }
    const rows = await connection.runAndReadAll(query)
    return rows.getRowObjectsJson().map(row => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])))
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

/** DuckDB writes integers of 64 bits and more as text. */
const plain = (value: unknown): unknown => (typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value)
const plainRows = (rows: readonly Row[]): readonly Row[] =>
  rows.map(row => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])))

const json = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
  const { code, stdout, stderr } = await ended(startTwmd(s.dir, ['sql', '--json', ...args], env))
  expect(code, stderr).toBe(0)
  return plainRows((JSON.parse(stdout) as { data: readonly Row[] }).data)
}

it.each(Object.entries(QUESTIONS))(
  'the question "%s" gets the same answer by HTTP, CLI and agents as from DuckDB over the part files',
  async (_, query) => {
    const expected = await overParts(query)
    expect(expected.length).toBeGreaterThan(0)
    const sent = await fetch(new URL('/v2/sql', url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body: JSON.stringify({ q: query }),
    })
    expect(plainRows(((await sent.json()) as { data: readonly Row[] }).data)).toEqual(expected)
    expect(await json([query], { TWMD_URL: url, TWMD_API_KEY: key })).toEqual(expected)
    expect(await json(['--local', query])).toEqual(expected)
    const { answer, text } = await agent.call('run_sql', { q: query, limit: 1_000 })
    expect(answer, text).toBeDefined()
    const rows = answer.rows.map((values: readonly unknown[]) =>
      Object.fromEntries(answer.columns.map(({ name }: { name: string }, index: number) => [name, values[index]])),
    )
    expect(plainRows(rows)).toEqual(expected)
  },
)
