import { cpSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { quote, trade } from '../../fixtures/publish/rows.ts'
import { service, type TestService } from '../../support.ts'

/**
 * `test/behaviour/compatibility/renamed/` contains two releases of daily-prices from the time when
 * the dataset was named daily-quotes, with the log of its table. They are never rewritten, because
 * an upgraded service finds such folders. An older version may also open them after a downgrade.
 */
const [GOLDEN, FORMER, SLUG] = ['test/behaviour/compatibility/renamed', 'daily-quotes', 'daily-prices']
const SECOND = '20261122T143548981Z'

let s: TestService
beforeAll(async () => {
  s = await service({ examples: false, inMemory: false, now: () => new Date('2026-11-23T12:00:00Z') })
  cpSync(join(GOLDEN, FORMER), join(s.dir, 'releases', FORMER), { recursive: true })
  await s.releases.refresh()
})
afterAll(() => s.close())

const read = async () => {
  const { headers, body } = await s.get(`/v2/datasets/${SLUG}?symbol=2330,6488`, s.keyOn('free'))
  const rows = JSON.parse(body).envelope.data as readonly Record<string, unknown>[]
  return { release: headers['x-release'], rows: rows.map(row => [row['ticker'], row['trade_date'], row['close'], row['volume']]) }
}
const WRITTEN = [
  ['2330', '2026-06-30', 1_505, 31_000_000],
  ['6488', '2026-06-30', 502, 1_000_000],
  ['2330', '2026-06-29', 1_500, 30_000_000],
  ['6488', '2026-06-29', null, 0],
]

it('a renamed dataset serves the releases written under its former name', async () =>
  expect(await read()).toEqual({ release: SECOND, rows: WRITTEN }))

it('a renamed dataset keeps its folder, its name on disk and its open table', async () => {
  await s.publish(SLUG, [quote('2330', '2026-07-01', 1_000)])
  expect((await read()).rows).toEqual([['2330', '2026-07-01', 10.5, 1_000], ...WRITTEN])
  const home = join(s.dir, 'releases', FORMER)
  const current = readFileSync(join(home, 'current'), 'utf8').trim()
  const { dataset, parent, reconciliation } = JSON.parse(readFileSync(join(home, current, 'manifest.json'), 'utf8'))
  expect([dataset, parent, reconciliation[0].dataset]).toEqual([FORMER, SECOND, FORMER])
  expect(readlinkSync(join(s.dir, 'releases', SLUG))).toBe(FORMER)
  const logs = readdirSync(join(home, '_delta_log')).sort()
  expect(logs.slice(0, 3)).toEqual([0, 1, 2].map(version => `${String(version).padStart(20, '0')}.json`))
  const ids = logs.flatMap(name => readFileSync(join(home, '_delta_log', name), 'utf8').match(/"metaData":\{"id":"[^"]+/g) ?? [])
  expect(new Set(ids).size).toBe(1)
})

it('the reconciliation badge of a renamed dataset covers releases under its former name', async () => {
  const { methods } = (await s.get(`/v2/data-catalog/reconciliation/${SLUG}`)).json()
  expect(methods).toMatchObject([{ method: 'source_rows', dataset: 'daily_prices', slug: SLUG }])
})

it('derived columns join a renamed dataset under its former name', async () => {
  await s.publish('institutional-positioning', [{ ...trade('2330', '2026-06-30', 0), foreign_net_buy: 31_000 }])
  const { data } = (await s.get('/v2/datasets/institutional-positioning?symbol=2330', s.keyOn('pro'))).json()
  expect(data[0]).toMatchObject({ trade_date: '2026-06-30', foreign_pct: 0.001 })
})
