import { existsSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { loadCatalog } from '../../catalog/index.ts'
import { twmd } from '../fixtures/cli/in-process.ts'
import { serving } from '../fixtures/cli/twmd.ts'
import { releaseIds, stored } from '../fixtures/publish/store.ts'

const CALENDAR = 'trading-calendar'
let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'twmd-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))
const releases = () => join(dir, 'releases')

it('twmd serve publishes the bundled trading calendar on the first start only', async () => {
  for (const _ of [1, 2]) {
    const service = await serving(dir, 'serve')
    await vi.waitUntil(() => existsSync(join(releases(), CALENDAR, 'current')), { timeout: 60_000, interval: 50 })
    await service.stop()
  }
  expect(releaseIds(releases(), CALENDAR)).toHaveLength(1)
  expect(stored(releases(), CALENDAR).manifest.synthetic).toBe(false)
})

it('twmd publish checks the first file against the bundled trading calendar', async () => {
  const quote = (await loadCatalog()).get('bond-yield-curve')!.example[0]!
  const file = join(dir, 'holiday.ndjson')
  writeFileSync(file, JSON.stringify({ ...quote, trade_date: '2024-10-31', as_of: '2024-10-31' }))
  const { code, stderr } = await twmd(dir, 'publish', 'bond-yield-curve', file)
  expect([code, stderr]).toEqual([1, expect.stringContaining('The market did not trade on TPEX 2024-10-31 (康芮颱風)')])
})
