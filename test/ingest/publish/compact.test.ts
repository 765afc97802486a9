import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { diffReleases } from '../../../ingest/history/index.ts'
import { publishFiles } from '../../../ingest/index.ts'
import { compactRelease } from '../../../ingest/publish/index.ts'
import { checkLog, logFolder } from '../../../src/tables/index.ts'
import { twmd } from '../../fixtures/cli/twmd.ts'
import { trade } from '../../fixtures/publish/rows.ts'
import { damagedParts, releaseIds, stored } from '../../fixtures/publish/store.ts'
import { service, type TestService } from '../../support.ts'

const SLUG = 'institutional-positioning'
let s: TestService
/** 30,000 rows of 750 tickers in two buckets, and two days of a few tickers appended to them, one of which was new. */
beforeEach(async () => {
  s = await service({ examples: false })
  const file = join(s.dir, 'bulk.parquet')
  await s.workspace.session.run(
    `COPY (SELECT printf('%04d', 1000 + t) AS ticker, 'TWSE' AS market, DATE '2026-02-02' + (d // 5 * 7 + d % 5)::INTEGER AS trade_date,
       10 * t + d AS foreign_net_buy, d AS investment_trust_net_buy, t AS dealer_net_buy FROM range(750) AS a(t), range(40) AS b(d)) TO '${file}' (FORMAT parquet)`,
  )
  await publishFiles(s.workspace, s.dataset(SLUG), [file], { accept: [], synthetic: false })
  await append('2026-06-29', 1)
  await append('2026-06-30', 2)
})
afterEach(() => s.close())

const append = (date: string, seed: number) =>
  s.publish(
    SLUG,
    ['1000', '1001', '1007', '1749', '9999'].map((ticker, at) => trade(ticker, date, 100 * seed + at)),
    { accept: ['row_count_drift'] },
  )
const now = () => stored(s.workspace.releases, SLUG)
const takeUp = async () => {
  await s.releases.refresh()
  await s.publications.refresh()
  await s.columns.refresh()
}
const answers = async () => {
  const key = s.keyOn('max')
  const urls = [
    'symbol=1000,1001,1749,9999,1500&limit=1000',
    'symbol=9999&envelope=full',
    'symbol=1007&sort_by=trade_date&sort_order=asc&columns=trade_date,foreign_net_buy',
  ].map(query => `/v2/datasets/${SLUG}?${query}`)
  const bodies: string[] = []
  for (const url of [...urls, `/v2/datasets/${SLUG}/cross-section?date=2026-06-30`, `/v2/coverage/${SLUG}?symbol=9999`])
    bodies.push(
      (await s.get(url, key)).body.replaceAll(now().release, 'RELEASE').replace(/"(request_id|published_at|release_date)":"[^"]*"/g, '""'),
    )
  return bodies
}

describe('a compaction', () => {
  it('moves appended rows into their buckets, and every answer stays what it was, byte by byte, but for the name of the release', async () => {
    const [before, former] = [await answers(), now()]
    expect([former.base.length, former.delta.length, former.manifest.months?.length]).toEqual([2, 1, 3])
    expect(await compactRelease(s.workspace, s.dataset(SLUG))).toMatchObject({ status: 'compacted', rows: 10, buckets: 2, notices: [] })
    await takeUp()
    const made = now()
    expect(made.release > former.release).toBe(true)
    expect(await answers()).toEqual(before)
    expect([made.base.map(({ bucket }) => bucket), made.delta, made.manifest.parent]).toEqual([[0, 1], [], former.release])
    expect(made.manifest.months).toEqual(former.manifest.months)
    expect(damagedParts(s.workspace.releases, SLUG)).toEqual([])
    const { summary } = await diffReleases(s.workspace, s.dataset(SLUG), former.release, made.release)
    expect(summary.rows).toMatchObject({ added: 0, changed: 0, removed: 0, confirmed: 0, unchanged: 30_010 })
    // A revision of the same rows measures them anew, and finds what the compaction wrote.
    const measured = await s.workspace.session.rows(
      `SELECT ticker, min(trade_date)::VARCHAR AS first, max(trade_date)::VARCHAR AS last, count(*)::INTEGER AS rows FROM read_parquet([${made.files.map(file => `'${file}'`)}]) GROUP BY 1`,
    )
    expect(made.spans.base).toEqual(Object.fromEntries(measured.map(row => [row['ticker'], [row['first'], row['last'], row['rows']]])))
    expect(made.spans.slices).toEqual(former.spans.slices)
  })

  it('is a release with nothing to fetch for followers, and a version without new data for engines', async () => {
    const former = now().release
    await compactRelease(s.workspace, s.dataset(SLUG))
    await takeUp()
    const { data } = (await s.get('/v2/updates?since=2000-01-01')).json()
    const none = { rows_added: 0, rows_changed: 0, rows_removed: 0, data_date_from: null, data_date_to: null }
    expect(data[0]).toMatchObject({ ...none, release_version: now().release, previous_release_version: former, data_as_of: '2026-06-30' })
    expect(await checkLog(s.workspace.releases, s.dataset(SLUG))).toMatchObject({ version: 3, fault: null })
    const lines = readFileSync(join(logFolder(s.workspace.releases, SLUG), '00000000000000000003.json'), 'utf8')
      .trimEnd()
      .split('\n')
    const flags = lines.flatMap(line => {
      const { add, remove } = JSON.parse(line)
      return add || remove ? [(add ?? remove).dataChange] : []
    })
    expect(flags).toEqual([false, false, false, false, false])
  })

  it('is built upon like any release', async () => {
    await compactRelease(s.workspace, s.dataset(SLUG))
    const made = now()
    await append('2026-07-01', 3)
    const next = now()
    expect([next.manifest.parent, next.base, next.delta.length]).toEqual([made.release, made.base, 1])
    expect(next.manifest.changes).toMatchObject({ kind: 'new_rows', rows_added: 5, rows_changed: 0 })
    const key = s.keyOn('max')
    expect((await s.get(`/v2/datasets/${SLUG}?symbol=9999`, key)).json().data.map((row: { trade_date: string }) => row.trade_date)).toEqual(
      ['2026-07-01', '2026-06-30', '2026-06-29'],
    )
  })

  it('is none where every row lies in its bucket, and refused where a part is damaged', async () => {
    const done = await twmd(s.dir, 'releases', 'compact', SLUG)
    expect([done.code, done.stdout]).toEqual([
      0,
      `${SLUG}: published ${now().release}: 10 appended rows moved into 2 buckets; no row is another.\n`,
    ])
    const ids = releaseIds(s.workspace.releases, SLUG)
    const { stdout } = await twmd(s.dir, 'releases', 'list', SLUG)
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map(line => / (compaction +the same rows|new_rows +\S+ \S+ \S+)$/.exec(line.trimEnd())?.[1]?.replace(/ +/g, ' ')),
    ).toEqual([undefined, 'new_rows +30000 ~0 -0', 'new_rows +5 ~0 -0', 'new_rows +5 ~0 -0', 'compaction the same rows'])
    expect((await twmd(s.dir, 'releases', 'show', SLUG)).stdout).toMatch(/^changes +compaction: the same rows$/m)
    expect((await twmd(s.dir, 'releases', 'show', SLUG, 'parent')).stdout).toMatch(/^changes +new_rows: \+5 ~0 -0$/m)
    expect((await twmd(s.dir, 'releases', 'compact', SLUG)).stdout).toBe(
      `${SLUG}: every row of ${now().release} lies in its bucket; nothing to compact.\n`,
    )
    await append('2026-07-01', 3)
    writeFileSync(now().paths.part(now().base[1]!.sha256), 'not a part')
    expect(await twmd(s.dir, 'releases', 'compact', SLUG)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is damaged; restore it'),
    })
    expect(releaseIds(s.workspace.releases, SLUG)).toHaveLength(ids.length + 1)
    expect(now().delta).toHaveLength(1)
  })
})
