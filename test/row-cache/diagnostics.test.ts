import { afterEach, expect, it } from 'vitest'
import { served } from '../../catalog/index.ts'
import { SECRETS, type ServiceOptions, service, type TestService } from '../support.ts'

let s: TestService
afterEach(() => s.close())

/** Diagnostics of the columns in memory, before and after the columns are loaded. */
async function diagnosticsOf(options: ServiceOptions) {
  s = await service({ inMemory: false, indexed: false, ...options })
  const state = async () => {
    const headers = { 'x-diagnostics-secret': SECRETS.DIAGNOSTICS_SECRET }
    const { columns } = (await s.app.inject({ url: '/internal/db-diagnostics', headers })).json()
    return columns
  }
  const before = await state()
  await s.columns.refresh()
  return { before, after: await state() }
}

/** Distinct parts of the served releases that have a key. Equal parts are in memory once. */
const parts = (): number => {
  const keyed = served(s.catalog).filter(({ key }) => key !== undefined)
  return new Set(keyed.flatMap(dataset => (s.releases.served(dataset)?.manifest.parts ?? []).map(({ sha256 }) => sha256))).size
}

it('diagnostics state how many parts are completely in memory', async () => {
  const { before, after } = await diagnosticsOf({ cacheBytes: 2 ** 26 })
  expect(before).toEqual({ size_bytes: 0, most_bytes: 2 ** 26, parts: 0, parts_whole: 0, parts_newest: 0, parts_on_disk: 0 })
  expect(after).toMatchObject({ parts: parts(), parts_whole: parts(), parts_newest: 0 })
  expect(after.size_bytes).toBeGreaterThan(0)
  expect(after.size_bytes).toBeLessThan(2 ** 26)
})

it('diagnostics state how many parts have only their newest rows in memory', async () => {
  const { after } = await diagnosticsOf({ cacheBytes: 60_000 })
  expect(after).toMatchObject({ most_bytes: 60_000, parts: parts(), parts_whole: 0 })
  expect(after.parts_newest).toBeGreaterThan(0)
  expect(after.parts_newest).toBeLessThan(parts())
  expect(after.size_bytes).toBeLessThanOrEqual(60_000)
})

it('the diagnostics report zero parts when the cache is off', async () => {
  const { after } = await diagnosticsOf({ cacheBytes: 0 })
  expect(after).toEqual({ size_bytes: 0, most_bytes: 0, parts: 0, parts_whole: 0, parts_newest: 0, parts_on_disk: 0 })
})
