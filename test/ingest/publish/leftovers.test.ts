import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openWorkspace } from '../../../ingest/publish/index.ts'
import { releasePaths } from '../../../src/releases/index.ts'
import { releaseIds, stored } from '../../fixtures/publish/store.ts'
import { publishRows } from '../../support.ts'
import { type Publisher, publisher } from './publisher.ts'

const SLUG = 'trading-calendar'
let s: Publisher
beforeEach(async () => {
  s = await publisher()
  await publish('first')
})
afterEach(() => s.close())

const home = () => releasePaths(s.workspace.releases, SLUG).home
const session = (reason: string) => ({ market: 'TWSE', date: '2026-06-19', is_open: false, reason })
const publish = (reason: string) => s.publish(SLUG, [session(reason)])

/** The pid of a process that has ended. */
async function deadProcess(): Promise<number> {
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' })
  await once(child, 'exit')
  return child.pid!
}

it('D1: a publication removes the staging folder, unnamed parts, stale lock and stale pointer of a killed publication', async () => {
  mkdirSync(join(home(), '.stage-20260701T000000000Z'))
  writeFileSync(join(home(), '.stage-20260701T000000000Z', 'part0.parquet'), 'half')
  writeFileSync(join(home(), 'parts', `${'0'.repeat(64)}.parquet`), 'orphan')
  for (const suffix of ['', '.dead']) writeFileSync(join(home(), `.publishing.${await deadProcess()}${suffix}`), '1')
  writeFileSync(join(home(), 'current.next'), 'half')
  expect(await publish('second')).toMatchObject({ status: 'published' })
  const ids = releaseIds(s.workspace.releases, SLUG)
  expect(readdirSync(home()).sort()).toEqual([...ids, '_delta_log', 'current', 'parts'].sort())
  const named = ids.flatMap(id => stored(s.workspace.releases, SLUG, id).manifest.parts.map(({ sha256 }) => `${sha256}.parquet`))
  expect(readdirSync(join(home(), 'parts')).sort()).toEqual(named.sort())
})

it('two workspaces of one process cannot publish a dataset at the same time', async () => {
  const other = await openWorkspace(s.dir)
  const both = [s.workspace, other].map((workspace, index) => publishRows(workspace, s.dir, s.dataset(SLUG), [session(String(index))]))
  const settled = await Promise.allSettled(both)
  other.close()
  expect(settled.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(settled.find(({ status }) => status === 'rejected')).toMatchObject({
    reason: { code: 'conflict', facts: { rule: 'being_published', pid: process.pid } },
  })
})
