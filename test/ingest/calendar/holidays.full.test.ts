import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { body, ingest, outcomes } from '../../fixtures/ingest/bodies.ts'
import { trade } from '../../fixtures/publish/rows.ts'
import { stored } from '../../fixtures/publish/store.ts'
import { service, type TestService } from '../../support.ts'
import { EMPTY_QUARTER, emptinessOn, TRADES } from './emptiness.ts'

let s: TestService
let e: ReturnType<typeof emptinessOn>
const open = async (): Promise<void> => {
  s = await service({ examples: false, indexed: false })
  e = emptinessOn(s)
}
beforeEach(open)
afterEach(() => s.close())

it('if the calendar lists a Saturday as a trading day, an empty body for that day is refused as too early', async () => {
  await s.publish('trading-calendar', [{ market: 'TWSE', date: '2026-06-27', is_open: true, reason: '補行交易' }])
  expect((await e.empty('2026-06-27')).results).toMatchObject([{ outcome: 'refused', said: 'asked_too_early' }])
})

it('an empty body does not delay other files of the run', async () => {
  const files = [
    e.trades('2026-06-26', 1),
    body(s, 'empty.json', JSON.stringify({ stat: 'OK', date: '20260627', data: [], tables: [] })),
    e.trades('2026-06-29', 2),
  ]
  expect(outcomes(await ingest(s, 'twse-t86', files)).toSorted()).toEqual([
    ['2026-06-26.json', '2026-06-26', 'published', null],
    ['2026-06-29.json', '2026-06-29', 'published', null],
    ['empty.json', '2026-06-27', 'empty', 'stat OK without rows'],
  ])
  expect(await e.streaks()).toEqual([1, 2])
})

it('an empty body for a quarter marks no day as closed, so a missing day still ends a streak', async () => {
  expect((await e.empty('2026-06-30', 'mops-eps', EMPTY_QUARTER)).results).toMatchObject([{ outcome: 'empty', date: '2026-06-30' }])
  await ingest(s, 'twse-t86', [e.trades('2026-06-29', 1), e.trades('2026-07-01', 2)])
  expect(await e.streaks()).toEqual([1, 1])
})

it('the check of an empty body ignores sample rows, and rows of the other market', async () => {
  await s.publish(TRADES, [trade('2330', '2026-06-27', 1)], { synthetic: true })
  expect((await e.empty('2026-06-27')).results).toMatchObject([{ outcome: 'empty' }])
  await s.publish(TRADES, [trade('6488', '2026-06-27', 1, { market: 'TPEX' })])
  expect((await e.empty('2026-06-27')).results).toMatchObject([{ outcome: 'empty' }])
  expect((await e.empty('2026-06-27', 'tpex-institutional')).results).toMatchObject([{ outcome: 'refused', said: 'rows_held' }])
})

it('an empty list for a quarter with rows is refused, and the served rows do not change', async () => {
  await s.publish('income-statements', s.dataset('income-statements').example)
  expect((await e.empty('2026-03-31', 'mops-eps', EMPTY_QUARTER)).results).toMatchObject([{ outcome: 'refused', said: 'rows_held' }])
  expect(stored(s.workspace.releases, 'income-statements').manifest.statistics.rows).toBe(2)
  expect((await e.empty('2026-06-30', 'mops-eps', EMPTY_QUARTER)).results).toMatchObject([{ outcome: 'empty' }])
})

it("the feed's journal is append-only and survives a truncated line", async () => {
  await e.empty('2026-06-27')
  const before = readFileSync(join(s.workspace.captures, 'twse-t86.ndjson'), 'utf8')
  appendFileSync(join(s.workspace.captures, 'twse-t86.ndjson'), '{"at":"2026-07-01T20:00')
  await ingest(s, 'twse-t86', [e.trades('2026-06-29', 1)])
  const after = readFileSync(join(s.workspace.captures, 'twse-t86.ndjson'), 'utf8')
  expect(after.startsWith(before)).toBe(true)
  expect(JSON.parse(after.trimEnd().split('\n').at(-1)!)).toMatchObject({ outcome: 'published', date: '2026-06-29' })
  expect(await ingest(s, 'twse-t86', [e.trades('2026-06-30', 2)])).toMatchObject({ results: [{ outcome: 'published' }] })
  expect(await e.streaks()).toEqual([1, 2])
})
