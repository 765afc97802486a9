import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, watch, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openWorkspace } from '../../../ingest/publish/index.ts'
import { releasePaths } from '../../../src/releases/index.ts'
import { ended, startTwmd } from '../../fixtures/cli/twmd.ts'
import { trade } from '../../fixtures/publish/rows.ts'
import { releaseIds } from '../../fixtures/publish/store.ts'
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

it('D1: while a manifest is unreadable, no unlisted part is deleted, because the manifest may list the part', async () => {
  await publish(2)
  const [old] = releaseIds(s.workspace.releases, SLUG)
  const only = join(home(), 'parts', `${'0'.repeat(64)}.parquet`)
  writeFileSync(only, 'named by a manifest that is damaged')
  writeFileSync(join(home(), old!, 'manifest.json'), '{')
  mkdirSync(join(home(), '.stage-20260701T000000000Z'))
  await publish(3)
  expect(existsSync(only)).toBe(true)
})

it('D1: if a publication is killed before its complete release is served, the next publication succeeds', async () => {
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
it('opening a workspace removes tmp folders of dead processes and keeps tmp folders of running processes', async () => {
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

it.each(['a dead process', 'an earlier run with the pid of this process'])(
  'a lock left by %s does not block a publication',
  async owner => {
    const pid = owner === 'a dead process' ? await deadProcess() : process.pid
    writeFileSync(join(home(), '.publishing'), String(pid))
    expect(await publish(2)).toMatchObject({ status: 'published' })
    expect(existsSync(join(home(), '.publishing'))).toBe(false)
  },
)

it('a second process that publishes the same dataset is refused with the pid of the first, and quarantines nothing', async () => {
  const rows = s.partition([trade('2330', '2026-06-30', 2)])
  const first = startTwmd(s.dir, ['publish', SLUG, rows])
  const locked = new Promise<void>(resolve => {
    const watcher = watch(home(), () => {
      if (!existsSync(join(home(), '.publishing')) || first.exitCode !== null) return
      first.kill('SIGSTOP')
      watcher.close()
      resolve()
    })
  })
  const firstEnded = ended(first)
  await locked
  expect(readFileSync(join(home(), '.publishing'), 'utf8')).toBe(String(first.pid))
  const second = await ended(startTwmd(s.dir, ['publish', SLUG, rows]))
  expect(second).toEqual({ code: 1, stdout: '', stderr: `Process ${first.pid} is publishing this dataset. Wait until it has finished.\n` })
  expect(readdirSync(s.workspace.quarantine)).toEqual([])
  first.kill('SIGCONT')
  expect(await firstEnded).toMatchObject({ code: 0, stdout: expect.stringContaining('published') })
  expect(await ended(startTwmd(s.dir, ['publish', SLUG, rows]))).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('already served'),
  })
})
