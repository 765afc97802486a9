import { appendFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { DatasetCatalog } from '../../src/http/routes/catalog/schemas.ts'
import { type ServiceAt, serviceAt } from '../calendar/service-at.ts'
import { stored } from '../fixtures/publish/store.ts'
import { scrubbed } from '../fixtures/releases/scrubbed.ts'

const SLUG = 'bond-yield-curve'
let s: ServiceAt
const curve = (day: string, yield_rate: number) => s.like(SLUG, { trade_date: day, as_of: day, yield_rate })
const coverage = async (query = '') => (await s.get(`/v2/coverage/${SLUG}${query}`)).json()

/** Damages parts as a failing disk would, and verifies the releases again. */
async function damage(parts: readonly string[]): Promise<void> {
  for (const part of parts) appendFileSync(part, 'x')
  await scrubbed(s.releases)
}

beforeEach(async () => {
  s = await serviceAt('2026-06-24 20:00', { inMemory: false })
})
afterEach(() => s.close())

it('if a dataset is served from an older release, it is late and degraded, even if both releases have the same days', async () => {
  await s.publish(SLUG, [curve('2026-06-24', 1.1)])
  const older = stored(s.workspace.releases, SLUG)
  await s.publish(SLUG, [curve('2026-06-24', 1.2)])
  expect((await s.freshness(SLUG)).freshness_state).toBe('fresh')
  await damage(stored(s.workspace.releases, SLUG).files)
  const warning = 'newest_release_damaged_older_one_served'
  expect(await s.freshness(SLUG)).toMatchObject({
    freshness_state: 'late',
    lag_days: 0,
    release_version: older.release,
    warnings: expect.arrayContaining([warning]),
  })
  expect(await s.listed(SLUG)).toMatchObject({ status: 'degraded', freshness_state: 'late', warnings: expect.arrayContaining([warning]) })
  expect((await coverage()).warnings).toContain(warning)
  expect((await coverage('?symbol=10Y')).warnings).toContain(warning)
})

it('if the only release of a dataset is damaged, the dataset is unavailable with null counts, not building or empty', async () => {
  await s.publish(SLUG, [curve('2026-06-24', 1.1)])
  await damage(stored(s.workspace.releases, SLUG).files)
  const unknown = {
    row_count: null,
    first_date: null,
    last_date: null,
    warnings: expect.arrayContaining(['no_release_passes_its_check']),
  }
  expect(await s.freshness(SLUG)).toMatchObject({ freshness_state: 'late', freshness_as_of: null, release_version: null })
  expect(await s.listed(SLUG)).toMatchObject({ status: 'unavailable', ...unknown })
  expect(await coverage()).toMatchObject({ ...unknown, counted_at: null })
  expect(await coverage('?symbol=10Y')).toMatchObject({ ...unknown, covered: null })
  const list = (await s.get('/v2/datasets')).json()
  expect(DatasetCatalog.parse(list)).toEqual(list)
})

it('lists, coverage and freshness label sample data as synthetic until real rows replace it', async () => {
  const label = 'synthetic_sample_data'
  const labelled = async () => [
    (await s.listed(SLUG)).warnings,
    (await s.listed(SLUG)).known_gaps,
    (await coverage()).warnings,
    (await coverage()).known_gaps,
    (await coverage('?symbol=10Y')).warnings,
    (await s.freshness(SLUG)).warnings,
  ]
  await s.publish(SLUG, [curve('2026-06-24', 1.1)], { synthetic: true })
  for (const labels of await labelled()) expect(labels).toContain(label)
  expect((await s.get('/v2/data-catalog/stats')).json().warnings).toContain(label)
  await s.publish(SLUG, [curve('2026-06-24', 1.2)])
  for (const labels of await labelled()) expect(labels).not.toContain(label)
})

it('the cached list of datasets keeps its ETag until the next release, or until a dataset turns late', async () => {
  await s.publish(SLUG, [curve('2026-06-23', 1.1)])
  expect((await s.listed(SLUG)).freshness_state).toBe('due')
  const first = await s.get('/v2/datasets')
  s.setTime('2026-06-24 20:07')
  const later = await s.get('/v2/datasets')
  expect([later.headers['etag'], later.json().generated_at]).toEqual([first.headers['etag'], '2026-06-24T20:00:00.000+08:00'])
  await s.publish(SLUG, [curve('2026-06-24', 1.2)])
  const next = await s.get('/v2/datasets')
  expect(next.headers['etag']).not.toBe(first.headers['etag'])
  expect(next.json().generated_at).toBe('2026-06-24T20:07:00.000+08:00')
  expect((await s.listed(SLUG)).row_count).toBe(2)
  s.setTime('2026-06-26 06:00')
  expect((await s.listed(SLUG)).freshness_state).toBe('late')
})

it('stats are cached for ten minutes, and their max-age counts down', async () => {
  await s.publish(SLUG, [curve('2026-06-23', 1.1)])
  const rows = async () => {
    const response = await s.get('/v2/data-catalog/stats')
    const { metrics, generated_at } = response.json()
    return [metrics[0].value, generated_at.slice(11, 16), response.headers['cache-control']]
  }
  expect(await rows()).toEqual([1, '20:00', 'public, max-age=600'])
  await s.publish(SLUG, [curve('2026-06-24', 1.2)])
  s.setTime('2026-06-24 20:09')
  expect(await rows()).toEqual([1, '20:00', 'public, max-age=60'])
  s.setTime('2026-06-24 20:10')
  expect(await rows()).toEqual([2, '20:10', 'public, max-age=600'])
})
