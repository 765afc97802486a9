import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { releasePaths } from '../../../src/releases/index.ts'
import { damagedParts, releaseIds, stored } from '../../fixtures/publish/store.ts'
import { publicationKilledAt } from './killed-publication.ts'
import { type Publisher, publisher } from './publisher.ts'

const SLUG = 'trading-calendar'
let s: Publisher
beforeAll(async () => {
  s = await publisher()
})
afterAll(() => s.close())

const session = (date: string) => ({ market: 'TWSE', date, is_open: false, reason: null })

it('D1: if a publication is killed, the served release is intact, and the next publication removes leftover files', async () => {
  const { release } = await s.publish(SLUG, [session('2026-06-19')])
  const file = s.partition([session('2026-06-22')])
  expect(await publicationKilledAt(s, SLUG, file, { nth: 2, afterMs: 0 })).toBe(true)
  expect([stored(s.workspace.releases, SLUG).release, damagedParts(s.workspace.releases, SLUG)]).toEqual([release, []])
  expect(await s.publishFiles(SLUG, [file])).toMatchObject({ status: 'published', changes: { rows_added: 1 } })
  const { home } = releasePaths(s.workspace.releases, SLUG)
  expect(readdirSync(home).sort()).toEqual([...releaseIds(s.workspace.releases, SLUG), '_delta_log', 'current', 'parts'].sort())
})
