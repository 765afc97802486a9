import { copyFileSync, existsSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type Checkpoints, createCheckpoints, type Database, leaveToCheckpoints, openState } from '../../src/state/index.ts'
import { dataFolder } from '../support.ts'

const MIB = 2 ** 20
let folder: Awaited<ReturnType<typeof dataFolder>>
let file: string
let db: Database
let checkpoints: Checkpoints
const failures: unknown[] = []

beforeEach(async () => {
  folder = await dataFolder()
  file = join(folder.dir, 'state.sqlite')
  db = openState(file, 'NORMAL')
  leaveToCheckpoints(db)
  db.exec('CREATE TABLE filler (bytes BLOB)')
  failures.length = 0
  checkpoints = createCheckpoints(db, error => failures.push(error))
})
afterEach(async () => {
  await checkpoints.close()
  db.close()
  await folder.remove()
})

const write = (bytes: number): void => {
  db.prepare('INSERT INTO filler VALUES (randomblob(?))').run(bytes)
  checkpoints.schedule()
}

/** Rows that the state file contains without its write-ahead log. */
const rowsWithoutLog = (): number => {
  const copy = `${file}.copy`
  copyFileSync(file, copy)
  const opened = new Sqlite(copy)
  try {
    return opened.prepare<[], number>('SELECT count(*) FROM filler').pluck().get()!
  } catch {
    // The table exists only in the write-ahead log.
    return 0
  } finally {
    opened.close()
    for (const ending of ['', '-wal', '-shm']) rmSync(copy + ending, { force: true })
  }
}

it('commits do not copy the log themselves, however long it is', () => {
  for (let count = 0; count < 32; count++) db.prepare('INSERT INTO filler VALUES (randomblob(?))').run(MIB)
  expect(rowsWithoutLog()).toBe(0)
})

it('a checkpoint copies every commit to the state file, including a commit that arrives during a checkpoint', async () => {
  for (let count = 1; count <= 3; count++) write(100)
  await vi.waitFor(() => expect(rowsWithoutLog()).toBe(3), { timeout: 10_000 })
  write(100)
  await vi.waitFor(() => expect(rowsWithoutLog()).toBe(4), { timeout: 10_000 })
  expect(failures).toEqual([])
})

it('the write-ahead log restarts from its beginning while writes continue without a pause', async () => {
  const log = (): number => statSync(`${file}-wal`).size
  let written = 0
  const until = Date.now() + 20_000
  // Without a restart, the log would be as long as everything that was written.
  while (Date.now() < until && log() >= 0.9 * written) {
    for (let count = 0; count < 50 && written < 1_024 * MIB; count++, written += MIB / 64) write(MIB / 64)
    await nextTurn()
  }
  expect(log()).toBeLessThan(0.9 * written)
}, 60_000)

it('when the last connection closes, it removes the write-ahead log', async () => {
  write(100)
  await vi.waitFor(() => expect(rowsWithoutLog()).toBe(1), { timeout: 10_000 })
  await checkpoints.close()
  db.close()
  expect(existsSync(`${file}-wal`)).toBe(false)
})

it('a failed checkpoint is reported, and the next commit starts another checkpoint', async () => {
  rmSync(`${file}-wal`)
  write(100)
  await vi.waitFor(() => expect(failures).toMatchObject([{ code: 'ENOENT' }]), { timeout: 10_000 })
  write(100)
  await vi.waitFor(() => expect(failures).toHaveLength(2), { timeout: 10_000 })
})
