import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect, it, onTestFinished, vi } from 'vitest'
import { openControl } from '../../src/control/index.ts'
import { plain } from '../state/schema.ts'
import { dataFolder, NOW, SECRETS } from '../support.ts'

const MINUTE_MS = 60_000

it('counts of requests are written after a minute, also if the state file was locked before', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { dir, remove } = await dataFolder()
  const stateDb = join(dir, 'state.sqlite')
  const failures: unknown[] = []
  const control = openControl({ stateDb }, SECRETS, error => void failures.push(error))
  onTestFinished(async () => {
    control.close()
    vi.useRealTimers()
    await remove()
  })
  const stored = () => plain(stateDb, db => db.prepare('SELECT day, answered, failed FROM traffic_day').raw().all())
  control.traffic.count(200, NOW)
  control.traffic.count(503, NOW)
  expect(stored()).toEqual([])
  const other = new Sqlite(stateDb)
  other.exec('BEGIN IMMEDIATE')
  vi.advanceTimersByTime(MINUTE_MS)
  other.close()
  expect([failures.length, stored()]).toEqual([1, []])
  vi.advanceTimersByTime(MINUTE_MS)
  expect(stored()).toEqual([['2026-07-01', 1, 1]])
  expect(vi.getTimerCount()).toBe(0)
})
