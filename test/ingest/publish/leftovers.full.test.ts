import { existsSync, readdirSync, readFileSync, watch } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { releasePaths } from '../../../src/releases/index.ts'
import { ended, startTwmd } from '../../fixtures/cli/twmd.ts'
import { trade } from '../../fixtures/publish/rows.ts'
import { type Publisher, publisher } from './publisher.ts'

const SLUG = 'institutional-positioning'
let s: Publisher
beforeEach(async () => {
  s = await publisher()
  await s.publish(SLUG, [trade('2330', '2026-06-29', 1)])
})
afterEach(() => s.close())

const home = () => releasePaths(s.workspace.releases, SLUG).home

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
  expect(second).toEqual({ code: 1, stdout: '', stderr: `Process ${first.pid} is publishing this dataset; wait for it to finish.\n` })
  expect(readdirSync(s.workspace.quarantine)).toEqual([])
  first.kill('SIGCONT')
  expect(await firstEnded).toMatchObject({ code: 0, stdout: expect.stringContaining('published') })
  expect(await ended(startTwmd(s.dir, ['publish', SLUG, rows]))).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('served already'),
  })
})
