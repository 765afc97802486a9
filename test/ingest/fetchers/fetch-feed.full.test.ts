import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { bringCalendar } from '../../../ingest/calendar/index.ts'
import type { FetchedFeed } from '../../../ingest/index.ts'
import { withLock } from '../../../ingest/publish/index.ts'
import { fetchSetup } from '../../fixtures/fetch/source.ts'
import { asDay, bodyOfDay, requestedDayOf } from '../../fixtures/fetch/t86.ts'
import { companyRegister, EMPTY, t86Body } from '../../fixtures/ingest/bodies.ts'
import { stored } from '../../fixtures/publish/store.ts'

const TRADES = 'institutional-positioning'
let f: Awaited<ReturnType<typeof fetchSetup>>
beforeEach(async () => {
  f = await fetchSetup({ reply: asDay })
  await bringCalendar(await f.workspace())
})
afterEach(() => f.close())

const requestedDays = (): readonly string[] => f.source.requests.map(requestedDayOf)
const published = (): readonly string[] => stored(join(f.dir, 'releases'), TRADES).manifest.sources.flatMap(({ name }) => name.slice(-10))
const range = (from: string, to: string) => ({ wanted: { from, to } })
const outcomesOf = ({ ingested }: FetchedFeed) => ingested.flatMap(({ results }) => results.map(({ outcome, said }) => [outcome, said]))

it('fetching waits while another process publishes the dataset', async () => {
  let [isDelayed, release]: [boolean, () => void] = [false, () => {}]
  const publishing = withLock(join(f.dir, 'releases', TRADES), () => {
    isDelayed = true
    return new Promise<void>(resolve => {
      release = resolve
    })
  })
  expect(isDelayed).toBe(true)
  f.source.reply(request => {
    setTimeout(release, 2_000)
    return asDay(request)
  })
  const fetched = await f.fetch('twse-t86')
  await publishing
  expect(outcomesOf(fetched)).toEqual([['published', null]])
  expect(f.source.requests).toHaveLength(1)
})

it('a stopped fetch publishes the bodies that arrived, and the next run requests the other bodies', async () => {
  const controller = new AbortController()
  const stopAfter = (count: number): void => {
    if (count === 2) controller.abort()
  }
  const first = await f.fetch('twse-t86', { ...range('2026-06-26', '2026-07-01'), progress: stopAfter, signal: controller.signal })
  expect(first.stopped?.en).toBe('The command was interrupted.')
  expect(published()).toEqual(['2026-06-26'])
  const second = await f.fetch('twse-t86', range('2026-06-26', '2026-07-01'))
  expect([second.stopped, second.skipped.published]).toEqual([null, 1])
  expect(requestedDays()).toEqual(['2026-06-26', '2026-06-29', '2026-06-30', '2026-07-01'])
})

it('a fetched body of another day is requested again, and the right body is published', async () => {
  f.source.reply(request => bodyOfDay(f.source.requests.length > 1 ? requestedDayOf(request) : '2026-06-29'))
  expect(outcomesOf(await f.fetch('twse-t86', range('2026-06-30', '2026-06-30')))).toEqual([['published', null]])
})

it("a fetched body that repeats another day's rows is refused", async () => {
  f.source.reply(request => {
    const rows = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [String(1101 + index), [index * 1000 + 1, 2, 3] as const]))
    return t86Body(requestedDayOf(request), rows)
  })
  const fetched = await f.fetch('twse-t86', range('2026-06-29', '2026-06-30'))
  expect(outcomesOf(fetched)).toContainEqual(['refused', 'same_body'])
})

it('an empty body on a weekday is refused as too early and requested again in the next run', async () => {
  f.source.reply(() => EMPTY)
  expect(outcomesOf(await f.fetch('twse-t86'))).toEqual([['refused', 'asked_too_early']])
  f.source.reply(asDay)
  expect(outcomesOf(await f.fetch('twse-t86'))).toEqual([['published', null]])
})

it('a list that is fetched in one part per market is ingested only after both parts have arrived', async () => {
  f.source.reply(({ path }, response) => {
    if (path.endsWith('_L')) return companyRegister(1)
    response.writeHead(404)
    return ''
  })
  const half = await f.fetch('companies')
  expect([half.failures.length, half.ingested]).toEqual([1, []])
  f.source.reply(({ path }) => (path.endsWith('_L') ? companyRegister(1) : companyRegister(9)))
  await f.fetch('companies')
  expect(stored(join(f.dir, 'releases'), 'company-names').manifest.sources.map(({ rows }) => rows)).toEqual([500, 500])
})

it('a month that was fetched on its last day is requested once more after that day', async () => {
  const nothing = JSON.stringify({ stat: '很抱歉，沒有符合條件的資料!' })
  f.pass(Date.parse('2026-06-30T09:00:00+08:00') - f.clock().getTime())
  f.source.reply(() => nothing)
  const month = { wanted: { from: '2026-06-01', to: '2026-06-30' } }
  await f.fetch('twse-ex-rights', month)
  f.pass(3 * 86_400_000)
  await f.fetch('twse-ex-rights', month)
  expect(f.source.requests).toHaveLength(2)
  await f.fetch('twse-ex-rights', month)
  expect(f.source.requests).toHaveLength(2)
})
