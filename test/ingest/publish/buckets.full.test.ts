import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { publishFiles } from '../../../ingest/index.ts'
import { damagedParts, stored, storedRows } from '../../fixtures/publish/store.ts'
import { service, type TestService } from '../../support.ts'

const TRADES = 'institutional-positioning'
const THEMES = 'theme-taxonomy'
const BRANCHES = 'broker-branch-reference'
const TICKERS = 800
const DAYS = 100
let s: TestService
beforeAll(async () => {
  s = await service({ examples: false })
})
afterAll(() => s.close())

/** Publishes a query's rows through a Parquet file. */
async function publishQuery(slug: string, query: string) {
  const file = join(s.dir, `${slug}-${Math.random()}.parquet`)
  await s.workspace.session.run(`COPY (${query}) TO '${file}' (FORMAT parquet)`)
  const published = await publishFiles(s.workspace, s.dataset(slug), [file], { accept: [], synthetic: false })
  await s.releases.refresh()
  return published
}

/** Mondays to Saturdays: no market trades on a Sunday. */
const trades = (where = 'true') =>
  `SELECT printf('%04d', 1000 + t) AS ticker, 'TWSE' AS market, DATE '2026-03-02' + (d // 6 * 7 + d % 6)::INTEGER AS trade_date,
     1000 * t + d - 400000 AS foreign_net_buy, d AS investment_trust_net_buy, t AS dealer_net_buy
   FROM range(${TICKERS}) AS a(t), range(${DAYS}) AS b(d) WHERE ${where}`

const themes = (market: string, first: number, count: number) =>
  `SELECT printf('%05d', ${first} + i) AS symbol, 'industry_24' AS theme_id, '半導體業' AS theme_name, 'industry' AS taxonomy_type,
     '${market}' AS market, 'level_2' AS classification_level, 'list' AS source_name, DATE '2026-06-30' AS as_of_date, 'official' AS source_role,
     '{}' AS lineage, '2026-06-30T00:00:00+08:00' AS updated_at FROM range(${count}) AS a(i)`

const branches = (mark: string) =>
  `SELECT '5850' AS parent_broker_code, '統一' AS parent_broker_name, printf('%04x', i) AS branch_code,
     CASE WHEN i = 7 THEN '${mark}' ELSE 'x' END AS branch_name, 'TWSE' AS market, 'twse' AS source_provider, 'canonical' AS source_role,
     'twse_open_data' AS source_family, '{}' AS source_lineage, '[]' AS data_gaps FROM range(60000) AS a(i)`

const shaByBucket = (): ReadonlyMap<number, string> =>
  new Map(stored(s.workspace.releases, TRADES).base.map(({ bucket, sha256 }) => [bucket!, sha256]))

it('80,000 rows are split into buckets by key, revised one bucket at a time and served completely', async () => {
  await publishQuery(TRADES, trades())
  const before = shaByBucket()
  expect([...before.keys()]).toEqual([0, 1, 2, 3])

  const revised = await publishQuery(TRADES, trades(`d = 50`).replace('AS dealer_net_buy', '+ (t = 7)::INTEGER * 5 AS dealer_net_buy'))
  expect(revised.changes).toMatchObject({ kind: 'revision', rows_added: 0, rows_changed: 1, rows_removed: 0, date_from: '2026-04-29' })
  const after = shaByBucket()
  expect([...after.keys()].filter(bucket => after.get(bucket) !== before.get(bucket))).toEqual([1])
  expect(stored(s.workspace.releases, TRADES).delta).toEqual([])
  expect(damagedParts(s.workspace.releases, TRADES)).toEqual([])

  const key = s.keyOn('max')
  const sum = { rows: 0, foreign: 0, dealer: 0 }
  for (let first = 0; first < TICKERS; first += 50) {
    const symbols = Array.from({ length: 50 }, (_, index) => 1000 + first + index).join(',')
    const { data } = (
      await s.get(`/v2/datasets/${TRADES}?symbol=${symbols}&limit=100000&columns=ticker,foreign_net_buy,dealer_net_buy`, key)
    ).json()
    sum.rows += data.length
    for (const row of data) {
      sum.foreign += row.foreign_net_buy
      sum.dealer += row.dealer_net_buy
    }
  }
  const [tickers, days] = [(TICKERS * (TICKERS - 1)) / 2, (DAYS * (DAYS - 1)) / 2]
  expect(sum).toEqual({
    rows: TICKERS * DAYS,
    foreign: 1_000 * tickers * DAYS + days * TICKERS - 400_000 * TICKERS * DAYS,
    dealer: tickers * DAYS + 5,
  })
})

it('a dataset that outgrows its buckets is split into more buckets without losing a row', async () => {
  await publishQuery(THEMES, themes('TWSE', 10_000, 20_000))
  expect(stored(s.workspace.releases, THEMES).manifest.buckets).toBe(1)
  await publishQuery(THEMES, themes('TPEX', 40_000, 40_000))
  const grown = stored(s.workspace.releases, THEMES)
  expect([grown.manifest.buckets, grown.base.map(({ bucket }) => bucket), grown.delta]).toEqual([3, [0, 1, 2], []])
  const ends = 'count(*)::INTEGER AS rows, min(symbol) AS first, max(symbol) AS last'
  const ranges = grown.base.map(({ sha256 }) => s.workspace.session.rows(`SELECT ${ends} FROM read_parquet('${grown.paths.part(sha256)}')`))
  // FNV-1a of the symbols modulo 3, computed by another program.
  expect((await Promise.all(ranges)).flat()).toEqual([
    { rows: 20018, first: '10001', last: '79998' },
    { rows: 19972, first: '10000', last: '79999' },
    { rows: 20010, first: '10002', last: '79997' },
  ])
  const { envelope } = (await s.get(`/v2/datasets/${THEMES}?limit=100000&columns=symbol`, s.keyOn('max'))).json()
  expect(new Set(envelope.data.map(({ symbol }: { symbol: string }) => symbol)).size).toBe(60_000)
})

it('a replaced list keeps its number of buckets when only one row changed', async () => {
  await publishQuery(BRANCHES, branches('old'))
  expect(stored(s.workspace.releases, BRANCHES).manifest.buckets).toBe(3)
  const { changes } = await publishQuery(BRANCHES, branches('new'))
  expect(changes).toMatchObject({ rows_added: 0, rows_changed: 1, rows_removed: 0 })
  const { manifest, base } = stored(s.workspace.releases, BRANCHES)
  expect([manifest.buckets, base.length, manifest.statistics.rows]).toEqual([3, 3, 60_000])
  const names = await storedRows(
    s.workspace.session,
    s.workspace.releases,
    BRANCHES,
    'branch_name, count(*)::INTEGER AS n',
    'GROUP BY 1 ORDER BY 1',
  )
  expect(names).toEqual([
    { branch_name: 'new', n: 1 },
    { branch_name: 'x', n: 59_999 },
  ])
})
