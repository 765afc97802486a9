import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { CLI, environment } from '../../fixtures/cli/twmd.ts'
import { type Publisher, publisher } from '../publish/publisher.ts'
import { inboxOf, type TestInbox } from './inbox.ts'

const CALENDAR = 'trading-calendar'
const calendar = (day: string): string => `market,date,is_open\nTWSE,${day},false\n`
let s: Publisher
let inbox: TestInbox
beforeEach(async () => {
  s = await publisher()
  inbox = inboxOf(s)
})
afterEach(() => s.close())

/**
 * Root can read every folder, so the watcher runs as an unprivileged user, who must be able to read
 * this checkout.
 */
const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
const canRun = process.platform !== 'win32' && spawnSync(process.execPath, [CLI, '--help'], user).status === 0

it.skipIf(!canRun)('twmd watch reports an unreadable folder once, skips it and reads it after access is granted', async () => {
  const closed = ['feeds/twse-t86', 'securities-firm-master']
  for (const place of [...closed, CALENDAR]) inbox.drop(`${place}/a.csv`, calendar('2026-06-19'))
  for (const place of closed) chmodSync(join(s.dir, 'inbox', place), 0)
  if (user.uid) execFileSync('chown', ['-R', '65534:65534', s.dir])
  const child = spawn(process.execPath, [CLI, 'watch', '--json'], { env: environment(s.dir, { INBOX_SETTLE_MS: '100' }), ...user })
  try {
    const lines: { readonly event: string; readonly inbox: string; readonly file?: string; readonly files?: readonly unknown[] }[] = []
    const read = (async () => {
      for await (const record of createInterface(child.stdout)) lines.push(JSON.parse(record))
    })()
    await expect.poll(() => lines.some(({ inbox }) => inbox === CALENDAR), { timeout: 20_000 }).toBe(true)
    inbox.drop(`${CALENDAR}/b.csv`, calendar('2026-06-22'))
    if (user.uid) execFileSync('chown', ['-R', '65534:65534', join(s.dir, 'inbox', CALENDAR)])
    const files = () => lines.flatMap(({ event, inbox, file }) => (event === 'left' ? [`${inbox}/${file}`] : [inbox]))
    await expect.poll(files, { timeout: 20_000 }).toEqual(['feeds/twse-t86', '/securities-firm-master', CALENDAR, CALENDAR])
    expect(lines[0]).toMatchObject({ reason: 'Permission denied. Grant read access and the files are picked up.' })
    chmodSync(join(s.dir, 'inbox', closed[0]!), 0o755)
    await expect.poll(() => files().at(-1), { timeout: 20_000 }).toBe('feeds/twse-t86')
    child.kill()
    await read
  } finally {
    child.kill('SIGKILL')
  }
})
