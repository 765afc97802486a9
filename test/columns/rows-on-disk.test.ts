import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import type { Row } from '../../catalog/index.ts'
import { trade, weekdays } from '../fixtures/publish/rows.ts'
import { type ServiceOptions, service, type TestService } from '../support.ts'

const SLUG = 'institutional-positioning'
const DAYS = weekdays('2025-01-06', 300)
const TICKERS = ['1101', '2330', '2881A']

let s: TestService
afterEach(() => s.close())

const rows = (days: readonly string[], step = 10): readonly Row[] =>
  days.flatMap(day => TICKERS.map(ticker => trade(ticker, day, DAYS.indexOf(day) * step)))

/** A service without memory cache, with more days than are cached on disk and an appended day. */
async function open(options: ServiceOptions = {}): Promise<void> {
  s = await service({ examples: false, inMemory: false, indexed: false, cacheBytes: 0, diskCacheBytes: 2 ** 24, ...options })
  await publish(rows(DAYS.slice(0, -1)))
  await publish(rows(DAYS.slice(-1)))
}

async function publish(added: readonly Row[]): Promise<void> {
  const { faults } = await s.publish(SLUG, added, { accept: ['row_count_drift', 'duplicate_body', 'same_body'] })
  expect(faults).toEqual([])
}

const folder = (): string => join(s.dir, 'cache')
const files = (): readonly string[] =>
  readdirSync(folder())
    .filter(name => !name.startsWith('.'))
    .sort()
const partsOf = (): readonly string[] =>
  s.releases
    .current(s.dataset(SLUG))
    .manifest.parts.map(({ sha256 }) => sha256)
    .sort()

/** The body without the id of the request, and how many times the engine was asked for it. */
async function read(query: string, of: Pick<TestService, 'pool' | 'app'> = s): Promise<{ readonly body: string; readonly asked: number }> {
  const asked = vi.spyOn(of.pool, 'read')
  const { statusCode, body, headers } = await of.app.inject({
    url: `/v2/datasets/${SLUG}?${query}`,
    headers: { 'x-api-key': s.keyOn('max') },
  })
  const times = asked.mock.calls.length
  asked.mockRestore()
  expect(statusCode).toBe(200)
  return { body: body.replaceAll(String(headers['x-request-id']), 'ID'), asked: times }
}

it('the newest rows of a key are read from disk and older ones by the engine, with the same bytes', async () => {
  await open()
  const queries = ['symbol=2330', 'symbol=1101,2881A&limit=80', 'symbol=2330&limit=256', 'symbol=2330&limit=290', 'symbol=2000']
  const byEngine = []
  for (const query of queries) byEngine.push(await read(query))
  expect(byEngine.map(({ asked }) => asked > 0)).toEqual([true, true, true, true, true])
  await s.columns.refresh()
  expect(files().map(name => name.slice(0, 64))).toEqual(partsOf())
  const fromDisk = []
  for (const query of queries) fromDisk.push(await read(query))
  expect(fromDisk.map(({ body }) => body)).toEqual(byEngine.map(({ body }) => body))
  expect(fromDisk.map(({ asked }) => asked)).toEqual([0, 0, 0, 1, 0])
})

const DAMAGES: readonly (readonly [what: string, damage: (bytes: Buffer) => unknown])[] = [
  ['a bit of the index', bytes => bytes.writeUInt8(bytes[60]! ^ 1, 60)],
  ['a bit of the hash of the index', bytes => bytes.writeUInt8(bytes[20]! ^ 1, 20)],
  ['the length of the index', bytes => bytes.fill(255, 0, 4)],
  [
    'a bit of every row',
    bytes =>
      bytes.set(
        bytes.subarray(1_000).map(byte => byte ^ 4),
        1_000,
      ),
  ],
  ['the whole file', bytes => bytes.fill(0)],
]

it('a damaged cache file is ignored and written again, and the engine answers meanwhile', async () => {
  await open()
  await s.columns.refresh()
  const { body } = await read('symbol=2330')
  const { length } = files()
  for (const [what, damage] of DAMAGES) {
    for (const name of files()) {
      const bytes = readFileSync(join(folder(), name))
      damage(bytes)
      writeFileSync(join(folder(), name), bytes)
    }
    // The index read before is in memory; the rows are read again.
    const found = [await read('symbol=2330'), await read('symbol=2330')]
    expect
      .soft(
        found.map(one => one.body),
        `bodies with damage: ${what}`,
      )
      .toEqual([body, body])
    await s.columns.refresh()
    expect.soft(await read('symbol=2330'), `read after refresh, damage: ${what}`).toEqual({ body, asked: 0 })
    await s.columns.refresh()
    expect.soft(files().length, `files after damage: ${what}`).toBe(length)
  }
})

it('cache files stay below the disk limit', async () => {
  await open({ diskCacheBytes: 2_000 })
  await s.columns.refresh()
  const taken = files().reduce((sum, name) => sum + statSync(join(folder(), name)).size, 0)
  expect(taken).toBeLessThanOrEqual(2_000)
  expect(s.columns.state()).toMatchObject({ parts: 2 })
  expect(s.columns.state().onDisk).toBeLessThan(2)
  expect((await read('symbol=2330')).asked).toBeGreaterThan(0)
})
