import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createCalendar } from '../../src/calendar/index.ts'
import { coalesce } from '../../src/core/index.ts'
import { openPool, type Pool } from '../../src/engine/index.ts'
import { NOW, publishRows, service, type TestService } from '../support.ts'

const DAY = '2026-06-30'
let s: TestService
let pool: Pool
let time = NOW
beforeEach(async () => {
  s = await service({ examples: false, inMemory: false, now: () => time })
  pool = await openPool(s.engine, { connections: 2, waitMs: 2_000, budgetMs: 5_000 })
})
afterEach(async () => {
  pool.close()
  await s.close()
})

const logged: string[] = []
const calendarOver = (read: Pool['read']) =>
  createCalendar(
    s.dataset('trading-calendar'),
    s.releases,
    { ...pool, read },
    (event, facts) => void logged.push(`${event} ${facts?.['during']}`),
  )
async function name(is_open: boolean): Promise<void> {
  await publishRows(s.workspace, s.dir, s.dataset('trading-calendar'), [{ market: 'TWSE', date: DAY, is_open, reason: '颱風' }])
  await s.releases.refresh()
}

it('if the trading calendar is unreadable, the service does not read it again before the next publication', async () => {
  await name(false)
  const { pathOf, manifest } = s.releases.current(s.dataset('trading-calendar'))
  for (const part of manifest.parts) await rm(pathOf(part))
  let reads = 0
  const calendar = calendarOver((statement, use) => {
    reads++
    return pool.read(statement, use)
  })
  for (let attempt = 0; attempt < 5; attempt++) await calendar.refresh()
  expect([reads, logged]).toEqual([1, ['failed reading the calendar']])
  expect(calendar.isClosed(DAY)).toBe(false)
  time = new Date(NOW.getTime() + 1_000)
  await rm(`${s.workspace.releases}/trading-calendar`, { recursive: true })
  await name(false)
  await calendar.refresh()
  expect([reads, calendar.isClosed(DAY)]).toEqual([2, true])
})

it('a slow read of an older trading calendar never replaces a newer calendar', async () => {
  await name(false)
  const gate = Promise.withResolvers<void>()
  let reads = 0
  const calendar = calendarOver(async (statement, use) => {
    const days = await pool.read(statement, use)
    if (reads++ === 0) await gate.promise
    return days
  })
  const older = calendar.refresh()
  await name(true)
  const newer = calendar.refresh()
  await Promise.race([newer, sleep(300)])
  gate.resolve()
  await Promise.all([older, newer])
  expect([reads, calendar.isClosed(DAY)]).toEqual([2, false])
})

it('calls to a coalesced function while it runs share the result of this run and start no second run', async () => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let started = 0
  const work = coalesce(() => gates[started++]!.promise)
  const both = [work(), work()]
  gates[0]!.resolve()
  await Promise.all(both)
  expect(started).toBe(1)
  void work()
  expect(started).toBe(2)
})
