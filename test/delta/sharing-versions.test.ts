import { afterAll, beforeAll, expect, it } from 'vitest'
import { filesOf, linesOf, SHARES, type Sharing, sharing } from './sharing.ts'

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

beforeAll(open)
afterAll(() => s.close())

it('versions of a shared table are numbered in the order in which its releases were served', async () => {
  expect(versionOf(await s.ask(`${TABLE}/version`, key))).toBe(2)
  for (const [version, release] of releases.entries()) expect(await releaseOf({ version })).toBe(release)
  expect(await releaseOf({})).toBe(releases[2])
  const metadata = await s.ask(`${TABLE}/metadata?version=1`, key)
  expect([versionOf(metadata), linesOf(metadata)[1].metaData.version]).toEqual([1, 1])
})

it.each([
  ['2026-06-30T12:00:00Z', 1],
  ['2026-07-01 11:59:59', 1],
  ['2026-06-30T11:59:59.999Z', 0],
  ['2027-01-01T00:00:00Z', 2],
  ['2026-06-30', 0],
])('timestamp=%s of a shared table is version %i', async (timestamp, version) => {
  expect(versionOf(await s.query(TABLE, key, { timestamp }))).toBe(version)
  expect(versionOf(await s.ask(`${TABLE}/metadata?timestamp=${encodeURIComponent(timestamp)}`, key))).toBe(version)
})

it.each([
  ['2020-01-01T00:00:00Z', 0],
  ['2026-06-30T12:00:00Z', 1],
  ['2026-06-30T12:00:00.001Z', 2],
])('startingTimestamp=%s of a shared table is version %i', async (from, version) => {
  expect(versionOf(await s.ask(`${TABLE}/version?startingTimestamp=${from}`, key))).toBe(version)
})

it('a version or timestamp of a shared table that does not exist is refused', async () => {
  for (const body of [{ version: 3 }, { version: 2_147_483_647 }, { timestamp: '2026-06-29T11:59:59Z' }]) {
    const refused = await s.query(TABLE, key, body)
    expect([refused.statusCode, refused.json().errorCode]).toEqual([404, 'unknown_id'])
    const advice = 'timestamp' in body ? 'Send a timestamp from 2026-06-29T12:00:00.000Z on.' : 'Use 0 to 2;'
    expect(refused.json().message).toContain(advice)
  }
  expect((await s.ask(`${TABLE}/version?startingTimestamp=2026-07-02T00:00:00Z`, key)).statusCode).toBe(404)
  expect((await s.ask(`${TABLE}/version?startingTimestamp=soon`, key)).statusCode).toBe(422)
})
