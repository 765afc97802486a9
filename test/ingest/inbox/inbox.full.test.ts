import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { CLI, environment } from '../../fixtures/cli/twmd.ts'
import { t86Body } from '../../fixtures/ingest/bodies.ts'
import { releaseIds, stored } from '../../fixtures/publish/store.ts'
import { type Publisher, publisher } from '../publish/publisher.ts'
import { inboxOf, outcomesOf, publicationsOf, type TestInbox } from './inbox.ts'

const CALENDAR = 'trading-calendar'
const TRADES = 'institutional-positioning'
const calendar = (...days: readonly string[]): string => ['market,date,is_open', ...days.map(day => `TWSE,${day},false`), ''].join('\n')
let s: Publisher
let inbox: TestInbox
beforeEach(async () => {
  s = await publisher()
  inbox = inboxOf(s)
})
afterEach(() => s.close())

const sourcesOf = (slug: string) => stored(s.workspace.releases, slug).manifest.sources.map(({ name }) => name)

it('1,000 files of two formats are one publication', async () => {
  const days = Array.from({ length: 1_000 }, (_, at) => new Date(Date.UTC(2008, 0, 1 + at)).toISOString().slice(0, 10))
  for (const [at, day] of days.entries()) {
    if (at % 2) inbox.drop(`${CALENDAR}/${day}.csv`, calendar(day))
    else inbox.drop(`${CALENDAR}/${day}.ndjson`, `{"market":"TWSE","date":"${day}","is_open":false}\n`)
  }
  const events = await inbox.once()
  expect(Object.values(outcomesOf(events)).filter(outcome => outcome === 'published')).toHaveLength(days.length)
  expect(releaseIds(s.workspace.releases, CALENDAR)).toHaveLength(1)
  expect(inbox.files('inbox')).toEqual([])
})

it('a refused file larger than the quarantine stays in the inbox as .refused and is not taken again', async () => {
  inbox.drop(`${CALENDAR}/large.ndjson`, `${JSON.stringify({ market: 'x'.repeat(1_100_000) })}\n`)
  const env = environment(s.dir, { QUARANTINE_MAX_MB: '1', INBOX_SETTLE_MS: '100' })
  const run = () => execFileSync(process.execPath, [CLI, 'watch', '--once', '--json'], { env, encoding: 'utf8' })
  expect(run).toThrow(/Command failed/)
  expect(inbox.files('inbox')).toEqual([`${CALENDAR}/large.ndjson.refused`])
  expect(run()).toBe('')
})

it('a file read by an earlier version of its feed is read again', async () => {
  const drop = () => inbox.drop('feeds/twse-t86/T86_20260629.json', t86Body('2026-06-29', { '2330': [1, 2, 3] }))
  drop()
  await inbox.once()
  const journal = join(s.dir, 'archive', 'taken.ndjson')
  const earlier = readFileSync(journal, 'utf8').replace(/,"sum":"[^"]+"/, '')
  writeFileSync(journal, earlier.replace(/"read_by":"[^"]+"/, '"read_by":"0123456789ab"'))
  drop()
  const again = await inbox.once()
  expect(outcomesOf(again)).toEqual({ 'T86_20260629.json': 'unchanged' })
  expect(again).toMatchObject([{ files: [{ said: [expect.stringContaining('read by an earlier version of the feed')] }] }])
  drop()
  expect(outcomesOf(await inbox.once())).toEqual({ 'T86_20260629.json': 'already' })
})

it('a feed file that was published but not archived adds no release for rows already served', async () => {
  const first = inbox.drop('feeds/twse-t86/T86_20260629.json', t86Body('2026-06-29', { '2330': [1, 2, 3] }))
  await s.ingest('twse-t86', [first], '2026-06-29')
  inbox.drop('feeds/twse-t86/T86_20260630.json', t86Body('2026-06-30', { '2330': [4, 5, 6] }))
  const events = await inbox.once()
  expect(outcomesOf(events)).toEqual({ 'T86_20260629.json': 'unchanged', 'T86_20260630.json': 'published' })
  expect(publicationsOf(events)).toEqual([
    [TRADES, 'unchanged'],
    [TRADES, 'published'],
  ])
  expect(sourcesOf(TRADES)).toEqual(['T86_20260630.json 2026-06-30'])
})
