import { execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { serveAgain } from '../../../ingest/publish/index.ts'
import { CLI, environment } from '../../fixtures/cli/twmd.ts'
import { t86Body } from '../../fixtures/ingest/bodies.ts'
import { releaseIds, stored } from '../../fixtures/publish/store.ts'
import { type Publisher, publisher } from '../publish/publisher.ts'
import { inboxOf, outcomesOf, publicationsOf, type TestInbox, watched } from './inbox.ts'

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

it('1,000 files of two formats are one publication', { timeout: 180_000 }, async () => {
  const days = Array.from({ length: 1_000 }, (_, at) => new Date(Date.UTC(2008, 0, 1 + at)).toISOString().slice(0, 10))
  for (const [index, day] of days.entries()) {
    if (index % 2) inbox.drop(`${CALENDAR}/${day}.csv`, calendar(day))
    else inbox.drop(`${CALENDAR}/${day}.ndjson`, `{"market":"TWSE","date":"${day}","is_open":false}\n`)
  }
  const events = await inbox.once()
  expect(Object.values(outcomesOf(events)).filter(outcome => outcome === 'published')).toHaveLength(days.length)
  expect(releaseIds(s.workspace.releases, CALENDAR)).toHaveLength(1)
  expect(inbox.files('inbox')).toEqual([])
})

it('a refused file that is larger than the quarantine limit stays in the inbox as .refused and is not read again', async () => {
  inbox.drop(`${CALENDAR}/large.ndjson`, `${JSON.stringify({ market: 'x'.repeat(1_100_000) })}\n`)
  const env = environment(s.dir, { QUARANTINE_MAX_MB: '1', INBOX_SETTLE_MS: '100' })
  const run = () => execFileSync(process.execPath, [CLI, 'watch', '--once', '--json'], { env, encoding: 'utf8' })
  expect(run).toThrow(/Command failed/)
  expect(inbox.files('inbox')).toEqual([`${CALENDAR}/large.ndjson.refused`])
  expect(run()).toBe('')
})

it('a file is read again if an earlier version of its feed refused it', async () => {
  const drop = () => inbox.drop('feeds/twse-t86/T86_20260629.json', t86Body('2026-06-29', { '2330': [1, 2, 3] }))
  drop()
  await inbox.once()
  const journal = join(s.dir, 'archive', 'taken.ndjson')
  const earlier = readFileSync(journal, 'utf8').replace(/,"sum":"[^"]+"/, '')
  writeFileSync(journal, earlier.replace(/"read_by":"[^"]+"/, '"read_by":"0123456789ab"'))
  drop()
  const again = await inbox.once()
  expect(outcomesOf(again)).toEqual({ 'T86_20260629.json': 'unchanged' })
  expect(again).toMatchObject([{ files: [{ said: [expect.stringContaining('with an earlier version of the feed')] }] }])
  drop()
  expect(outcomesOf(await inbox.once())).toEqual({ 'T86_20260629.json': 'already' })
})

it('a feed file that was published but not archived adds no release, because its rows are already served', async () => {
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

it('the archive uses a second folder for a day if the first folder has a file of the same name', async () => {
  inbox.drop('feeds/twse-t86/2026-06-30', t86Body('2026-06-30', { '2330': [1, 0, 0] }))
  await inbox.once()
  inbox.drop('feeds/twse-t86/2026-06-30/t86.json', t86Body('2026-06-30', { '2330': [7, 0, 0] }))
  inbox.drop('feeds/twse-t86/z_20260626.json', t86Body('2026-06-26', { '2330': [7, 0, 0] }))
  await inbox.once()
  expect(inbox.files('inbox')).toEqual([])
  expect(inbox.files('archive')).toEqual(
    expect.arrayContaining(['feeds/twse-t86/2026-07-01/2026-06-30', 'feeds/twse-t86/2026-07-01.2/2026-06-30/t86.json']),
  )
})

it('a folder whose name looks like the .done mark of a file does not block that file', async () => {
  const path = inbox.drop(`${CALENDAR}/a.csv`, calendar('2026-06-19'))
  mkdirSync(`${path}.done`)
  const events = await inbox.once()
  expect(events).toMatchObject([{ kind: 'taken' }])
  expect(outcomesOf(events)).toEqual({ 'a.csv': 'published' })
})

it('two files of one day are published in order of modification, and the newer file is served', async () => {
  const older = inbox.drop('feeds/twse-t86/first_20260630.json', t86Body('2026-06-30', { '2330': [1, 1, 1] }))
  const newer = inbox.drop('feeds/twse-t86/again_20260630.json', t86Body('2026-06-30', { '2330': [2, 2, 2] }))
  inbox.drop('feeds/twse-t86/other_20260629.json', t86Body('2026-06-29', { '2330': [3, 3, 3] }))
  utimesSync(older, 1_000, 1_000)
  utimesSync(newer, 2_000, 2_000)
  const events = await inbox.once()
  expect(outcomesOf(events)).toEqual({
    'first_20260630.json': 'published',
    'again_20260630.json': 'published',
    'other_20260629.json': 'published',
  })
  expect(sourcesOf(TRADES)).toEqual(['again_20260630.json 2026-06-30'])
  expect(inbox.files('quarantine')).toEqual([])
})

it('if two files have equal rows, and one is compressed, the first is published and the second reported as unchanged', async () => {
  inbox.drop(`${CALENDAR}/a.csv`, calendar('2026-06-19'))
  inbox.drop(`${CALENDAR}/a.csv.gz`, gzipSync(calendar('2026-06-19')))
  expect(Object.values(outcomesOf(await inbox.once())).sort()).toEqual(['published', 'unchanged'])
  expect(inbox.files('quarantine')).toEqual([])
})

it('a file is published again after its release was withdrawn', async () => {
  inbox.drop(`${CALENDAR}/a.csv`, calendar('2026-06-19'))
  await inbox.once()
  inbox.drop(`${CALENDAR}/b.csv`, calendar('2026-06-22'))
  await inbox.once()
  await serveAgain(s.workspace, s.dataset(CALENDAR), releaseIds(s.workspace.releases, CALENDAR)[0]!)
  inbox.drop(`${CALENDAR}/b.csv`, calendar('2026-06-22'))
  expect(outcomesOf(await inbox.once())).toEqual({ 'b.csv': 'published' })
  expect(sourcesOf(CALENDAR)).toEqual(['b.csv'])
})

it('archiving a file never overwrites an archived file of the same name', async () => {
  for (const day of ['2026-06-19', '2026-06-22']) {
    inbox.drop(`${CALENDAR}/closed.csv`, calendar(day))
    await inbox.once()
  }
  const days = ['2026-07-01.2', '2026-07-01']
  expect(inbox.files('archive')).toEqual(['taken.ndjson', ...days.map(day => `${CALENDAR}/${day}/closed.csv`)])
})

it('a running watcher reads a renamed file immediately; it reads a growing file only after the last write', async () => {
  const watcher = watched(s, 600)
  try {
    inbox.drop(`${CALENDAR}/a.csv`, calendar('2026-06-19'))
    await expect.poll(() => outcomesOf(watcher.events)['a.csv']).toBe('published')
    const slow = join(s.dir, 'inbox', CALENDAR, 'b.csv')
    for (const [index, text] of calendar('2026-06-22', '2026-06-23', '2026-06-24').split('\n').entries()) {
      appendFileSync(slow, `${text}\n`)
      // This change looks like a rename, because only the change time is later than the last write.
      if (index === 1) chmodSync(slow, 0o644)
      await sleep(90)
    }
    await expect.poll(() => outcomesOf(watcher.events)['b.csv']).toBe('published')
  } finally {
    await watcher.stop()
  }
  const days = await s.rows(CALENDAR, 'date::VARCHAR AS day', 'ORDER BY 1')
  expect(days.map(row => row['day'])).toEqual(['2026-06-19', '2026-06-22', '2026-06-23', '2026-06-24'])
  expect(releaseIds(s.workspace.releases, CALENDAR)).toHaveLength(2)
})
