import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { logFolder } from '../../src/delta/index.ts'
import { twmd } from '../fixtures/cli/twmd.ts'
import { filesOf, SHARES, type Sharing, sharing } from './sharing.ts'

const SLUG = 'bond-yield-curve'
const TABLE = `${SHARES}/max/schemas/twmd/tables/bond_yield_curve`
/** Days of the rows. Each day is published in its evening. */
const DAYS = ['2026-06-29', '2026-06-30', '2026-07-01'] as const
const evening = (day: string) => new Date(`${day}T12:00:00Z`)

let s: Sharing
let key = ''
let now = evening(DAYS[0])
let releases: readonly string[] = []
const rowsOf = (day: string) =>
  ['2Y', '10Y'].map((tenor_label, index) => ({
    ...s.dataset(SLUG).example[0],
    tenor_label,
    trade_date: day,
    yield_rate: index + Number(day.slice(-2)) / 100,
  }))
const served = () => s.releases.current(s.dataset(SLUG))
async function publish(day: string): Promise<string> {
  now = evening(day)
  expect(await s.publish(SLUG, rowsOf(day))).toMatchObject({ status: 'published' })
  return served().id
}
/** A service with three releases. */
async function open(): Promise<void> {
  now = evening(DAYS[0])
  s = await sharing({ examples: false, inMemory: false, now: () => now })
  key = s.keyOn('max')
  const made: string[] = []
  for (const day of DAYS) made.push(await publish(day))
  releases = made
}

const versionOf = ({ headers }: { readonly headers: Readonly<Record<string, unknown>> }) => Number(headers['delta-table-version'])
/** The listed parts, from which the test recognizes the release. */
async function releaseOf(body: object): Promise<string | undefined> {
  const listed = filesOf(await s.query(TABLE, key, body)).map(({ id }) => id)
  for (const id of releases) {
    const { manifest } = await s.releases.pinned(s.dataset(SLUG), id)
    if (JSON.stringify(manifest.parts.map(({ sha256 }) => sha256)) === JSON.stringify(listed)) return id
  }
  return undefined
}

beforeEach(open)
afterEach(() => s.close())

it('a release that is served again becomes a new version of the shared table', async () => {
  expect(await twmd(s.dir, 'releases', 'serve', SLUG, releases[0]!)).toMatchObject({ code: 0 })
  await s.releases.refresh()
  expect(versionOf(await s.ask(`${TABLE}/version`, key))).toBe(3)
  for (const body of [{}, { version: 3 }, { version: 0 }]) expect(await releaseOf(body)).toBe(releases[0])
  expect(await releaseOf({ version: 2 })).toBe(releases[2])
})

it('if a release was deleted, its version of the shared table is refused with 410', async () => {
  await rm(join(s.dir, 'releases', SLUG, releases[0]!), { recursive: true })
  const refused = await s.query(TABLE, key, { version: 0 })
  expect([refused.statusCode, refused.json().errorCode]).toEqual([410, 'release_retired'])
  expect(versionOf(await s.query(TABLE, key, { version: 1 }))).toBe(1)
})

it('a shared table without a log has one version, and twmd tables rebuild restores every version', async () => {
  await rm(logFolder(join(s.dir, 'releases'), SLUG), { recursive: true })
  expect([versionOf(await s.ask(`${TABLE}/version`, key)), await releaseOf({})]).toEqual([0, releases[2]])
  expect(await twmd(s.dir, 'tables', 'rebuild', SLUG)).toMatchObject({ code: 0 })
  expect(versionOf(await s.ask(`${TABLE}/version`, key))).toBe(2)
  for (const [version, release] of releases.entries()) expect(await releaseOf({ version })).toBe(release)
})

it('shared-table queries during publications each list one whole release', async () => {
  const manifests = new Map(
    await Promise.all(releases.map(async id => [id, (await s.releases.pinned(s.dataset(SLUG), id)).manifest] as const)),
  )
  let publishing = true
  const published = (async () => {
    for (const day of ['2026-07-02', '2026-07-03', '2026-07-06', '2026-07-07']) {
      const id = await publish(day)
      manifests.set(id, served().manifest)
      releases = [...releases, id]
    }
    publishing = false
  })()
  const listed: (readonly string[])[] = []
  while (publishing) {
    const answer = await s.query(TABLE, key)
    expect(answer.statusCode).toBe(200)
    listed.push(filesOf(answer).map(({ id }) => id))
  }
  await published
  const whole = new Set([...manifests.values()].map(({ parts }) => JSON.stringify(parts.map(({ sha256 }) => sha256))))
  expect(listed.length).toBeGreaterThan(4)
  expect(listed.filter(shas => !whole.has(JSON.stringify(shas)))).toEqual([])
  expect(versionOf(await s.query(TABLE, key))).toBe(6)
})
