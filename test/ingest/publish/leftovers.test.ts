import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, watch, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openWorkspace } from '../../../ingest/publish/index.ts'
import { releasePaths } from '../../../src/releases/index.ts'
import { ended, startTwmd } from '../../fixtures/cli/twmd.ts'
import { trade } from '../../fixtures/publish/rows.ts'
import { releaseIds, stored } from '../../fixtures/publish/store.ts'
import { publishRows, service, type TestService } from '../../support.ts'

const SLUG = 'institutional-positioning'
let s: TestService
beforeEach(async () => {
  s = await service({ examples: false })
  await s.publish(SLUG, [trade('2330', '2026-06-29', 1)])
})
afterEach(() => s.close())

const home = () => releasePaths(s.workspace.releases, SLUG).home
const publish = (foreign: number) => s.publish(SLUG, [trade('2330', '2026-06-30', foreign)])

/** The number of a process that has ended. */
async function deadProcess(): Promise<number> {
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' })
  await once(child, 'exit')
  return child.pid!
}

describe('D1 the remains of a killed publication', () => {
  it('are removed by the next one: staging folder, parts that no release names, half-made lock and pointer', async () => {
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

  it('are not removed while a manifest cannot be read, since that one may name them', async () => {
    await publish(2)
    const [old] = releaseIds(s.workspace.releases, SLUG)
    const only = join(home(), 'parts', `${'0'.repeat(64)}.parquet`)
    writeFileSync(only, 'named by a manifest that is damaged')
    writeFileSync(join(home(), old!, 'manifest.json'), '{')
    mkdirSync(join(home(), '.stage-20260701T000000000Z'))
    await publish(3)
    expect(existsSync(only)).toBe(true)
  })

  it('do not block the next one when they are a whole release that was never served', async () => {
    const { release } = await publish(2)
    const orphan = join(home(), '20260701T120000002Z')
    renameSync(join(home(), release!), orphan)
    writeFileSync(join(home(), 'current'), `${releaseIds(s.workspace.releases, SLUG)[0]}\n`)
    const next = await publish(3)
    expect([next.status, next.release]).toEqual(['published', '20260701T120000003Z'])
  })
})

describe('files of a killed publication in tmp', () => {
  const tmp = (name: string) => join(s.dir, 'tmp', name)
  const left = (name: string): void => {
    mkdirSync(tmp(name))
    writeFileSync(join(tmp(name), 'spilled.tmp'), 'half')
  }

  it('are removed when a workspace opens, also under this process’s own number; files of running processes are not', async () => {
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
})

describe('a dataset under a publication lock', () => {
  it('whose lock was left by a process that died is published all the same', async () => {
    writeFileSync(join(home(), '.publishing'), String(await deadProcess()))
    expect(await publish(2)).toMatchObject({ status: 'published' })
  })

  it('whose lock bears this process’s number without being its lock is published all the same, as after a restart in a container', async () => {
    writeFileSync(join(home(), '.publishing'), String(process.pid))
    expect(await publish(2)).toMatchObject({ status: 'published' })
    expect(existsSync(join(home(), '.publishing'))).toBe(false)
  })

  it('is published by one process at a time: another is refused, in one sentence, and nothing is quarantined', async () => {
    const rows = join(s.dir, 'rows.ndjson')
    writeFileSync(rows, JSON.stringify(trade('2330', '2026-06-30', 2)))
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
    expect(second).toEqual({ code: 1, stdout: '', stderr: `Process ${first.pid} is publishing this dataset; wait for it to finish.\n` })
    expect(readdirSync(s.workspace.quarantine)).toEqual([])
    first.kill('SIGCONT')
    expect(await firstEnded).toMatchObject({ code: 0, stdout: expect.stringContaining('published') })
    expect(await ended(startTwmd(s.dir, ['publish', SLUG, rows]))).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('served already'),
    })
  })

  it('is published by one workspace at a time within a process, too', async () => {
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
})
