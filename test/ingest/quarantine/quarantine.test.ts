import fs, { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, realpathSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ingestFiles, publishFiles } from '../../../ingest/index.ts'
import { feeds, t86Body } from '../../fixtures/ingest/bodies.ts'
import { NOW } from '../../support.ts'
import { type Publisher, publisher } from '../publish/publisher.ts'

const FEED = 'twse-t86'
const DAY_MS = 86_400_000
let s: Publisher
beforeEach(async () => {
  s = await publisher()
})
afterEach(() => s.close())

/** A run some days after the first, with limits in bytes and days. */
const workspace = (bytes: number, days = 90, after = 0) => ({
  ...s.workspace,
  quarantineBounds: { bytes, days },
  clock: () => new Date(NOW.getTime() + after * DAY_MS),
})
const ingest = (target: ReturnType<typeof workspace>, ...files: readonly string[]) =>
  ingestFiles(target, feeds.get(FEED)!, files, { requestedDay: undefined, accept: [], progress: () => {} })
/** A page of 2,000 bytes without a table. */
const page = (name: string) => s.file(name, `<html>${name}`.padEnd(2_000))
const quarantinedFiles = () => readdirSync(join(s.workspace.quarantine, FEED)).map(name => /-(\w+\.html)-/.exec(name)?.[1] ?? name)

it('a full quarantine deletes the oldest folders first, and never deletes the file that was just refused', async () => {
  await ingest(workspace(100_000), page('a.html'))
  await ingest(workspace(100_000, 90, 1), page('b.html'))
  expect(quarantinedFiles()).toEqual(['a.html', 'b.html'])
  const { results, quarantine } = await ingest(workspace(5_000, 90, 2), page('c.html'))
  expect(quarantine.left.map(folder => basename(folder))).toEqual([expect.stringMatching(/^2026-07-01T200000-a\.html-/)])
  expect(quarantinedFiles()).toEqual(['b.html', 'c.html'])
  expect(existsSync(join(results[0]!.quarantined!, 'c.html'))).toBe(true)
  const two = await ingest(workspace(2_500, 90, 3), page('d.html'), page('e.html'))
  expect(two.quarantine.left.map(folder => /-(\w\.html)-/.exec(folder)![1])).toEqual(['b.html', 'c.html', 'd.html'])
  expect(quarantinedFiles()).toEqual(['e.html'])
})

it('a run without refusals also deletes quarantine folders that exceed the age limit or a lowered size limit', async () => {
  await ingest(workspace(100_000), page('a.html'))
  await ingest(workspace(100_000, 90, 60), page('b.html'))
  const good = s.file('good.json', t86Body('2026-06-30', { '2330': [1, 0, 0] }))
  const { quarantine } = await ingest(workspace(100_000, 90, 91), good)
  expect(quarantine.left).toEqual([expect.stringContaining('a.html')])
  expect(quarantinedFiles()).toEqual(['b.html'])
  expect((await ingest(workspace(1_000, 90, 91), good)).quarantine.left).toEqual([expect.stringContaining('b.html')])
})

it('a file that is larger than the quarantine limit is not moved, and only its report is stored in quarantine', async () => {
  await ingest(workspace(100_000), page('a.html'))
  const file = s.file('large.ndjson', `${JSON.stringify({ market: 'x'.repeat(9_000) })}\n`)
  const { status, quarantined, quarantine } = await publishFiles(workspace(8_000), s.dataset('trading-calendar'), [file], {
    accept: [],
    synthetic: false,
  })
  expect([status, quarantine]).toEqual(['refused', { left: [], reportOnly: quarantined }])
  expect(readdirSync(quarantined[0]!)).toEqual(['report.json'])
  expect(existsSync(file)).toBe(true)
  expect(quarantinedFiles()).toEqual(['a.html'])
})

it('quarantine limits never delete folders that the quarantine did not create', async () => {
  await ingest(workspace(100_000), page('a.html'))
  mkdirSync(join(s.workspace.quarantine, FEED, 'looked at'))
  writeFileSync(join(s.workspace.quarantine, FEED, 'looked at', 'notes.txt'), 'x'.repeat(50_000))
  await ingest(workspace(2_500, 1, 100), page('b.html'))
  expect(quarantinedFiles().sort()).toEqual(['b.html', 'looked at'])
})

it.skipIf(process.platform !== 'linux')('the quarantined copy, its report and their folders are synced to disk', async () => {
  const page = s.file('page.html', '<html>')
  const synced = new Set<string>()
  const { fsyncSync } = fs
  fs.fsyncSync = handle => {
    synced.add(readlinkSync(`/proc/self/fd/${handle}`))
    fsyncSync(handle)
  }
  syncBuiltinESMExports()
  try {
    const { results } = await ingest(workspace(100_000), page)
    const folder = results[0]!.quarantined!
    const names = ['page.html', 'report.json', '', '..', '../..'].map(name => join(folder, name))
    expect([...synced]).toEqual(expect.arrayContaining(names.map(name => realpathSync(name))))
  } finally {
    fs.fsyncSync = fsyncSync
    syncBuiltinESMExports()
  }
})

it('a refused file named report.json is stored as received-report.json', async () => {
  const { results } = await ingest(workspace(100_000), s.file('report.json', '<html>'))
  expect(readFileSync(join(results[0]!.quarantined!, 'received-report.json'), 'utf8')).toBe('<html>')
})
