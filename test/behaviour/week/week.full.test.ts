import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { SourceRequest } from '../../fixtures/fetch/source.ts'
import { EMPTY, holdersBody, t86Body } from '../../fixtures/ingest/bodies.ts'
import { openWorld, type World } from './world.ts'

const TRADES = 'institutional-positioning'
const HOLDERS = 'shareholder-distribution'

const requestedDayOf = ({ path }: SourceRequest): string => /date=(\d{4})(\d\d)(\d\d)/.exec(path)!.slice(1).join('-')
/**
 * The exchange's response for a day. The net shares of 2330 equal the day of the month plus the
 * correction.
 */
const printed = (day: string, more = 0): string =>
  t86Body(day, { '2330': [Number(day.slice(8)) + more, 1, 0], '0050': [0, Number(day.slice(5, 7)), 7] })
const asPrinted = (request: SourceRequest): string => (request.path.includes('T86') ? printed(requestedDayOf(request)) : holders())

let w: World
let key: string
/** Number of charged answers with rows. */
let paid: number
const holders = (): string =>
  w.clock() < new Date('2026-07-04T00:00:00+08:00') ? holdersBody('2026-06-26', 0) : holdersBody('2026-07-03', 100)
beforeEach(async () => {
  paid = 0
  w = await openWorld({ start: '2026-06-29 12:00', scheduled: ['twse-t86', 'tdcc-distribution'], reply: asPrinted })
  await w.follow('reader@example.test', TRADES)
  key = w.keyOn('pro', 'reader@example.test')
})
afterEach(() => w.close())

/**
 * Reads 2330.
 *
 * @returns days and net shares, newest first
 */
async function read(query = ''): Promise<readonly (readonly [string, number])[]> {
  const { status, headers, body } = await w.json(`/v2/datasets/${TRADES}?symbol=2330&${query}`, { 'x-api-key': key })
  expect(status).toBe(200)
  paid += Number(headers.get('x-credits-charged'))
  return body.data.map((row: Record<string, unknown>) => [row['trade_date'], row['foreign_net_buy']])
}

/**
 * What is visible at this time: the dataset, its feed on the operator's page, and refused files.
 */
async function seen() {
  const { body } = await w.json(`/v2/datasets/${TRADES}/freshness`)
  const feed = (await w.admin('feeds')).data.find((one: { feed: string }) => one.feed === 'twse-t86')
  const { kept: quarantined } = await w.admin('quarantine')
  const damage = (await w.admin('damage')).data_count
  return [body.freshness_state, body.freshness_as_of, feed.last_run.outcome, feed.covers, quarantined, damage]
}

/** The updates feed, newest first. */
const updates = async (): Promise<
  readonly { readonly slug: string; readonly kind: string; readonly release_version: string; readonly published_at: string }[]
> => (await w.json('/v2/updates?since=2026-06-01', { 'x-api-key': key })).body.data

it('a scheduled service reports on-time, late, wrong and revised days over a week', async () => {
  await w.pass('2026-06-29 17:00')
  expect(await seen()).toEqual(['fresh', '2026-06-26', 'came', '2026-06-26', 0, 0])
  expect(await read()).toEqual([['2026-06-26', 26]])

  // Monday's trades are due at 18:00 and arrive in time.
  await w.pass('2026-06-29 18:30')
  expect(await seen()).toEqual(['fresh', '2026-06-29', 'came', '2026-06-29', 0, 0])
  expect((await read())[0]).toEqual(['2026-06-29', 29])
  // The thread that checkpoints the state file starts a second after the first charged read.
  await vi.waitFor(() => expect(w.openStateFiles()).toBe(3), { timeout: 10_000 })
  const before = { descriptors: w.descriptors(), memory: process.memoryUsage.rss() }

  // Tuesday's trades are late: the exchange has no data until the next morning.
  w.reply(asked => (asked.path.includes('T86') && w.clock() < new Date('2026-07-01T07:00:00+08:00') ? EMPTY : asPrinted(asked)))
  await w.pass('2026-06-30 19:00')
  expect(await seen()).toEqual(['due', '2026-06-29', 'late', '2026-06-29', 0, 0])
  await w.pass('2026-07-01 06:30')
  expect(await seen()).toEqual(['late', '2026-06-29', 'late', '2026-06-29', 0, 0])
  await w.pass('2026-07-01 12:00')
  expect(await seen()).toEqual(['fresh', '2026-06-30', 'came', '2026-06-30', 0, 0])

  // Wednesday's trades are wrong: a total is not the sum of its parts. The file is quarantined and
  // its rows are not served.
  w.reply(asked => asPrinted(asked).replace(/"(\d+)"\](,|\])/, (_, total, rest) => `"${Number(total) + 1}"]${rest}`))
  await w.pass('2026-07-01 19:00')
  expect(await seen()).toEqual(['due', '2026-06-30', 'refused', '2026-06-30', 1, 0])
  const [quarantined] = (await w.admin('quarantine')).data
  expect(quarantined).toMatchObject({ for: 'twse-t86', rules: ['legs_add_up'] })
  expect((await read())[0]).toEqual(['2026-06-30', 30])
  expect((await w.discard(quarantined.id, 'The exchange prints it again tomorrow.')).status).toBe(200)

  // On Thursday the exchange publishes correct data for both days.
  w.reply(asPrinted)
  await w.pass('2026-07-02 18:30')
  expect(await seen()).toEqual(['fresh', '2026-07-02', 'came', '2026-07-02', 0, 0])
  expect((await read()).slice(0, 3)).toEqual([
    ['2026-07-02', 2],
    ['2026-07-01', 1],
    ['2026-06-30', 30],
  ])
  const former = (await updates()).find(one => one.slug === TRADES)!.release_version

  // On Friday, Monday's trades are corrected. The former release still has the former values.
  await w.pass('2026-07-03 18:30')
  w.reply(asked => (asked.path.includes('T86') ? printed(requestedDayOf(asked), 1_000) : asPrinted(asked)))
  await w.fetchAgain('twse-t86', '2026-06-29')
  expect((await read('start_date=2026-06-29&end_date=2026-06-29'))[0]).toEqual(['2026-06-29', 1_029])
  expect((await read(`start_date=2026-06-29&end_date=2026-06-29&release=${former}`))[0]).toEqual(['2026-06-29', 29])
  w.reply(asPrinted)

  // On Saturday the week's shareholder data arrives; on Sunday nothing does.
  await w.pass('2026-07-05 22:00')
  expect((await w.json(`/v2/datasets/${HOLDERS}/freshness`)).body).toMatchObject({
    freshness_state: 'fresh',
    freshness_as_of: '2026-07-03',
  })
  expect(await seen()).toEqual(['fresh', '2026-07-03', 'came', '2026-07-03', 0, 0])
  expect((await updates()).map(one => `${one.published_at.slice(0, 16)} ${one.slug} ${one.kind}`).toSorted()).toEqual([
    '2026-06-29T12:00 holder-concentration new_rows',
    '2026-06-29T12:00 institutional-positioning new_rows',
    '2026-06-29T12:00 shareholder-distribution new_rows',
    '2026-06-29T12:00 trading-calendar new_rows',
    '2026-06-29T18:00 institutional-positioning new_rows',
    '2026-07-01T08:35 institutional-positioning new_rows',
    '2026-07-02T18:00 institutional-positioning new_rows',
    '2026-07-03T18:00 institutional-positioning new_rows',
    '2026-07-03T18:30 institutional-positioning revision',
    '2026-07-04T18:00 holder-concentration new_rows',
    '2026-07-04T18:00 shareholder-distribution new_rows',
  ])
  expect((await w.json(`/v2/data-catalog/reconciliation/${TRADES}`)).body).toMatchObject({
    badge: 'partial',
    badge_reason: 'comparisons_not_made',
    rows: 12,
    rows_compared: 12,
    mismatched: 0,
    unchecked: ['net_within_volume'],
  })

  // The webhook received every event.
  expect(await w.messages(8)).toEqual([
    ['dataset.published', '2026-06-26'],
    ['dataset.published', '2026-06-29'],
    ['dataset.late', '2026-06-29'],
    ['dataset.published', '2026-06-30'],
    ['dataset.late', '2026-06-30'],
    ['dataset.published', '2026-07-01'],
    ['dataset.published', '2026-07-03'],
    ['dataset.revised', '2026-06-29'],
  ])

  // Only reads were charged, and no resource grew.
  const { body: ledger } = await w.json('/v2/account/usage-ledger?window=30d', { 'x-api-key': key })
  expect(ledger.data.map((one: { credits: number }) => one.credits).reduce((sum: number, one: number) => sum + one, 0)).toBe(paid)
  // A keep-alive connection may be open or closed at the time of the check, so a small difference
  // is allowed. A leak per run or publication would be larger.
  expect(w.descriptors() - before.descriptors).toBeLessThan(6)
  expect(process.memoryUsage.rss() - before.memory).toBeLessThan(256 * 2 ** 20)
})
