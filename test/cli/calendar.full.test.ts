import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
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
