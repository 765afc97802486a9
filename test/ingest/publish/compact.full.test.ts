import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { publishFiles } from '../../../ingest/index.ts'
import { compactRelease } from '../../../ingest/publish/index.ts'
import { checkLog, logFolder } from '../../../src/delta/index.ts'
import { twmd } from '../../fixtures/cli/twmd.ts'
import { releaseIds, stored } from '../../fixtures/publish/store.ts'
import { service, type TestService } from '../../support.ts'
import { appendedTrades, BULK_TRADES } from './bulk-trades.ts'

const SLUG = 'institutional-positioning'
let s: TestService
/**
 * 30,000 rows of 750 tickers in two buckets, and two appended days of a few tickers, including a
 * new ticker.
 */
beforeEach(async () => {
  s = await service({ examples: false })
  const file = join(s.dir, 'bulk.parquet')
  await s.workspace.session.run(`COPY (${BULK_TRADES}) TO '${file}' (FORMAT parquet)`)
  await publishFiles(s.workspace, s.dataset(SLUG), [file], { accept: [], synthetic: false })
  await append('2026-06-29', 1)
  await append('2026-06-30', 2)
})
afterEach(() => s.close())

const append = (date: string, seed: number) => s.publish(SLUG, appendedTrades(date, seed), { accept: ['row_count_drift'] })
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

it('after a compaction, every response has the same bytes as before, except for the release name', async () => {
  const before = await answers()
  expect(await compactRelease(s.workspace, s.dataset(SLUG))).toMatchObject({ status: 'compacted', rows: 10, buckets: 2 })
  await takeUp()
  expect(await answers()).toEqual(before)
})

it('the updates feed lists a compaction without rows, and the table log marks its version dataChange=false', async () => {
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
  const flags = lines.flatMap(row => {
    const { add, remove } = JSON.parse(row)
    return add || remove ? [(add ?? remove).dataChange] : []
  })
  expect(flags).toEqual([false, false, false, false, false])
})

it('reads combine a compacted release with days appended to it', async () => {
  await compactRelease(s.workspace, s.dataset(SLUG))
  await append('2026-07-01', 3)
  expect(now().manifest.changes).toMatchObject({ kind: 'new_rows', rows_added: 5, rows_changed: 0 })
  const key = s.keyOn('max')
  expect((await s.get(`/v2/datasets/${SLUG}?symbol=9999`, key)).json().data.map((row: { trade_date: string }) => row.trade_date)).toEqual([
    '2026-07-01',
    '2026-06-30',
    '2026-06-29',
  ])
})

it('twmd releases compact reports whether it moved rows, found no rows to move, or found a damaged part', async () => {
  const result = await twmd(s.dir, 'releases', 'compact', SLUG)
  expect([result.code, result.stdout]).toEqual([
    0,
    `${SLUG}: published ${now().release}: 10 appended rows merged into 2 buckets; the rows did not change.\n`,
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
    `${SLUG}: ${now().release} has no appended rows to merge; nothing to compact.\n`,
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
