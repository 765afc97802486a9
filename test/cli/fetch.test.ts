import type { ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ended, startTwmd } from '../fixtures/cli/twmd.ts'
import { type Asked, type Reply, source } from '../fixtures/fetch/source.ts'
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

const dayAsked = ({ path }: Asked): string => /date=(\d{4})(\d\d)(\d\d)/.exec(path)!.slice(1).join('-')
const asDay: Reply = asked => t86Body(dayAsked(asked), { '2330': [Number(dayAsked(asked).slice(8)), 1, 0] })
const settings = () => ({ FETCH_BASES: `www.twse.com.tw=${s.url}`, FETCH_CONSENT: 'www.twse.com.tw' })
const start = (...args: readonly string[]): ChildProcess => startTwmd(dir, ['fetch', ...args], settings())
const run = (...args: readonly string[]) => ended(start(...args))

describe('twmd fetch', () => {
  it('asks for the days between two, publishes them, and names whom the data is from', async () => {
    const { code, stdout, stderr } = await run('twse-t86', '--from', '2026-06-26', '--to', '2026-06-30')
    const { release } = stored(join(dir, 'releases'), 'institutional-positioning')
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout.split('\n')).toEqual([
      `published institutional-positioning: 3 rows added, 0 changed, 0 removed (${release})`,
      'twse-t86: 3 published, 0 unchanged, 0 empty, 0 refused.',
      'source    Taiwan Stock Exchange (TWSE), terms of the site, which do not let programs download',
      'twse-t86: 3 fetched, not asked for: 2 closed.',
      '',
    ])
  })

  it('goes on where a kill ended it: what had come is published, and not asked for again', async () => {
    let child: ChildProcess | undefined
    s.reply((asked, response) => {
      if (dayAsked(asked) !== '2026-06-29') return asDay(asked, response)
      child!.kill('SIGKILL')
      return undefined
    })
    child = start('twse-t86', '--from', '2026-06-25', '--to', '2026-06-30')
    expect((await ended(child)).code).toBeNull()
    s.reply(asDay)
    expect((await run('twse-t86', '--from', '2026-06-25', '--to', '2026-06-30')).code).toBe(0)
    expect(s.asked.map(dayAsked)).toEqual(['2026-06-25', '2026-06-26', '2026-06-29', '2026-06-29', '2026-06-30'])
    const { sources } = stored(join(dir, 'releases'), 'institutional-positioning').manifest
    expect(sources.map(({ name }) => name.slice(-10))).toEqual(['2026-06-25', '2026-06-26', '2026-06-29', '2026-06-30'])
  })

  it('publishes what has come when it is asked to stop', async () => {
    let child: ChildProcess | undefined
    s.reply((asked, response) => {
      if (dayAsked(asked) !== '2026-06-29') return asDay(asked, response)
      child!.kill('SIGTERM')
      return undefined
    })
    child = start('twse-t86', '--from', '2026-06-25', '--to', '2026-06-30')
    const { stdout, stderr } = await ended(child)
    expect(stderr).toContain('stopped: It was asked to stop. Run the command again to go on.')
    expect(stdout).toContain('twse-t86: 2 published')
  })

  it('refuses, with exit code 1, what needs a consent that is not set, and days that make no sense with 2', async () => {
    const refused = await ended(startTwmd(dir, ['fetch', 'twse-t86']))
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('FETCH_CONSENT=www.twse.com.tw')])
    const { code, stderr } = await run('twse-t8', '--date', '2026-02-30', '--to', '2026-06-30')
    expect(code).toBe(2)
    expect(stderr).toContain('did you mean twse-t86?')
    expect(stderr).toContain('--date must be')
    expect(stderr).toContain('--to needs --from')
    expect(s.asked).toEqual([])
  })

  it('prints one JSON document for programs', async () => {
    const { stdout } = await run('twse-t86', '--date', '2026-06-30', '--json')
    expect(JSON.parse(stdout)).toMatchObject({
      feed: 'twse-t86',
      captures: [{ day: '2026-06-30', attribution: 'Taiwan Stock Exchange (TWSE)' }],
      failures: [],
      stopped: null,
      ingested: [{ results: [{ outcome: 'published', date: '2026-06-30' }] }],
    })
  })
})
