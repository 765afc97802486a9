import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runTwmd } from '../fixtures/cli/in-process.ts'
import { type Reply, type SourceRequest, source } from '../fixtures/fetch/source.ts'
import { t86Body } from '../fixtures/ingest/bodies.ts'
import { stored } from '../fixtures/publish/store.ts'
import { calendarFolder } from './calendar-folder.ts'

let dir: string
let s: Awaited<ReturnType<typeof source>>
beforeEach(async () => {
  dir = await calendarFolder()
  s = await source(asDay)
})
afterEach(async () => {
  await s.close()
  await rm(dir, { recursive: true, force: true })
})

const requestedDayOf = ({ path }: SourceRequest): string => /date=(\d{4})(\d\d)(\d\d)/.exec(path)!.slice(1).join('-')
const asDay: Reply = request => t86Body(requestedDayOf(request), { '2330': [Number(requestedDayOf(request).slice(8)), 1, 0] })
const settings = () => ({ FETCH_BASES: `www.twse.com.tw=${s.url}`, FETCH_CONSENT: 'www.twse.com.tw' })
const run = (...args: readonly string[]) => runTwmd(dir, ['fetch', ...args], settings())

it('twmd fetch publishes the trading days of a range and names the source of the data', async () => {
  const { code, stdout, stderr } = await run('twse-t86', '--from', '2026-06-26', '--to', '2026-06-30')
  const { release } = stored(join(dir, 'releases'), 'institutional-positioning')
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout.split('\n')).toEqual([
    `published institutional-positioning: 3 rows added, 0 changed, 0 removed (${release})`,
    'twse-t86: 3 published, 0 unchanged, 0 empty, 0 refused.',
    'source    Taiwan Stock Exchange (TWSE), terms of the site, which forbid automated downloads',
    'twse-t86: 3 fetched, skipped: 2 closed.',
    '',
  ])
})

it('twmd fetch exits with 1 without FETCH_CONSENT, and with 2 for an unknown feed or invalid days', async () => {
  const refused = await runTwmd(dir, ['fetch', 'twse-t86'])
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('FETCH_CONSENT=www.twse.com.tw')])
  const { code, stderr } = await run('twse-t8', '--date', '2026-02-30', '--to', '2026-06-30')
  expect(code).toBe(2)
  expect(stderr).toContain('did you mean twse-t86?')
  expect(stderr).toContain('--date must be')
  expect(stderr).toContain('--to needs --from')
  expect(s.requests).toEqual([])
})

it('twmd fetch --json prints one JSON document', async () => {
  const { stdout } = await run('twse-t86', '--date', '2026-06-30', '--json')
  expect(JSON.parse(stdout)).toMatchObject({
    feed: 'twse-t86',
    captures: [{ day: '2026-06-30', attribution: 'Taiwan Stock Exchange (TWSE)' }],
    failures: [],
    stopped: null,
    ingested: [{ results: [{ outcome: 'published', date: '2026-06-30' }] }],
  })
})
