import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { watcherKilled } from '../../fixtures/ingest/killed-watcher.ts'
import { lineageSources, sha256 } from '../../fixtures/publish/store.ts'
import { type Publisher, publisher } from '../publish/publisher.ts'
import { inboxOf } from './inbox.ts'

const CALENDAR = 'trading-calendar'
let s: Publisher
beforeAll(async () => {
  s = await publisher()
})
afterAll(() => s.close())

it('a killed watcher loses no dropped file and publishes none twice', async () => {
  const inbox = inboxOf(s)
  const contents = ['2026-06-19', '2026-06-22'].map(day => `market,date,is_open\nTWSE,${day},false\n`)
  for (const [index, content] of contents.entries()) inbox.drop(`${CALENDAR}/${index}.csv`, content)
  // After a few files were taken, or before any was.
  await watcherKilled(s.dir, 0.3)
  await inbox.once()
  expect([inbox.files('inbox'), inbox.files('quarantine')]).toEqual([[], []])
  const archived = inbox.files('archive').filter(path => basename(path) !== 'taken.ndjson')
  const shas = contents.map(sha256)
  expect(archived.map(path => sha256(readFileSync(join(s.dir, 'archive', path)))).sort()).toEqual(shas.toSorted())
  expect(lineageSources(s.workspace.releases, CALENDAR).flat().sort()).toEqual(shas.toSorted())
})
