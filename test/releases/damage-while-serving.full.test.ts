import {
  cpSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createLog } from '../../src/core/index.ts'
import { openReleases } from '../../src/releases/index.ts'
import { day } from '../fixtures/publish/rows.ts'
import { releaseIds, stored } from '../fixtures/publish/store.ts'
import { scrubbed } from '../fixtures/releases/scrubbed.ts'
import { service, type TestService } from '../support.ts'

const SLUG = 'institutional-positioning'
const PATH = `/v2/datasets/${SLUG}?symbol=2330`
let s: TestService
let key: string
let newest: ReturnType<typeof stored>

/** Three releases, each with its own part. */
beforeEach(async () => {
  s = await service({ examples: false, inMemory: false })
  await s.publish(SLUG, [...day('2026-06-26', 1), ...day('2026-06-29', 2)])
  await s.publish(SLUG, day('2026-06-30', 3))
  await s.publish(SLUG, day('2026-07-01', 4))
  newest = stored(s.workspace.releases, SLUG)
  key = s.keyOn('max')
})
afterEach(async () => {
  vi.restoreAllMocks()
  await s.close()
})

const ids = (): readonly string[] => releaseIds(s.workspace.releases, SLUG)
/** The new part of a release. */
const partOf = (release: string): string => {
  const before = ids()[ids().indexOf(release) - 1]!
  const parts = (id: string): readonly { sha256: string }[] => JSON.parse(readFileSync(newest.paths.manifest(id), 'utf8')).parts
  const old = new Set(parts(before).map(({ sha256 }) => sha256))
  return newest.paths.part(parts(release).find(({ sha256 }) => !old.has(sha256))!.sha256)
}

async function read(query = '') {
  const response = await s.get(`${PATH}${query}`, key)
  const body = response.json()
  const { statusCode, headers } = response
  return {
    status: statusCode,
    release: headers['x-release'],
    code: body.error?.error_code,
    charged: headers['x-credits-charged'],
    body,
    headers,
  }
}

const overwrite = (file: string): void => writeFileSync(file, Buffer.alloc(statSync(file).size, 7))
const DAMAGES: readonly (readonly [what: string, damage: (file: string) => void])[] = [
  ['cut off', file => truncateSync(file, 20)],
  ['emptied', file => truncateSync(file, 0)],
  ['removed', file => rmSync(file)],
]

it.each(DAMAGES)('if a file of the newest release is %s, reads use the older release until the file is restored', async (_, damage) => {
  const [, parent] = ids()
  const part = partOf(newest.release)
  const whole = readFileSync(part)
  damage(part)
  expect(await read()).toMatchObject({
    status: 200,
    release: parent,
    charged: '2',
    body: { row_count: 3 },
    headers: { 'x-warnings': expect.stringContaining('newest_release_damaged_older_one_served') },
  })
  expect((await s.get('/v2/datasets')).json().data).toContainEqual(expect.objectContaining({ slug: SLUG, status: 'degraded' }))
  writeFileSync(part, whole)
  await expect.poll(async () => (await read()).release, { timeout: 60_000 }).toBe(newest.release)
  expect(await read()).toMatchObject({ status: 200, body: { row_count: 4 } })
})

it.each(DAMAGES)('if all files of a dataset are %s, its reads are refused until the files are restored', async (_, damage) => {
  const files = readdirSync(newest.paths.parts).map(name => join(newest.paths.parts, name))
  const whole = files.map(file => readFileSync(file))
  for (const file of files) damage(file)
  const refused = await read()
  expect(refused).toMatchObject({ status: 503, code: 'data_unavailable', charged: '0', body: { error: { blocking_gate: 'integrity' } } })
  expect(refused.headers['retry-after']).toBe(String(refused.body.error.retry_after))
  for (const [index, file] of files.entries()) writeFileSync(file, whole[index]!)
  await expect.poll(async () => (await read()).release, { timeout: 60_000 }).toBe(newest.release)
  expect((await read()).body).toMatchObject({ row_count: 4 })
})

it('health probes list datasets that are served from an older release, and datasets whose reads are refused', async () => {
  await s.publish('securities-firm-master', s.dataset('securities-firm-master').example)
  const ready = async () => {
    const { statusCode, body } = await s.get('/readyz')
    return { statusCode, ...JSON.parse(body) }
  }
  const well = { statusCode: 200, status: 'ready', checks: { releases: 'ok' } }
  expect(await ready()).toMatchObject({ ...well, degraded: [], unavailable: [] })
  overwrite(partOf(newest.release))
  await read()
  expect(await ready()).toMatchObject({ ...well, degraded: [SLUG], unavailable: [] })
  for (const release of ids().slice(0, 2)) rmSync(newest.paths.release(release), { recursive: true })
  await scrubbed(s.releases)
  expect(await ready()).toMatchObject({ ...well, degraded: [SLUG] })
  overwrite(newest.paths.part(s.releases.current(s.dataset(SLUG)).manifest.parts[0]!.sha256))
  await read()
  expect(await ready()).toMatchObject({ ...well, degraded: [], unavailable: [SLUG] })
  expect((await s.get('/health')).json()).toMatchObject({ status: 'ready', unavailable: [SLUG] })
})

it('if a read finds a damaged part, the older release is verified again before it is served', async () => {
  for (const release of ids().slice(1)) overwrite(partOf(release))
  expect(await read()).toMatchObject({ status: 200, release: ids()[0], body: { row_count: 2 } })
})

it('a read pinned to a damaged older release is refused, and the newest release stays served', async () => {
  const [, older] = ids()
  expect(await read(`&release=${older}`)).toMatchObject({ status: 200, release: older })
  await s.publish(SLUG, [...day('2026-06-26', 5), ...day('2026-06-29', 5), ...day('2026-06-30', 5), ...day('2026-07-01', 5)])
  const file = newest.paths.part(JSON.parse(readFileSync(newest.paths.manifest(older!), 'utf8')).parts.at(-1).sha256)
  const whole = readFileSync(file)
  overwrite(file)
  expect(await read(`&release=${older}&sort_by=trade_date`)).toMatchObject({ status: 500, code: 'integrity' })
  expect(await read(`&release=${older}`)).toMatchObject({ status: 500, code: 'integrity' })
  expect((await read()).status).toBe(200)
  writeFileSync(file, whole)
  expect(await read(`&release=${older}`)).toMatchObject({ status: 200, release: older })
})

it('if a read fails because of a programming error, its release is not marked as damaged', async () => {
  overwrite(partOf(newest.release))
  const { read: readRows } = s.pool
  Object.assign(s.pool, { read: () => Promise.reject(new TypeError('a mistake')) })
  expect(await read()).toMatchObject({ status: 500, code: 'internal', charged: '0' })
  expect(s.releases.current(s.dataset(SLUG))).toMatchObject({ id: newest.release, degraded: false })
  Object.assign(s.pool, { read: readRows })
  expect(await read()).toMatchObject({ status: 200, release: ids()[1] })
})

it('a field query succeeds while the newest part is damaged', async () => {
  overwrite(partOf(newest.release))
  const url = '/v2/query?entity_type=company&entity_id=2330&fields=foreign_net_buy&as_of_date=2026-06-30'
  expect((await s.get(url, key)).statusCode).toBe(200)
})

it('a damaged release is served again after its file is restored, even if the file times are unchanged', async () => {
  const part = partOf(newest.release)
  const [whole, { atime, mtime }] = [readFileSync(part), statSync(part)]
  overwrite(part)
  utimesSync(part, atime, mtime)
  await read()
  writeFileSync(part, whole)
  utimesSync(part, atime, mtime)
  await expect.poll(async () => (await read()).release, { timeout: 60_000 }).toBe(newest.release)
})

it.each(['manifest', 'seal', 'spans'] as const)('a release with a damaged %s is served again once the file is restored', async what => {
  const file = newest.paths[what](newest.release)
  const whole = readFileSync(file)
  truncateSync(file, 10)
  writeFileSync(newest.paths.current, `${newest.release}\n`)
  await s.releases.refresh()
  expect((await read()).release).toBe(ids()[1])
  writeFileSync(file, whole)
  await expect.poll(async () => (await read()).release, { timeout: 60_000 }).toBe(newest.release)
})

it('if the folder of a dataset is missing, the dataset is served again after a restore or a publication', async () => {
  const { home } = newest.paths
  renameSync(home, `${home}.away`)
  expect(await read()).toMatchObject({ status: 503, code: 'data_unavailable' })
  renameSync(`${home}.away`, home)
  await expect.poll(async () => (await read()).release, { timeout: 60_000 }).toBe(newest.release)
  renameSync(home, `${home}.away`)
  expect((await read()).status).toBe(503)
  await s.publish(SLUG, day('2026-07-01', 4))
  expect(await read()).toMatchObject({ status: 200, body: { row_count: 1 } })
})

it('if the disk cannot read a manifest, the read is retried after a delay, without repeated notifications', async () => {
  const { current } = newest.paths
  const file = newest.paths.manifest(newest.release)
  renameSync(file, `${file}.away`)
  // Reading address 0 of this process's memory fails with EIO.
  symlinkSync('/proc/self/mem', file)
  writeFileSync(current, readFileSync(current))
  await s.releases.refresh()
  expect(s.releases.current(s.dataset(SLUG))).toMatchObject({ id: ids()[1], degraded: true })
  let reports = 0
  s.releases.onChange(() => reports++)
  const lines = (event: string): number => s.lines.filter(line => line.includes(`"release ${event}"`)).length
  const [served, damaged] = [lines('served'), lines('damaged')]
  for (let attempt = 0; attempt < 5; attempt++) await s.releases.refresh()
  expect([reports, lines('served'), lines('damaged')]).toEqual([0, served, damaged])
  const now = performance.now.bind(performance)
  vi.spyOn(performance, 'now').mockImplementation(() => now() + 30_000)
  for (let attempt = 0; attempt < 5; attempt++) await s.releases.refresh()
  expect([reports, lines('served'), lines('damaged')]).toEqual([0, served, damaged + 1])
  rmSync(file)
  renameSync(`${file}.away`, file)
  await s.releases.refresh()
  expect([reports, s.releases.current(s.dataset(SLUG))]).toEqual([1, expect.objectContaining({ id: newest.release, degraded: false })])
})

const copied = async (order: readonly ((name: string) => boolean)[]) => {
  const copy = join(s.dir, 'copy')
  for (const wanted of order) {
    for (const name of readdirSync(newest.paths.home).filter(wanted)) {
      cpSync(join(newest.paths.home, name), join(copy, SLUG, name), { recursive: true })
    }
    await s.publish(SLUG, day('2026-07-02', order.indexOf(wanted) + 5))
  }
  const releases = await openReleases({ root: copy, catalog: s.catalog, log: createLog('silent') })
  releases.close()
  return releases.current(s.dataset(SLUG))
}
const isCurrent = (name: string): boolean => name === 'current'
const isRelease = (name: string): boolean => /^\d/.test(name)

it('a copy of the releases folder serves the release in current if current was copied first', async () => {
  const { id, degraded } = await copied([isCurrent, name => name === 'parts', isRelease])
  expect([id, degraded]).toEqual([newest.release, false])
  expect(releaseIds(join(s.dir, 'copy'), SLUG).at(-1)! > newest.release).toBe(true)
})

it('a copy of the releases folder serves the previous release as degraded if current was copied last', async () => {
  const { id, degraded } = await copied([name => name === 'parts', isRelease, isCurrent])
  expect([id, degraded]).toEqual([newest.release, true])
})
