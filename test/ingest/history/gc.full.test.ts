import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { collectReleases, pinRelease } from '../../../ingest/history/index.ts'
import { rebuildTable, serveAgain } from '../../../ingest/publish/index.ts'
import { checkLog } from '../../../src/delta/index.ts'
import { openReleases, releasePaths } from '../../../src/releases/index.ts'
import { quarter, quarterly } from '../../fixtures/fields/quarterly.ts'
import { weekdays } from '../../fixtures/publish/rows.ts'
import { releaseIds, stored } from '../../fixtures/publish/store.ts'
import { type SixReleases, SLUG, sixReleases } from '../../fixtures/releases/six-releases.ts'

const PATH = `/v2/datasets/${SLUG}?symbol=2330&limit=1000`
const HOUR = 3_600_000
const DAY = 24 * HOUR

let history: SixReleases
let { s, workspace, ids } = {} as SixReleases
beforeEach(async () => {
  history = await sixReleases()
  ;({ s, workspace, ids } = history)
})
afterEach(() => history.close())

const publish = (date: string, seed: number) => history.publish(date, seed)
const takeUp = () => history.takeUp()
const paths = () => releasePaths(workspace.releases, SLUG)
const daysAgo = (count: number) => new Date(history.now().getTime() - count * DAY)
const later = (ms: number) => history.later(ms)
const gc = (retention: number | null, immediately = false) =>
  collectReleases(workspace, s.dataset(SLUG), { since: retention === null ? null : daysAgo(retention), immediately })
const status = (path: string) => history.status(path)
const updates = async (): Promise<readonly { release_version: string; previous_release_version: string | null }[]> =>
  (await s.get('/v2/updates?since=2000-01-01')).json().data

it('a read of a garbage-collected release answers 410 even when an older release is served; a future release id is unknown', async () => {
  await serveAgain(workspace, s.dataset(SLUG), ids[1]!)
  await takeUp()
  later(3 * DAY)
  expect((await gc(1)).retired).toContain(ids[5])
  expect(await status(`${PATH}&release=${ids[5]}`)).toEqual([410, 'release_retired'])
  const { error } = (await s.get(`${PATH}&release=20990101T000000000Z`, s.keyOn('max'))).json()
  expect([error.error_code, error.nearest]).toEqual(['unknown_id', ids[1]])
})

it('a new read of a garbage-collected release is refused, but its signed URLs and running reads work for two hours', async () => {
  const key = s.keyOn('max')
  const page = await s.get(`/v2/datasets/${SLUG}?symbol=2330&limit=1&release=${ids[1]}`, key)
  const next = /<([^>]+)>; rel="next"/.exec(String(page.headers['link']))![1]!
  const pinned = await s.releases.pinned(s.dataset(SLUG), ids[1]!)
  const listed = (await s.get(`/v2/datasets/${SLUG}/parts?release=${ids[1]}`, key)).json()
  const url = new URL(listed.data.at(-1).url)
  expect(await gc(50)).toMatchObject({ retired: [ids[0], ids[1]], removed: [], waiting: [ids[0], ids[1]], freed: { parts: 0 } })
  expect(await status(next)).toEqual([410, 'release_retired'])
  expect(await status(`${PATH}&release=${ids[1]}`)).toEqual([410, 'release_retired'])
  expect((await s.get(`${PATH}&release=${ids[1]}`, key)).json().error.nearest).toBe(ids[2])
  expect(await status(`/v2/datasets/${SLUG}/releases/${ids[1]}/manifest.json`)).toEqual([410, 'release_retired'])
  expect(await status(`${PATH}&release=${ids[2]}`)).toEqual([200, ids[2]])
  expect((await s.get(url.pathname + url.search)).statusCode).toBe(200)
  for (const part of pinned.manifest.parts) expect(existsSync(pinned.pathOf(part))).toBe(true)

  later(HOUR)
  expect(await gc(50)).toMatchObject({ retired: [], removed: [], waiting: [ids[0], ids[1]] })
  later(HOUR)
  const last = await gc(50)
  expect(last).toMatchObject({ retired: [], removed: [ids[0], ids[1]], waiting: [], held: null })
  expect(last.freed.parts).toBeGreaterThan(0)
  // The URL has expired by then; a key can still read a file.
  expect((await s.get(url.pathname + url.search)).statusCode).toBe(403)
  expect((await s.get(url.pathname, key)).statusCode).toBe(404)
  expect(await gc(50)).toMatchObject({ retired: [], removed: [], waiting: [], freed: { parts: 0, bytes: 0 } })
})

it('after garbage collection of older releases, reads return the same answers and the next publication succeeds', async () => {
  const before = (await s.get(PATH, s.keyOn('max'))).body
  await gc(1, true)
  await takeUp()
  expect((await s.get(PATH, s.keyOn('max'))).body).toBe(before)
  expect(await status(`${PATH}&release=${ids[4]}`)).toEqual([200, ids[4]])
  await publish('2026-06-11', 9)
  await takeUp()
  expect((await status(PATH))[1]).toBe(stored(workspace.releases, SLUG).release)
})

it('the updates feed still lists garbage-collected releases', async () => {
  const before = await updates()
  await gc(1, true)
  await publish('2026-06-11', 9)
  await takeUp()
  const after = await updates()
  expect(after.slice(1)).toEqual(before)
  expect(after.map(entry => entry.previous_release_version)).toEqual([...ids.toReversed(), null])
})

it('a Delta table version of a garbage-collected release answers 410, and the rebuilt log has only retained versions', async () => {
  const key = s.keyOn('max')
  const query = (version: number) =>
    s.app.inject({
      method: 'POST',
      url: `/delta-sharing/shares/pro/schemas/twmd/tables/${SLUG.replaceAll('-', '_')}/query`,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      payload: { version },
    })
  expect((await query(1)).statusCode).toBe(200)
  await gc(50, true)
  expect((await query(1)).statusCode).toBe(410)
  expect((await query(3)).statusCode).toBe(200)
  expect(await checkLog(workspace.releases, s.dataset(SLUG))).toMatchObject({ version: 5, fault: null })
  rmSync(join(paths().home, '_delta_log'), { recursive: true })
  await rebuildTable(workspace, s.dataset(SLUG))
  expect(await checkLog(workspace.releases, s.dataset(SLUG))).toMatchObject({ version: 3, fault: null })
})

it('the nearest retained ancestor is served when newer releases are damaged', async () => {
  await pinRelease(workspace, s.dataset(SLUG), ids[1]!, null)
  await gc(1, true)
  expect(releaseIds(workspace.releases, SLUG)).toEqual([ids[1], ids[4], ids[5]])
  for (const id of ids.slice(4)) writeFileSync(paths().spans(id), '{}')
  const releases = await openReleases({ root: workspace.releases, catalog: workspace.catalog, log: () => {} })
  const { id, degraded } = releases.current(s.dataset(SLUG))
  releases.close()
  expect([id, degraded]).toEqual([ids[1], true])
})

it('a withdrawn release is never a fallback, even when it is pinned', async () => {
  await serveAgain(workspace, s.dataset(SLUG), ids[0]!)
  await pinRelease(workspace, s.dataset(SLUG), ids[4]!, null)
  for (const [index, date] of weekdays('2026-06-15', 3).entries()) {
    later(20 * DAY)
    await publish(date, 10 + index)
  }
  const newest = releaseIds(workspace.releases, SLUG).slice(-2)
  await gc(1, true)
  expect(releaseIds(workspace.releases, SLUG)).toEqual([ids[4], ...newest])
  for (const id of newest) writeFileSync(paths().spans(id), '{}')
  const releases = await openReleases({ root: workspace.releases, catalog: workspace.catalog, log: () => {} })
  expect(() => releases.current(s.dataset(SLUG))).toThrow('No intact release of this dataset is available')
  releases.close()
})

it('an as-of field query answers as before within the retention, and with 410 if the release of its day was deleted', async () => {
  const q = await quarterly()
  const first = await q.publish('2026-05-10', quarter('2025-Q4', 1, '2026-05-10'))
  const second = await q.publish('2026-05-20', quarter('2026-Q1', 2, '2026-05-19'))
  await q.publish('2026-06-10', quarter('2025-Q4', 9, '2026-05-10'), quarter('2026-Q1', 3, '2026-06-09'))
  await q.publish('2026-07-01', quarter('2026-Q2', 4, '2026-07-01'))
  const readAll = async () => [await q.eps('2026-06-20'), await q.eps('2026-05-25'), await q.eps('2026-07-01')]
  const before = await readAll()
  expect(before[1]).toEqual(['2026-Q1', 2, '2026-05-19', second])
  expect(await q.eps('2026-05-15')).toEqual(['2025-Q4', 1, '2026-05-10', first])
  const dataset = q.s.dataset('earnings')
  await collectReleases(q.s.workspace, dataset, { since: new Date('2026-05-25T00:00:00Z'), immediately: true })
  expect(await readAll()).toEqual(before)
  const refused = await q.s.get('/v2/query?entity_type=company&entity_id=2330&fields=earnings.eps&as_of_date=2026-05-15', q.s.keyOn('pro'))
  expect([refused.statusCode, refused.json().error.error_code, refused.json().detail]).toEqual([
    410,
    'release_retired',
    'The release that was served on that day is no longer available. Request a later day.',
  ])
  await q.s.close()
})

it('an as-of field query answers 410 when the earlier version of a restated figure was garbage-collected', async () => {
  const q = await quarterly()
  const url = '/v2/query?entity_type=company&entity_id=2330&fields=earnings.eps&as_of_date=2026-05-25'
  const first = await q.publish('2026-05-10', quarter('2025-Q4', 1, '2026-05-10'))
  const second = await q.publish('2026-05-15', quarter('2025-Q3', 5, '2026-02-10'))
  await q.publish('2026-05-20', quarter('2025-Q4', 2, '2026-06-01'), quarter('2026-Q1', 3, '2026-06-01'))
  await q.publish('2026-07-01', quarter('2026-Q2', 4, '2026-07-01'))
  const dataset = q.s.dataset('earnings')
  const letGo = (day: string) => collectReleases(q.s.workspace, dataset, { since: new Date(`${day}T00:00:00Z`), immediately: true })
  const before = await q.eps('2026-05-25')
  expect(before).toEqual(['2025-Q4', 1, '2026-05-10', second])
  expect((await letGo('2026-05-17')).retired).toEqual([first])
  expect(await q.eps('2026-05-25')).toEqual(before)
  expect((await letGo('2026-05-22')).retired).toEqual([second])
  const refused = await q.s.get(url, q.s.keyOn('pro'))
  expect([refused.statusCode, refused.json().error?.error_code]).toEqual([410, 'release_retired'])
  await q.s.close()
})
