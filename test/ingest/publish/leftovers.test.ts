import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openWorkspace } from '../../../ingest/publish/index.ts'
import { releasePaths } from '../../../src/releases/index.ts'
import { trade } from '../../fixtures/publish/rows.ts'
import { releaseIds, stored } from '../../fixtures/publish/store.ts'
import { publishRows } from '../../support.ts'
import { type Publisher, publisher } from './publisher.ts'

const SLUG = 'institutional-positioning'
let s: Publisher
beforeEach(async () => {
  s = await publisher()
  await s.publish(SLUG, [trade('2330', '2026-06-29', 1)])
})
afterEach(() => s.close())

const home = () => releasePaths(s.workspace.releases, SLUG).home
const publish = (foreign: number) => s.publish(SLUG, [trade('2330', '2026-06-30', foreign)])

/** The pid of a process that has ended. */
async function deadProcess(): Promise<number> {
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' })
  await once(child, 'exit')
  return child.pid!
}

it('D1: a publication removes the staging folder, unnamed parts, stale lock and stale pointer of a killed one', async () => {
  const first = readdirSync(join(home(), 'parts'))
  mkdirSync(join(home(), '.stage-20260701T000000000Z'))
  writeFileSync(join(home(), '.stage-20260701T000000000Z', 'part0.parquet'), 'half')
  writeFileSync(join(home(), 'parts', `${'0'.repeat(64)}.parquet`), 'orphan')
  for (const suffix of ['', '.dead']) writeFileSync(join(home(), `.publishing.${await deadProcess()}${suffix}`), '1')
  writeFileSync(join(home(), 'current.next'), 'half')
  expect(await publish(2)).toMatchObject({ status: 'published' })
  const { manifest } = stored(s.workspace.releases, SLUG)
  expect(readdirSync(home()).sort()).toEqual([...releaseIds(s.workspace.releases, SLUG), '_delta_log', 'current', 'parts'].sort())
  expect(readdirSync(join(home(), 'parts')).sort()).toEqual(manifest.parts.map(({ sha256 }) => `${sha256}.parquet`).sort())
  expect(first.every(name => existsSync(join(home(), 'parts', name)))).toBe(true)
})

it('D1: unnamed parts stay while a manifest is unreadable, because it may name them', async () => {
  await publish(2)
  const [old] = releaseIds(s.workspace.releases, SLUG)
  const only = join(home(), 'parts', `${'0'.repeat(64)}.parquet`)
  writeFileSync(only, 'named by a manifest that is damaged')
  writeFileSync(join(home(), old!, 'manifest.json'), '{')
  mkdirSync(join(home(), '.stage-20260701T000000000Z'))
  await publish(3)
  expect(existsSync(only)).toBe(true)
})

it('D1: a complete release that a killed publication never served does not block the next publication', async () => {
  const { release } = await publish(2)
  const orphan = join(home(), '20260701T120000002Z')
  renameSync(join(home(), release!), orphan)
  writeFileSync(join(home(), 'current'), `${releaseIds(s.workspace.releases, SLUG)[0]}\n`)
  const next = await publish(3)
  expect([next.status, next.release]).toEqual(['published', '20260701T120000003Z'])
})

const tmp = (name: string) => join(s.dir, 'tmp', name)
const left = (name: string): void => {
  mkdirSync(tmp(name))
  writeFileSync(join(tmp(name), 'spilled.tmp'), 'half')
}

it('opening a workspace removes tmp folders of dead processes and keeps those of running ones', async () => {
  const running = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  const [gone, alive, reused] = [`${await deadProcess()}-abcdef`, `${running.pid}-abcdef`, `${process.pid}-abcdef`]
  for (const name of [gone, alive, reused, 'notes']) left(name)
  const before = readdirSync(join(s.dir, 'tmp'))
  const other = await openWorkspace(s.dir)
  expect(existsSync(s.workspace.scratch)).toBe(true)
  other.close()
  expect(readdirSync(join(s.dir, 'tmp')).sort()).toEqual(before.filter(name => name !== gone && name !== reused).sort())
  running.kill()
  await once(running, 'exit')
  const next = await openWorkspace(s.dir)
  next.close()
  expect([existsSync(tmp(alive)), existsSync(s.workspace.scratch), existsSync(tmp('notes'))]).toEqual([false, true, true])
})

it('a lock left by a dead process does not block a publication', async () => {
  writeFileSync(join(home(), '.publishing'), String(await deadProcess()))
  expect(await publish(2)).toMatchObject({ status: 'published' })
})

it('a lock with the pid of this process but of an earlier run does not block a publication', async () => {
  writeFileSync(join(home(), '.publishing'), String(process.pid))
  expect(await publish(2)).toMatchObject({ status: 'published' })
  expect(existsSync(join(home(), '.publishing'))).toBe(false)
})

it('two workspaces of one process cannot publish a dataset at the same time', async () => {
  const other = await openWorkspace(s.dir)
  const both = [s.workspace, other].map((workspace, index) =>
    publishRows(workspace, s.dir, s.dataset(SLUG), [trade('2330', '2026-06-30', index + 2)]),
  )
  const settled = await Promise.allSettled(both)
  other.close()
  expect(settled.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(settled.find(({ status }) => status === 'rejected')).toMatchObject({
    reason: { code: 'conflict', facts: { rule: 'being_published', pid: process.pid } },
  })
})
