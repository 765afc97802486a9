import { execFileSync } from 'node:child_process'
import { closeSync, existsSync, mkdtempSync, openSync, renameSync, rmSync, statfsSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { InboxEvent } from '../../../ingest/inbox/index.ts'
import { t86Body } from '../../fixtures/ingest/bodies.ts'
import { type Publisher, publisher } from '../publish/publisher.ts'
import { inboxOf, outcomesOf, type TestInbox } from './inbox.ts'

const DAYS = Array.from({ length: 20_000 }, (_, at) => new Date(Date.UTC(1950, 0, 1 + at)).toISOString().slice(0, 10))
const calendar = (market: string): string => ['market,date,is_open', ...DAYS.map(day => `${market},${day},false`), ''].join('\n')
const nets = (first: number) => Object.fromEntries(Array.from({ length: 1_500 }, (_, at) => [`${1_000 + at}`, [at + first, 2, 3] as const]))
const GOOD: Readonly<Record<string, string | Uint8Array>> = {
  'trading-calendar/plain.csv': calendar('TWSE'),
  'trading-calendar/packed.csv.gz': gzipSync(calendar('TPEX')),
  'feeds/twse-t86/T86_20260629.json': t86Body('2026-06-29', nets(1)),
  'feeds/twse-t86/T86_20260630.json.gz': gzipSync(t86Body('2026-06-30', nets(7))),
}

let disk: string
let isSmall = false
let s: Publisher
let inbox: TestInbox
beforeEach(async () => {
  disk = mkdtempSync(join(tmpdir(), 'twmd-disk-'))
  isSmall = mount()
  s = await publisher()
  inbox = inboxOf({ ...s, dir: disk })
})
afterEach(async () => {
  await s.close()
  if (isSmall) execFileSync('umount', [disk])
  rmSync(disk, { recursive: true })
})

/** Mounts a disk of 48 MB in memory; false if this user may not mount. */
function mount(): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=48m', 'twmd-test', disk], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const filler = (): string => join(disk, 'filler')

/** Fills the disk except for `leave` bytes. */
function fill(leave: number): void {
  const { bavail, bsize } = statfsSync(disk)
  const [handle, chunk] = [openSync(filler(), 'w'), Buffer.alloc(2 ** 16)]
  for (let left = bavail * bsize - leave; left > 0; ) left -= writeSync(handle, chunk, 0, Math.min(left, chunk.length))
  closeSync(handle)
}

const failures = (events: readonly InboxEvent[]): readonly string[] =>
  events.flatMap(event => (event.kind === 'failed' ? [String((event.error as Error).message)] : []))

it('refused files on a full disk move to quarantine one at a time, and no file is copied twice', async ({ skip }) => {
  skip(!isSmall, 'this user may not mount a small disk')
  await inbox.once()
  for (let nth = 1; nth <= 9; nth++) {
    const path = join(disk, 'inbox', `feeds/twse-t86/T86_2026060${nth}.json`)
    writeFileSync(`${path}.part`, `<html><title>Home ${nth}</title>${'x'.repeat(200_000)}</html>`)
    renameSync(`${path}.part`, path)
  }
  fill(1_000_000)
  const first = await inbox.once()
  expect(failures(first)).toEqual([expect.stringMatching(/ENOSPC|No space left/)])
  const isCopy = (path: string): boolean => path.endsWith('.json') && !path.endsWith('report.json')
  const copies = inbox.files('quarantine').filter(isCopy)
  expect(copies.length).toBeGreaterThan(0)
  expect(Object.keys(outcomesOf(first))).toHaveLength(copies.length)
  expect(inbox.files('inbox')).toHaveLength(9 - copies.length)
  for (let turn = 0; turn < 8 && inbox.files('inbox').length > 0; turn++) await inbox.once()
  expect(inbox.files('inbox')).toEqual([])
  expect(inbox.files('quarantine').filter(isCopy)).toHaveLength(9)
})

it.for<readonly [string, number, number]>([
  ['the disk is full', 65_536, 4],
  ['there is no space for copies', 400_000, 2],
  ['there is no space to unpack files', 1_000_000, 1],
])('dropped files stay in the inbox while %s, and are published once there is space', async ([, leave, least], { skip }) => {
  skip(!isSmall, 'this user may not mount a small disk')
  await inbox.once()
  for (const [name, content] of Object.entries(GOOD)) {
    const path = join(disk, 'inbox', name)
    writeFileSync(`${path}.part`, content)
    renameSync(`${path}.part`, path)
  }
  fill(leave)
  const full = await inbox.once()
  expect(failures(full)).not.toEqual([])
  for (const failure of failures(full)) expect(failure).toMatch(/ENOSPC|No space left|unpacks to more than half/)
  expect(inbox.files('inbox').length).toBeGreaterThanOrEqual(least)
  expect(existsSync(join(disk, 'quarantine')) ? inbox.files('quarantine') : []).toEqual([])
  rmSync(filler())
  const again = await inbox.once()
  expect(failures(again)).toEqual([])
  const outcomes = Object.values({ ...outcomesOf(full), ...outcomesOf(again) })
  expect(outcomes).toHaveLength(4)
  for (const outcome of outcomes) expect(outcome).toMatch(/^(published|unchanged|already)$/)
  expect(inbox.files('inbox')).toEqual([])
  expect(inbox.files('archive')).toHaveLength(5)
})
