import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import type { Row } from '../../catalog/index.ts'
import { createLog, readConfig } from '../../src/core/index.ts'
import { openService } from '../../src/main.ts'
import { trade, weekdays } from '../fixtures/publish/rows.ts'
import { SECRETS, type ServiceOptions, service, type TestService } from '../support.ts'

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

/** Another service on the same folder. */
const openOther = () =>
  openService({
    config: readConfig({ DATA_DIR: s.dir, CACHE_BYTES: '0', PUBLIC_URL: 'http://127.0.0.1' }),
    secrets: SECRETS,
    log: createLog('silent'),
    clock: s.now,
  })
type OtherService = Awaited<ReturnType<typeof openOther>>

it('a starting service reads existing cache files before it fills its memory', async () => {
  await open()
  await s.columns.refresh()
  const { body } = await read('symbol=2330')
  const config = readConfig({ DATA_DIR: s.dir, CACHE_BYTES: String(2 ** 26), PUBLIC_URL: 'http://127.0.0.1' })
  const later = await openService({ config, secrets: SECRETS, log: createLog('silent'), clock: s.now })
  const found = await read('symbol=2330', { pool: later.pool, app: later.listener.app })
  const inMemory = later.columns.state().bytes
  await later.close()
  expect(found).toEqual({ body, asked: 0 })
  expect(inMemory).toBe(0)
})

it('a truncated or deleted cache file is replaced, and the engine answers meanwhile', async () => {
  await open()
  await s.columns.refresh()
  const { body } = await read('symbol=2330')
  for (const name of files()) writeFileSync(join(folder(), name), readFileSync(join(folder(), name)).subarray(0, 500))
  expect(await read('symbol=2330')).toEqual({ body, asked: 1 })
  await s.columns.refresh()
  expect(await read('symbol=2330')).toEqual({ body, asked: 0 })
  await rm(folder(), { recursive: true })
  expect(await read('symbol=2330')).toEqual({ body, asked: 1 })
  await s.columns.refresh()
  expect(await read('symbol=2330')).toEqual({ body, asked: 0 })
})

it('cache files are deleted with their parts', async () => {
  await open()
  await s.columns.refresh()
  const former = files()
  await publish(rows(DAYS.slice(0, 40), 20))
  await s.columns.refresh()
  expect(files().map(name => name.slice(0, 64))).toEqual(partsOf())
  expect(files()).not.toEqual(former)
})

it.each([
  ['the service closes', async (other: OtherService) => other.close()],
  [
    'its lock is old',
    async () => {
      const told = readdirSync(folder()).filter(name => name.endsWith('.held'))
      for (const name of told) utimesSync(join(folder(), name), 0, 0)
    },
  ],
])('cache files in use by another service on the folder stay until %s', async (_, ended) => {
  await open()
  const other = await openOther()
  onTestFinished(() => other.close())
  await other.columns.refresh()
  const former = files()
  await publish(rows(DAYS.slice(0, 40), 20))
  await s.columns.refresh()
  expect(files()).toEqual(expect.arrayContaining(former as string[]))
  expect(files().length).toBeGreaterThan(former.length)
  expect(s.columns.state().onDisk).toBe(partsOf().length)
  await ended(other)
  await s.columns.refresh()
  expect(files().map(name => name.slice(0, 64))).toEqual(partsOf())
})

it('an unwritable cache folder is logged once, and the engine answers', async () => {
  await open()
  writeFileSync(folder(), 'not a folder')
  await s.columns.refresh()
  await s.columns.refresh()
  expect((await read('symbol=2330')).asked).toBe(1)
  expect(s.lines.filter(line => line.includes('keeping rows on disk'))).toHaveLength(1)
})

it('cache files of other versions stay for a day', async () => {
  await open()
  await mkdir(folder())
  writeFileSync(join(folder(), 'of another version'), 'rows')
  await s.columns.refresh()
  expect(files()).toContain('of another version')
})
