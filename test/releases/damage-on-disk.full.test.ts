import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createLog } from '../../src/core/index.ts'
import { openReleases, sha256OfText } from '../../src/releases/index.ts'
import { serving, twmd } from '../fixtures/cli/twmd.ts'
import { day } from '../fixtures/publish/rows.ts'
import { stored } from '../fixtures/publish/store.ts'
import { flipBit } from '../fixtures/releases/flip-bit.ts'
import { SECRETS, service, type TestService } from '../support.ts'

const SLUG = 'institutional-positioning'
const PATH = `/v2/datasets/${SLUG}?symbol=2330`
let s: TestService
let parent: string
let newest: ReturnType<typeof stored>

/** Two releases with the same base part. The newer release has a delta part. */
beforeEach(async () => {
  s = await service({ examples: false, inMemory: false })
  await s.publish(SLUG, [...day('2026-06-26', 1), ...day('2026-06-29', 2)])
  parent = stored(s.workspace.releases, SLUG).release
  await s.publish(SLUG, day('2026-06-30', 3))
  newest = stored(s.workspace.releases, SLUG)
})
afterEach(() => s.close())

const file = (role: 'base' | 'delta'): string => newest.paths.part(newest[role][0]!.sha256)

/** Starts a service on the folder. */
async function started(work: (read: (path: string) => Promise<Response>) => Promise<void>): Promise<void> {
  const key = s.keyOn('max')
  const running = await serving(s.dir, 'serve', SECRETS)
  try {
    await work(path => fetch(`${running.url}${path}`, { headers: { 'x-api-key': key } }))
  } finally {
    await running.stop()
  }
}

const DAMAGES: readonly (readonly [what: string, damage: (path: string) => void, finding: string])[] = [
  ['a flipped bit', path => flipBit(path, 4_000), 'does not match its sha256'],
  ['its last bytes cut off', path => truncateSync(path, readFileSync(path).length - 8), 'has \\d+ bytes instead of'],
  ['no bytes', path => truncateSync(path, 0), 'has 0 bytes'],
  ['a missing file', path => rmSync(path), 'is missing'],
  ['another part’s bytes', path => writeFileSync(path, readFileSync(file('base'))), 'has \\d+ bytes instead of'],
]

it.each(DAMAGES)('D2: twmd releases verify names a part with %s, and the parent is served', async (_, damage, finding) => {
  damage(file('delta'))
  const { sha256 } = newest.delta[0]!
  const verified = await twmd(s.dir, 'releases', 'verify', SLUG)
  expect([verified.code, verified.stderr]).toEqual([1, `damaged  parts/${sha256}.parquet, in ${newest.release}\n`])
  const lines: string[] = []
  const releases = await openReleases({
    root: s.workspace.releases,
    catalog: s.catalog,
    log: createLog('info', { write: line => void lines.push(line) }),
  })
  releases.close()
  expect(releases.current(s.dataset(SLUG))).toMatchObject({ id: parent, degraded: true })
  expect(lines.join('')).toMatch(new RegExp(`part ${sha256} ${finding}`))
})

it('D2: a service started on a damaged release serves the parent and refuses the damaged release by its id', async () => {
  flipBit(file('delta'), 4_000)
  await started(async read => {
    const response = await read(PATH)
    expect([response.status, response.headers.get('x-release')]).toEqual([200, parent])
    const { data } = (await response.json()) as { data: readonly { trade_date: string }[] }
    expect(data.map(({ trade_date }) => trade_date)).toEqual(['2026-06-29', '2026-06-26'])
    expect((await read('/readyz')).status).toBe(200)
    const pinned = await read(`${PATH}&release=${newest.release}`)
    expect([pinned.status, ((await pinned.json()) as { error: { error_code: string } }).error.error_code]).toEqual([500, 'integrity'])
  })
})

it('D2: a service started without the file "current" serves the newest intact release as degraded', async () => {
  rmSync(newest.paths.current)
  await started(async read => {
    const served = async () => {
      const [response, ready] = [await read(PATH), (await (await read('/readyz')).json()) as { degraded: readonly string[] }]
      return [response.status, response.headers.get('x-release'), ready.degraded]
    }
    expect(await served()).toEqual([200, newest.release, [SLUG]])
    writeFileSync(newest.paths.current, `${newest.release}\n`)
    await expect.poll(served, { timeout: 60_000 }).toEqual([200, newest.release, []])
  })
})

it('D2: a dataset without an intact release is unavailable, and a dataset without any release is building', async () => {
  rmSync(newest.paths.current)
  flipBit(file('base'), 4_000)
  const releases = await openReleases({ root: s.workspace.releases, catalog: s.catalog, log: createLog('silent') })
  releases.close()
  expect(() => releases.served(s.dataset(SLUG))).toThrow(expect.objectContaining({ code: 'data_unavailable' }))
  expect(releases.served(s.dataset('theme-taxonomy'))).toBe(null)
})

it('D2: a damaged release falls back to its parent, not to a withdrawn release', async () => {
  writeFileSync(newest.paths.current, `${parent}\n`)
  await s.publish(SLUG, day('2026-07-01', 4))
  const next = stored(s.workspace.releases, SLUG)
  flipBit(next.paths.part(next.delta[0]!.sha256), 4_000)
  const releases = await openReleases({ root: s.workspace.releases, catalog: s.catalog, log: createLog('silent') })
  releases.close()
  expect(releases.current(s.dataset(SLUG))).toMatchObject({ id: parent, degraded: true })
})

it('D2: a flipped bit anywhere in a part is found, and the parent is served', async () => {
  const path = file('delta')
  const bits = readFileSync(path).length * 8
  const open = () => openReleases({ root: s.workspace.releases, catalog: s.catalog, log: createLog('silent') })
  for (let step = 0; step < 100; step++) {
    const bit = Math.floor((step * (bits - 1)) / 99)
    flipBit(path, bit)
    const releases = await open()
    expect([bit, releases.current(s.dataset(SLUG)).id]).toEqual([bit, parent])
    releases.close()
    flipBit(path, bit)
  }
  const whole = await open()
  expect(whole.current(s.dataset(SLUG)).id).toBe(newest.release)
  whole.close()
})

it('D2: damage to a part that all releases share makes reads of the dataset fail with 503, and other datasets stay available', async () => {
  flipBit(file('base'), 4_000)
  await s.publish('securities-firm-master', s.dataset('securities-firm-master').example)
  await started(async read => {
    const response = await read(PATH)
    expect([response.status, ((await response.json()) as { error: object }).error]).toEqual([
      503,
      expect.objectContaining({ error_code: 'data_unavailable', blocking_gate: 'integrity' }),
    ])
    expect([(await read('/v2/datasets/securities-firm-master')).status, (await read('/readyz')).status]).toEqual([200, 200])
  })
})

it('D2: damage to the only release of the only dataset makes the service not ready', async () => {
  flipBit(file('base'), 4_000)
  await started(async read => {
    const ready = await read('/readyz')
    expect([ready.status, ((await ready.json()) as { checks: { releases: string } }).checks.releases]).toEqual([
      503,
      expect.stringContaining('no dataset'),
    ])
    expect((await read('/healthz')).status).toBe(200)
  })
})

it.each([
  ['manifest', () => newest.paths.manifest(newest.release)],
  ['spans', () => newest.paths.spans(newest.release)],
  ['seal', () => newest.paths.seal(newest.release)],
])('D2: a flipped bit anywhere in the %s of a release is found, and the parent is served', async (_, path) => {
  const whole = readFileSync(path())
  for (let step = 0; step < 40; step++) {
    const bit = Math.floor((step * (whole.length * 8 - 9)) / 39)
    flipBit(path(), bit)
    const releases = await openReleases({ root: s.workspace.releases, catalog: s.catalog, log: createLog('silent') })
    expect([bit, releases.current(s.dataset(SLUG)).id]).toEqual([bit, parent])
    releases.close()
    writeFileSync(path(), whole)
  }
})

/** Writes other spans for the newest release, with matching hashes. Returns the served release. */
async function servedWith(text: string): Promise<string | undefined> {
  const manifest = JSON.stringify({ ...newest.manifest, statistics: { ...newest.manifest.statistics, spans: sha256OfText(text) } })
  writeFileSync(newest.paths.spans(newest.release), text)
  writeFileSync(newest.paths.manifest(newest.release), manifest)
  writeFileSync(newest.paths.seal(newest.release), sha256OfText(manifest))
  const releases = await openReleases({ root: s.workspace.releases, catalog: s.catalog, log: createLog('silent') })
  releases.close()
  return releases.current(s.dataset(SLUG)).id
}

it.each(['base', 'delta', 'slices'])(
  'D2: a spans file with a malformed "%s" is refused even if its sha256 matches, and the parent is served',
  async kind => {
    expect(await servedWith(JSON.stringify({ ...newest.spans, [kind]: { 'TWSE 2026-06-30': ['2026-06-30'] } }))).toBe(parent)
  },
)

it('a release is served whatever the order of the tables in its spans file', async () => {
  const { base, delta, slices, received } = newest.spans
  expect(received).toBeDefined()
  for (const spans of [
    { slices, received, base, delta },
    { received, delta, slices, base },
    { base, delta, received, slices },
  ])
    expect([Object.keys(spans), await servedWith(JSON.stringify(spans))]).toEqual([Object.keys(spans), newest.release])
})

it.each([
  ['manifest', (id: string) => newest.paths.manifest(id)],
  ['spans', (id: string) => newest.paths.spans(id)],
])('D2: twmd releases verify names a damaged %s file', async (what, path) => {
  truncateSync(path(newest.release), 100)
  const { code, stderr } = await twmd(s.dir, 'releases', 'verify', SLUG)
  expect([code, stderr]).toEqual([1, `damaged  ${what}, in ${newest.release}\n`])
  const releases = await openReleases({ root: s.workspace.releases, catalog: s.catalog, log: createLog('silent') })
  releases.close()
  expect(releases.current(s.dataset(SLUG)).id).toBe(parent)
  await expect(s.publish(SLUG, day('2026-07-01', 4))).rejects.toThrow()
  expect(readFileSync(newest.paths.current, 'utf8').trim()).toBe(newest.release)
})

it.each([
  ['empty', ''],
  ['overwritten with zero bytes', '\0\0\0\0'],
  ['the name of a missing release', '20250101T000000000Z\n'],
])('D2: if current is %s, the newest intact release is served as degraded and publications are refused', async (_, text) => {
  writeFileSync(newest.paths.current, text)
  const releases = await openReleases({ root: s.workspace.releases, catalog: s.catalog, log: createLog('silent') })
  releases.close()
  expect(releases.current(s.dataset(SLUG))).toMatchObject({ id: newest.release, degraded: true })
  await expect(s.publish(SLUG, day('2026-07-01', 4))).rejects.toThrow()
  expect(readFileSync(newest.paths.current, 'utf8')).toBe(text)
})
