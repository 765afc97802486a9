import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Row } from '../../../catalog/index.ts'
import { forgetJoins, withLock } from '../../../ingest/publish/index.ts'
import { releasePaths } from '../../../src/releases/index.ts'
import { twmd } from '../../fixtures/cli/twmd.ts'
import { change, DAYS, exDay, quotes } from '../../fixtures/ingest/events.ts'
import { stored } from '../../fixtures/publish/store.ts'
import { service, type TestService } from '../../support.ts'
import { adjustedPricesOn, changesOf, LONG_AGO } from './adjusted.ts'

let s: TestService
let a: ReturnType<typeof adjustedPricesOn>
const open = async (): Promise<void> => {
  s = await service({ examples: false, indexed: false })
  a = adjustedPricesOn(s)
}
beforeEach(open)
afterEach(() => s.close())

const changed = async (slug: string, rows: readonly Row[]) => changesOf(await a.publish(slug, rows))
const start = async (): Promise<void> => {
  await a.publish(
    'daily-prices',
    ['2330', '2317', '1101'].flatMap(ticker => quotes(ticker, [100, 101, 102])),
  )
  await a.publish('ex-rights', LONG_AGO)
}

it('prices before the first ex-day of their market, or in a market without ex-days, have the reason in the column gap', async () => {
  await a.publish('daily-prices', [...quotes('2330', [100, 100, 100]), ...quotes('5274', [50], { market: 'TPEX' })])
  await a.publish('ex-rights', [exDay('2330', DAYS[1]!, 100, 98)])
  expect(await a.column('2330', 'gap')).toEqual([`ex_days_begin:${DAYS[1]}`, null, null])
  expect(await a.column('5274', 'gap')).toEqual(['no_ex_days_on_record'])
  await a.publish('ex-rights', LONG_AGO)
  expect(await a.column('2330', 'gap')).toEqual([null, null, null])
  expect(await a.column('5274', 'gap')).toEqual([null])
})

it('an event whose ex-day is a closed day counts from the next session, and counts once even if announced twice', async () => {
  const [friday, closed, monday] = ['2026-06-26', '2026-06-27', '2026-06-29']
  await a.publish('daily-prices', quotes('2330', [100, 101], { from: 4 }))
  await a.publish('ex-rights', [...LONG_AGO, exDay('2330', closed, 100, 98)])
  expect(await a.column('2330', 'close')).toEqual([98, 101])
  await a.publish('ex-rights', [exDay('2330', monday, 100, 98)])
  expect((await a.prices('2330')).map(row => [row['trade_date'], row['close'], row['factor']])).toEqual([
    [friday, 98, 0.98],
    [monday, 101, 1],
  ])
  expect(await a.served('adjustment-factors', '2330')).toMatchObject([
    { event_date: closed, factor: 1, gap: `counted_as:ex-rights:2330:${monday}` },
    { event_date: monday, factor: 0.98, gap: null },
  ])
})

it('a future event changes adjusted prices once its day has quotes', async () => {
  await start()
  const early = await changed('ex-rights', [exDay('2317', DAYS[3]!, 102, 100)])
  expect(early['adjusted-prices']).toBeUndefined()
  const found = await changed(
    'daily-prices',
    ['2330', '2317', '1101'].flatMap(ticker => quotes(ticker, [100], { from: 3 })),
  )
  expect(found['adjusted-prices']).toMatchObject({ rows_added: 3, rows_changed: 3 })
  expect(await a.column('2317', 'close')).toEqual([98.039216, 99.019608, 100, 100])
})

it('publishing a day again without one of its rows removes the adjusted price of that row', async () => {
  await start()
  const found = await changed(
    'daily-prices',
    ['2330', '2317'].flatMap(ticker => quotes(ticker, [102], { from: 2 })),
  )
  expect(found['adjusted-prices']).toMatchObject({ rows_added: 0, rows_changed: 0, rows_removed: 1 })
  expect(await a.column('1101', 'trade_date')).toEqual([DAYS[0], DAYS[1]])
})

it.each([
  ['daily-prices', quotes('2330', [90], { from: 2 }), [100, 101, 102]],
  ['ex-rights', [exDay('2330', DAYS[2]!, 101, 99)], [100, 101, 102]],
] as const)('adjusted prices are computed again when an earlier release of %s is served again', async (slug, rows, closes) => {
  await start()
  const { release } = stored(s.workspace.releases, slug)
  await a.publish(slug, rows)
  expect(await a.column('2330', 'close')).not.toEqual(closes)
  const { stdout } = await twmd(s.dir, 'releases', 'serve', slug, release)
  expect(stdout).not.toContain('Not changed')
  await s.releases.refresh()
  expect(await a.column('2330', 'close')).toEqual(closes)
})

it('adjusted prices are the same for any order of publications and after a crash between two of them', async () => {
  const lists: Readonly<Record<string, readonly Row[]>> = {
    'daily-prices': ['2330', '2317', '1101'].flatMap(ticker => quotes(ticker, [100, 101, 102])),
    'ex-rights': [...LONG_AGO, exDay('2317', DAYS[2]!, 101, 99)],
    'capital-changes': [change('1101', DAYS[1]!, 100, 125)],
  }
  const rowsOf = async (order: readonly string[]) => {
    for (const slug of order) await a.publish(slug, lists[slug]!)
    return await Promise.all(['2330', '2317', '1101'].map(a.prices))
  }
  const first = await rowsOf(['daily-prices', 'ex-rights', 'capital-changes'])
  for (const order of [
    ['capital-changes', 'ex-rights', 'daily-prices'],
    ['ex-rights', 'daily-prices', 'capital-changes'],
  ]) {
    await s.close()
    await open()
    expect(await rowsOf(order)).toEqual(first)
  }
  forgetJoins(s.workspace.captures, 'adjusted-prices')
  await a.publish('ex-rights', [exDay('2330', DAYS[2]!, 101, 99)])
  expect(await a.column('2330', 'close')).toEqual([98.019802, 99, 102])
  expect(await a.column('1101', 'close')).toEqual([125, 101, 102])
})

it('if adjusted prices are locked during a publication, the next publication updates them', async () => {
  await start()
  const event = [exDay('2330', DAYS[2]!, 101, 99)]
  const { home } = releasePaths(s.workspace.releases, 'adjusted-prices')
  await withLock(home, () => expect(a.publish('ex-rights', event)).rejects.toThrow(/is publishing this dataset/))
  await a.publish('ex-rights', event)
  expect(await a.column('2330', 'close')).toEqual([98.019802, 99, 102])
})

it('as_of_date returns the adjustment of that day, without later events', async () => {
  await a.publish('daily-prices', quotes('2330', [100, 101, 102, 103]))
  await a.publish('ex-rights', [...LONG_AGO, exDay('2330', DAYS[1]!, 100, 98)])
  const then = await a.column('2330', 'close')
  const asOf = async () => {
    const fields = 'adjustment.event,adjustment.factor'
    const url = `/v2/query?entity_type=company&entity_ids=2330&fields=${fields}&as_of_date=${DAYS[2]}`
    return (await s.get(url, s.keyOn('pro'))).json().data[0].fields
  }
  const before = await asOf()
  expect(before).toMatchObject({ 'adjustment.event': { value: `ex-rights:2330:${DAYS[1]}` }, 'adjustment.factor': { value: 0.98 } })
  await a.publish('ex-rights', [exDay('2330', DAYS[3]!, 102, 99.45)])
  const [rows, later] = [await a.prices('2330'), await asOf()]
  const scale = Number(rows[2]!['factor'])
  expect(scale).toBe(0.975)
  expect(rows.slice(0, 3).map(row => Number(row['close']) / scale)).toEqual(then.slice(0, 3).map(close => expect.closeTo(Number(close), 6)))
  expect(later['adjustment.event'].value).toBe(before['adjustment.event'].value)
  expect(later['adjustment.factor'].value).toBe(0.98)
})
