import type { ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ended, startTwmd } from '../fixtures/cli/twmd.ts'
import { type Reply, type SourceRequest, source } from '../fixtures/fetch/source.ts'
import { t86Body } from '../fixtures/ingest/bodies.ts'
import { stored } from '../fixtures/publish/store.ts'

let dir: string
let s: Awaited<ReturnType<typeof source>>
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'twmd-'))
  s = await source(asDay)
})
afterEach(async () => {
  await s.close()
  await rm(dir, { recursive: true, force: true })
})

const requestedDayOf = ({ path }: SourceRequest): string => /date=(\d{4})(\d\d)(\d\d)/.exec(path)!.slice(1).join('-')
const asDay: Reply = request => t86Body(requestedDayOf(request), { '2330': [Number(requestedDayOf(request).slice(8)), 1, 0] })
const settings = () => ({ FETCH_BASES: `www.twse.com.tw=${s.url}`, FETCH_CONSENT: 'www.twse.com.tw' })
const start = (...args: readonly string[]): ChildProcess => startTwmd(dir, ['fetch', ...args], settings())
const run = (...args: readonly string[]) => ended(start(...args))

it('if twmd fetch is killed, the next run publishes the files already fetched and requests only the missing days', async () => {
  let child: ChildProcess | undefined
  s.reply((request, response) => {
    if (requestedDayOf(request) !== '2026-06-29') return asDay(request, response)
    child!.kill('SIGKILL')
    return undefined
  })
  child = start('twse-t86', '--from', '2026-06-25', '--to', '2026-06-30')
  expect((await ended(child)).code).toBeNull()
  s.reply(asDay)
  expect((await run('twse-t86', '--from', '2026-06-25', '--to', '2026-06-30')).code).toBe(0)
  expect(s.requests.map(requestedDayOf)).toEqual(['2026-06-25', '2026-06-26', '2026-06-29', '2026-06-29', '2026-06-30'])
  const { sources } = stored(join(dir, 'releases'), 'institutional-positioning').manifest
  expect(sources.map(({ name }) => name.slice(-10))).toEqual(['2026-06-25', '2026-06-26', '2026-06-29', '2026-06-30'])
})

it('twmd fetch publishes the fetched days when it receives SIGTERM', async () => {
  let child: ChildProcess | undefined
  s.reply((request, response) => {
    if (requestedDayOf(request) !== '2026-06-29') return asDay(request, response)
    child!.kill('SIGTERM')
    return undefined
  })
  child = start('twse-t86', '--from', '2026-06-25', '--to', '2026-06-30')
  const { stdout, stderr } = await ended(child)
  expect(stderr).toContain('stopped: The command was interrupted. Run the command again to continue.')
  expect(stdout).toContain('twse-t86: 2 published')
})
