import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { PLANS } from '../../../catalog/index.ts'
import { taipei } from '../../../src/core/index.ts'
import { bucketOf } from '../../../src/releases/index.ts'
import { trade, weekdays } from '../../fixtures/publish/rows.ts'
import { service, type TestService } from '../../support.ts'

const SLUG = 'institutional-positioning'
const TICKERS = Array.from({ length: 100 }, (_, index) => String(1_101 + index))
const DAYS = weekdays('2025-05-05', 280)

let s: TestService
let address = ''
beforeAll(async () => {
  s = await service({ examples: false, inMemory: false })
  await s.publish(
    SLUG,
    TICKERS.flatMap(ticker => DAYS.map(day => trade(ticker, day, Number(ticker) * 1_000 + Date.parse(day) / 86_400_000))),
  )
  address = await s.app.listen({ port: 0, host: '127.0.0.1' })
}, 60_000)
afterAll(() => s.close())

const list = (query: string, key: string) => s.get(`/v2/datasets/${SLUG}/parts${query}`, key)
const manifest = () => s.releases.current(s.dataset(SLUG)).manifest
const shasOf = (files: readonly { sha256: string }[]) => files.map(({ sha256 }) => sha256)

it('a list of parts with symbol= names only the buckets of the requested symbols', async () => {
  expect(manifest().buckets).toBeGreaterThan(1)
  for (const ticker of ['1101', '1150', '1200']) {
    const wanted = manifest().parts.filter(({ bucket }) => bucket === bucketOf(ticker, manifest().buckets))
    const { data } = (await list(`?symbol=${ticker}`, s.keyOn('max'))).json()
    expect(shasOf(data)).toEqual(shasOf(wanted))
  }
  expect((await list(`?symbol=${TICKERS.join()}`, s.keyOn('max'))).json().data_count).toBe(manifest().parts.length)
})

it('with or without months=true, a list of parts costs as much as reading its rows in full pages', async () => {
  const answers = Math.ceil(manifest().statistics.rows / PLANS.pro.rowLimit)
  const price = String(answers * s.dataset(SLUG).access!.credits)
  expect(answers).toBe(2)
  const parts = await list('', s.keyOn('pro'))
  const both = await list('?months=true', s.keyOn('pro'))
  expect([parts, both].map(({ headers }) => headers['x-credits-charged'])).toEqual([price, price])
  expect(both.json().data_count).toBe(manifest().parts.length + manifest().months!.length)
})

it('a list of parts that costs more than the remaining credits is refused', async () => {
  const key = s.keyOn('pro', 'poor@example.test')
  const { accountId, keyId } = s.control.keys.find(key, s.now())!
  const price = 2 * s.dataset(SLUG).access!.credits
  const use = { requestId: 'req_before', accountId, keyId, dataset: SLUG, at: taipei(s.now()), rows: 1 }
  await s.control.ledger.record({ ...use, credits: PLANS.pro.creditsPerMonth - price + 1 })
  const refused = await list('', key)
  expect([refused.statusCode, refused.json().error.error_code, refused.json().error.credits_needed]).toEqual([
    402,
    'credits_exhausted',
    price,
  ])
  expect(refused.json().error.credits_remaining).toBe(price - 1)
})

/** A Python with the required readers: `PYTHON`, or a virtual environment in `.venv`. */
const PYTHON = process.env['PYTHON'] ?? '.venv/bin/python'
const READERS = 'duckdb, duckdb_extension_httpfs, polars'
const isThere = spawnSync(PYTHON, ['-c', `import ${READERS}`]).status === 0

it.skipIf(!isThere)(
  `DuckDB and Polars read the listed URLs as one table (${READERS}); skipped if ${PYTHON} lacks them`,
  async () => {
    const key = s.keyOn('max')
    const urls = (await list('', key)).json().data.map(({ url }: { url: string }) => url.replace('http://127.0.0.1', address))
    const { stdout } = await promisify(execFile)(PYTHON, ['test/behaviour/files/readers.py', JSON.stringify(urls)])
    const rows = (await s.get(`/v2/datasets/${SLUG}?symbol=1150&limit=1000`, key)).json().data as readonly { trade_date: string }[]
    expect(rows).toHaveLength(DAYS.length)
    const { count, days } = { count: TICKERS.length * DAYS.length, days: rows.map(({ trade_date }) => trade_date).toSorted() }
    expect(JSON.parse(stdout)).toEqual({ duckdb: { count, days }, polars: { count, days } })
  },
  60_000,
)
