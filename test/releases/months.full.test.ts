import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { crossSection, type Row } from '../../catalog/index.ts'
import { createLog } from '../../src/core/index.ts'
import { answerOf, encodeBody, fetchPage, maxMatchingRows, planRead, type ReadLimits, type ReadParams } from '../../src/read/index.ts'
import { type Manifest, openReleases, type Release, sha256OfText } from '../../src/releases/index.ts'
import { twmd } from '../fixtures/cli/twmd.ts'
import { trade, weekdays } from '../fixtures/publish/rows.ts'
import { stored } from '../fixtures/publish/store.ts'
import { service, type TestService } from '../support.ts'

const SLUG = 'institutional-positioning'
const TICKERS = Array.from({ length: 100 }, (_, index) => String(1_101 + index))
const DAYS = weekdays('2025-05-05', 280)
const NEXT = weekdays('2026-06-01', 10)
const limits: ReadLimits = { plan: 'max', rowLimit: 100_000, queueKey: 'acct' }
const flow = (ticker: string, day: string, seed = 0): Row =>
  trade(ticker, day, Number(ticker) * 1_000 + Date.parse(day) / 86_400_000 + seed)
const market = (day: string, seed = 0, tickers: readonly string[] = TICKERS): readonly Row[] =>
  tickers.map(ticker => flow(ticker, day, seed))

let s: TestService
beforeAll(async () => {
  s = await service({ examples: false, inMemory: false })
  await s.publish(
    SLUG,
    DAYS.flatMap(day => market(day)),
  )
})
afterAll(() => s.close())

const released = () => stored(s.workspace.releases, SLUG).manifest
const section = () => crossSection(s.dataset(SLUG))!
const served = (): Release => s.releases.current(s.dataset(SLUG))
const byMonth = (manifest: Manifest) => new Map(manifest.months!.map(part => [part.first_date.slice(0, 7), part.sha256]))
/** Months with a changed or new file. */
const rewritten = (before: Manifest, after: Manifest): readonly string[] =>
  [...byMonth(after)].flatMap(([month, sha256]) => (byMonth(before).get(month) === sha256 ? [] : [month]))
/** The release in the format of an older version: with buckets by key, without months. */
function withoutMonths(release: Release): Release {
  const { months: _, ...manifest } = release.manifest
  return { ...release, manifest }
}
async function text(pieces: AsyncIterable<Buffer>): Promise<string> {
  const taken: Buffer[] = []
  for await (const piece of pieces) taken.push(piece)
  return Buffer.concat(taken).toString()
}
/** The body of a cross-section, and the files that it read. */
async function read(release: Release, query: ReadParams) {
  const plan = planRead(section(), release, query, limits)
  const context = { requestId: 'req', endpoint: '/', freshness: 'fresh', isClosed: () => false } as const
  const body = await fetchPage(plan, s, async page => {
    const made = await encodeBody(answerOf(plan, page, context), page)
    return Buffer.isBuffer(made) ? made.toString() : text(made)
  })
  return { body, files: plan.parts }
}
/** Random days, the same in every run; some have no rows. */
function* randomDays(count: number): Generator<string> {
  const all = [...DAYS, ...NEXT, '2025-05-04', '2031-01-01']
  for (let seed = 1; count-- > 0; ) {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
    yield all[seed % all.length]!
  }
}
async function expectAlike(): Promise<void> {
  const release = served()
  for (const date of randomDays(60)) {
    const [months, buckets] = [await read(release, { date }), await read(withoutMonths(release), { date })]
    expect([date, months.body]).toEqual([date, buckets.body])
    expect(months.files.length).toBeLessThanOrEqual(1)
  }
}

it('a series of two buckets is stored a second time by month, each month sorted by day and key', async () => {
  const { buckets, months, statistics } = released()
  expect([buckets, months!.length]).toEqual([2, 13])
  expect(months!.map(({ first_date }) => first_date)).toEqual(months!.map(({ first_date }) => first_date).toSorted())
  expect(months!.reduce((sum, { rows }) => sum + rows, 0)).toBe(statistics.rows)
  for (const { first_date, last_date, sha256 } of months!) {
    expect(last_date.slice(0, 7)).toBe(first_date.slice(0, 7))
    const file = stored(s.workspace.releases, SLUG).paths.month(sha256)
    const rows = await s.workspace.session.rows(`SELECT trade_date::VARCHAR || ticker AS at FROM read_parquet('${file}')`)
    expect(rows.map(({ at }) => at)).toEqual(rows.map(({ at }) => at).toSorted())
  }
})

it('a glob over the folder of parts counts each row once', async () => {
  const { paths } = stored(s.workspace.releases, SLUG)
  const [glob] = await s.workspace.session.rows(`SELECT count(*)::INTEGER AS rows FROM read_parquet('${paths.parts}/*.parquet')`)
  expect(glob).toEqual({ rows: released().statistics.rows })
})

it('cross-sections of random days have the same bytes from months as from buckets, and a read from months opens one file', expectAlike)

it('pages and columns of a cross-section have the same bytes from months as from buckets', async () => {
  for (const query of [
    { limit: '7', offset: '20' },
    { columns: 'foreign_net_buy,ticker', limit: '100' },
    { columns: 'market', offset: '99' },
    { offset: '100' },
  ]) {
    const date = DAYS[100]!
    expect((await read(served(), { date, ...query })).body).toBe((await read(withoutMonths(served()), { date, ...query })).body)
  }
})

it('a cross-section scans at most the rows of its month', () => {
  const [day] = DAYS
  const month = released().months!.find(({ first_date, last_date }) => first_date <= day! && last_date >= day!)!
  const { filters } = planRead(section(), served(), { date: day! }, limits)
  expect(maxMatchingRows(served(), filters)).toBe(month.rows)
  expect(month.rows).toBeLessThan(released().statistics.rows)
})

it('a read that names keys uses buckets, even for one day', () => {
  const parts = planRead(s.dataset(SLUG), served(), { symbol: '1101', start_date: DAYS[3]!, end_date: DAYS[3]! }, limits).parts()
  const { manifest, pathOf } = served()
  expect(parts).toHaveLength(1)
  expect(manifest.parts.map(pathOf)).toEqual(expect.arrayContaining([...parts]))
})

it('appending a day rewrites only its month, also after the delta part is merged', async () => {
  for (const [day, month] of [
    [NEXT[0]!, '2026-06'],
    [NEXT[1]!, '2026-06'],
  ] as const) {
    const before = released()
    await s.publish(SLUG, market(day))
    expect([day, rewritten(before, released())]).toEqual([day, [month]])
    expect(released().statistics.rows).toBe(before.statistics.rows + 100)
  }
  await expectAlike()
})

it('a revision rewrites the months whose rows it changes, adds or removes', async () => {
  const before = released()
  const [march, april] = [DAYS.find(day => day.startsWith('2026-03'))!, DAYS.find(day => day.startsWith('2026-04'))!]
  expect(await s.publish(SLUG, [...market(march, 500), ...market(april, 0, TICKERS.slice(0, 97))])).toMatchObject({ status: 'published' })
  // Streaks continue over the days after a revised day, so a later month may change as well.
  const months = rewritten(before, released())
  expect(months).toEqual(expect.arrayContaining(['2026-03', '2026-04']))
  expect(months.every(month => month >= '2026-03')).toBe(true)
  expect(released().statistics.rows).toBe(before.statistics.rows - 3)
  expect((await read(served(), { date: april, columns: 'ticker' })).body).not.toContain('"1200"')
  await expectAlike()
})

it('cleaning up after a killed publication keeps the monthly parts', async () => {
  const { paths } = stored(s.workspace.releases, SLUG)
  mkdirSync(join(paths.home, '.stage-20260101T000000000Z'))
  await s.publish(SLUG, market(NEXT[2]!))
  const verified = await twmd(s.dir, 'releases', 'verify', SLUG)
  expect([verified.code, verified.stderr]).toEqual([0, ''])
  await expectAlike()
})

it('a release without monthly parts is read by bucket, and the next publication writes monthly parts', async () => {
  const { paths, release, manifest } = stored(s.workspace.releases, SLUG)
  const { months: _, ...older } = manifest
  const text = JSON.stringify(older)
  writeFileSync(paths.manifest(release), text)
  writeFileSync(paths.seal(release), sha256OfText(text))
  await s.publish(SLUG, market(NEXT[3]!))
  expect(released().parent).toBe(release)
  expect(released().months!.map(({ first_date }) => first_date.slice(0, 7))).toEqual(
    manifest.months!.map(part => part.first_date.slice(0, 7)),
  )
  await expectAlike()
})

it('a release with a damaged monthly part is not served, and twmd releases verify names the file', async () => {
  const [parent, { paths }] = [served().id, stored(s.workspace.releases, SLUG)]
  await s.publish(SLUG, market(NEXT[4]!))
  const { sha256 } = released().months!.at(-1)!
  const file = paths.month(sha256)
  const bytes = readFileSync(file)
  writeFileSync(file, Buffer.concat([bytes.subarray(0, 1_000), Buffer.from('damaged'), bytes.subarray(1_007)]))
  const verified = await twmd(s.dir, 'releases', 'verify', SLUG)
  expect([verified.code, verified.stderr]).toEqual([1, `damaged  months/${sha256}.parquet, in ${released().release}\n`])
  const releases = await openReleases({ root: s.workspace.releases, catalog: s.catalog, log: createLog('silent') })
  expect(releases.current(s.dataset(SLUG))).toMatchObject({ id: parent, degraded: true })
  writeFileSync(file, bytes)
  await releases.refresh()
  expect(releases.current(s.dataset(SLUG))).toMatchObject({ id: released().release, degraded: false })
  releases.close()
  await expectAlike()
})

it('a dataset of one bucket has no monthly parts', async () => {
  const t = await service()
  for (const { slug, access } of t.catalog.values()) {
    if (access) expect([slug, t.releases.served(t.dataset(slug))?.manifest.months]).toEqual([slug, undefined])
  }
  await t.close()
})
