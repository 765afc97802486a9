import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { collectReleases, pinRelease, planCollection, unpinRelease } from '../../../ingest/history/index.ts'
import { serveAgain, withLock } from '../../../ingest/publish/index.ts'
import { releasePaths } from '../../../src/releases/index.ts'
import { damagedParts, releaseIds, stored } from '../../fixtures/publish/store.ts'
import { type Publisher, publisher } from '../publish/publisher.ts'

const SLUG = 'trading-calendar'
const HOUR = 3_600_000
const DAY = 24 * HOUR
const FIRST = Date.parse('2026-03-02T10:00:00Z')
let now = new Date(FIRST)
/** Six releases, published 20 days apart. Each test uses a copy. */
let six: Publisher
let s: Publisher
let ids: readonly string[]
const add = (target: Publisher, date: string) => target.publish(SLUG, [{ market: 'TWSE', date, is_open: false, reason: null }])
beforeAll(async () => {
  six = await publisher({ now: () => now })
  for (let index = 0; index < 6; index++) {
    now = new Date(FIRST + index * 20 * DAY)
    await add(six, `2026-02-0${index + 1}`)
  }
  ids = releaseIds(six.workspace.releases, SLUG)
})
afterAll(() => six.close())
beforeEach(async () => {
  now = new Date(FIRST + 100 * DAY)
  s = await publisher({ now: () => now, copyOf: six.dir })
})
afterEach(() => s.close())

const later = (ms: number): void => {
  now = new Date(now.getTime() + ms)
}
const paths = () => releasePaths(s.workspace.releases, SLUG)
const options = (days: number | null, immediately = false) => ({
  since: days === null ? null : new Date(now.getTime() - days * DAY),
  immediately,
})
const gc = (days: number | null, immediately = false) => collectReleases(s.workspace, s.dataset(SLUG), options(days, immediately))
const reasons = async (days: number | null) =>
  (await planCollection(s.workspace, s.dataset(SLUG), options(days))).kept.map(({ release, reason }) => [ids.indexOf(release), reason])

it('garbage collection keeps pinned releases, the served release, its parent, and releases that were served within the retention', async () => {
  await pinRelease(s.workspace, s.dataset(SLUG), ids[0]!, 'as handed in')
  const served = [
    [4, 'parent'],
    [5, 'served'],
  ]
  const within = [2, 3].map(index => [index, 'within retention'])
  expect(await reasons(null)).toEqual([[0, 'pinned'], [1, 'within retention'], ...within, ...served])
  // 50 days ago, the service served the release that was published 60 days ago.
  expect(await reasons(50)).toEqual([[0, 'pinned'], ...within, ...served])
  expect(await reasons(1)).toEqual([[0, 'pinned'], ...served])
  await unpinRelease(s.workspace, s.dataset(SLUG), ids[0]!)
  expect(await reasons(1)).toEqual(served)
})

it('garbage collection keeps a release that was withdrawn within the retention', async () => {
  later(10 * DAY)
  await serveAgain(s.workspace, s.dataset(SLUG), ids[1]!)
  later(10 * DAY)
  const served = [
    [0, 'parent'],
    [1, 'served'],
  ]
  expect(await reasons(15)).toEqual([...served, [5, 'within retention']])
  expect(await reasons(5)).toEqual(served)
})

it('a retired release cannot be served again, and its files are removed after two hours', async () => {
  expect(await gc(50)).toMatchObject({ retired: [ids[0], ids[1]], removed: [], waiting: [ids[0], ids[1]], freed: { parts: 0 } })
  expect(existsSync(paths().release(ids[0]!))).toBe(true)
  await expect(serveAgain(s.workspace, s.dataset(SLUG), ids[0]!)).rejects.toThrow(`There is no release ${ids[0]} of ${SLUG}`)
  later(HOUR)
  expect(await gc(50)).toMatchObject({ retired: [], removed: [], waiting: [ids[0], ids[1]] })
  later(HOUR)
  const last = await gc(50)
  expect(last).toMatchObject({ retired: [], removed: [ids[0], ids[1]], waiting: [], held: null })
  expect(last.freed.parts).toBeGreaterThan(0)
  expect(await gc(50)).toMatchObject({ retired: [], removed: [], waiting: [], freed: { parts: 0, bytes: 0 } })
})

it('garbage collection keeps exactly the parts that retained releases list', async () => {
  await gc(1, true)
  expect(releaseIds(s.workspace.releases, SLUG)).toEqual(ids.slice(4))
  const named = ids.slice(4).flatMap(id => stored(s.workspace.releases, SLUG, id).manifest.parts.map(({ sha256 }) => `${sha256}.parquet`))
  expect(readdirSync(paths().parts).sort()).toEqual([...new Set(named)].sort())
  expect(damagedParts(s.workspace.releases, SLUG)).toEqual([])
})

it('if garbage collection is killed between two steps, it damages no retained release, and the next run completes it', async () => {
  await gc(1)
  // Killed after the folder was renamed, and after only some of the parts were removed.
  later(3 * HOUR)
  const { parts } = JSON.parse(readFileSync(paths().manifest(ids[0]!), 'utf8'))
  renameSync(paths().release(ids[0]!), join(paths().home, `.stage-retired-${ids[0]}`))
  const retained = JSON.parse(readFileSync(paths().manifest(ids[5]!), 'utf8')).parts.map((part: { sha256: string }) => part.sha256)
  for (const { sha256 } of parts) if (!retained.includes(sha256)) rmSync(paths().part(sha256), { force: true })
  expect(damagedParts(s.workspace.releases, SLUG)).toEqual([])
  expect((await gc(1)).removed).toEqual(ids.slice(1, 4))
  expect(releaseIds(s.workspace.releases, SLUG)).toEqual(ids.slice(4))
  await add(s, '2026-02-11')
  expect(readdirSync(paths().home).filter(name => name.startsWith('.stage-'))).toEqual([])
  expect(damagedParts(s.workspace.releases, SLUG)).toEqual([])
})

it('garbage collection and pins are refused while the dataset is being published', async () => {
  await withLock(paths().home, async () => {
    await expect(gc(1)).rejects.toThrow('is publishing this dataset')
    await expect(pinRelease(s.workspace, s.dataset(SLUG), ids[0]!, null)).rejects.toThrow('is publishing this dataset')
  })
  expect(releaseIds(s.workspace.releases, SLUG)).toEqual(ids)
})

it('garbage collection removes no part while a manifest is damaged or a pull is unfinished', async () => {
  writeFileSync(paths().manifest(ids[2]!), '{')
  const parts = readdirSync(paths().parts)
  expect(await gc(1, true)).toMatchObject({ removed: [ids[0], ids[1], ids[3]], held: 'damaged manifest', freed: { parts: 0 } })
  expect(readdirSync(paths().parts)).toEqual(parts)
  rmSync(paths().release(ids[2]!), { recursive: true })
  mkdirSync(join(paths().home, '.pull'))
  expect(await gc(1, true)).toMatchObject({ held: 'unfinished pull' })
  expect(readdirSync(paths().parts)).toEqual(parts)
  rmSync(join(paths().home, '.pull'), { recursive: true })
  expect((await gc(1, true)).freed.parts).toBeGreaterThan(0)
})
