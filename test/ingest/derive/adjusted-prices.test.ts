import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Row } from '../../../catalog/index.ts'
import { followUps } from '../../../ingest/derive/index.ts'
import { createServedReleases, forgetJoins, withLock } from '../../../ingest/publish/index.ts'
import { releasePaths } from '../../../src/releases/index.ts'
import { change, DAYS, exDay, quotes } from '../../fixtures/ingest/events.ts'
import { service, type TestService } from '../../support.ts'

let s: TestService
beforeEach(async () => {
  s = await service({ examples: false, indexed: false })
})
afterEach(() => s.close())

/** Ex-days long ago of another security, so that a market's ex-days are on record from before the quotes. */
const LONG_AGO = [exDay('9999', '2003-05-05', 20, 19), exDay('9998', '2003-05-05', 20, 19, 'TPEX')]

const publish = (slug: string, rows: readonly Row[]) => s.publish(slug, rows, { accept: ['row_count_drift', 'same_body', 'closed_day'] })
const served = async (slug: string, symbol: string): Promise<readonly Row[]> =>
  (await s.get(`/v2/datasets/${slug}?symbol=${symbol}&sort_order=asc`, s.keyOn('pro'))).json().envelope.data
const prices = (symbol: string) => served('adjusted-prices', symbol)
const column = async (symbol: string, name: string) => (await prices(symbol)).map(row => row[name])

describe('adjusted prices', () => {
  it('a dividend of 5 at 1,010 adjusts earlier prices by 0.9950495050', async () => {
    await publish('daily-prices', quotes('2330', [1_000, 1_010, 1_002]))
    await publish('ex-rights', [...LONG_AGO, exDay('2330', DAYS[2]!, 1_010, 1_005)])
    expect(await prices('2330')).toMatchObject([
      // 1000 × 0.9950495050 = 995.049505
      {
        trade_date: DAYS[0],
        close: 995.049505,
        factor: 0.995049505,
        traded_close: 1_000,
        next_event: `ex-rights:2330:${DAYS[2]}`,
        gap: null,
      },
      // 1010 × 0.9950495050 = 1005.00000005
      { trade_date: DAYS[1], close: 1_005, open: 1_005, high: 1_005, low: 1_005, volume: 1_000 },
      { trade_date: DAYS[2], close: 1_002, factor: 1, next_event: null, gap: null },
    ])
  })

  it('a four-for-one split adjusts 600 to 150 and the volume fourfold', async () => {
    await publish('daily-prices', [...quotes('2327', [598, 600]), ...quotes('2327', [151], { from: 4 })])
    await publish('ex-rights', LONG_AGO)
    await publish('capital-changes', [change('2327', DAYS[4]!, 600, 150, { change_type: 'par_value_change', reason: null })])
    expect(await prices('2327')).toMatchObject([
      { close: 149.5, factor: 0.25, volume: 4_000, gap: null },
      { close: 150, factor: 0.25, volume: 4_000 },
      { close: 151, factor: 1, volume: 1_000 },
    ])
  })

  it('a capital reduction of 300 shares for 1,000 adjusts 10.65 to 35.50', async () => {
    await publish('daily-prices', [...quotes('3064', [10.2, 10.65], { volume: 10_001 }), ...quotes('3064', [36], { from: 4 })])
    await publish('ex-rights', LONG_AGO)
    await publish('capital-changes', [change('3064', DAYS[4]!, 10.65, 35.5, { exchange_ratio: 0.3 })])
    expect(await prices('3064')).toMatchObject([
      // 35.5 ÷ 10.65 = 3.3333333333, × 10.2 = 33.99999999966; 10,001 × 0.3 = 3,000.3
      { close: 34, factor: 3.3333333333, volume: 3_000 },
      { close: 35.5, volume: 3_000 },
      { close: 36, factor: 1 },
    ])
  })

  it('factors of several events multiply', async () => {
    await publish('daily-prices', quotes('2330', [6_000, 5_900, 1_490, 1_500, 1_505]))
    await publish('capital-changes', [change('2330', DAYS[2]!, 6_000, 1_500, { change_type: 'par_value_change', reason: null })])
    await publish('ex-rights', [...LONG_AGO, exDay('2330', DAYS[4]!, 1_490, 1_485)])
    expect(await served('adjustment-factors', '2330')).toMatchObject([
      {
        event_id: `capital-changes:2330:${DAYS[2]}`,
        factor: 0.25,
        cumulative_factor: 0.2491610738,
        share_ratio: 4,
        cumulative_share_ratio: 4,
      },
      { event_id: `ex-rights:2330:${DAYS[4]}`, factor: 0.9966442953, cumulative_factor: 0.9966442953, share_ratio: 1 },
    ])
    // 6000 × 0.2491610738 = 1494.9664428; 1490 × 0.9966442953 = 1484.999999997
    expect((await prices('2330')).map(row => [row['close'], row['factor'], row['volume'], row['next_event']])).toEqual([
      [1_494.966443, 0.2491610738, 4_000, `capital-changes:2330:${DAYS[2]}`],
      [1_470.050335, 0.2491610738, 4_000, `capital-changes:2330:${DAYS[2]}`],
      [1_485, 0.9966442953, 1_000, `ex-rights:2330:${DAYS[4]}`],
      [1_494.966443, 0.9966442953, 1_000, `ex-rights:2330:${DAYS[4]}`],
      [1_505, 1, 1_000, null],
    ])
  })
})

describe('gaps', () => {
  it('an event without a printed price leaves every earlier factor null and names the event', async () => {
    await publish('daily-prices', quotes('2330', [100, 100, 100, 100]))
    await publish('ex-rights', [...LONG_AGO, exDay('2330', DAYS[1]!, 100, 98), exDay('2330', DAYS[2]!, null, 98)])
    const missing = `no_factor:ex-rights:2330:${DAYS[2]}`
    expect((await prices('2330')).map(row => [row['close'], row['factor'], row['gap']])).toEqual([
      [null, null, missing],
      [null, null, missing],
      [100, 1, null],
      [100, 1, null],
    ])
    expect(await served('adjustment-factors', '2330')).toMatchObject([
      { factor: 0.98, cumulative_factor: null, gap: missing },
      { factor: null, cumulative_factor: null, gap: missing },
    ])
  })

  it('a capital repayment without a ratio adjusts prices and leaves the volume null', async () => {
    await publish('daily-prices', quotes('3308', [28.2, 31]))
    await publish('ex-rights', LONG_AGO)
    await publish('capital-changes', [change('3308', DAYS[1]!, 28.2, 31.26, { reason: '退還股款' })])
    const missing = `no_share_ratio:capital-changes:3308:${DAYS[1]}`
    expect((await prices('3308'))[0]).toMatchObject({ close: 31.26, factor: 1.1085106383, volume: null, gap: missing })
  })

  it("prices before a market's first ex-day, or without any, name the gap", async () => {
    await publish('daily-prices', [...quotes('2330', [100, 100, 100]), ...quotes('5274', [50], { market: 'TPEX' })])
    await publish('ex-rights', [exDay('2330', DAYS[1]!, 100, 98)])
    expect(await column('2330', 'gap')).toEqual([`ex_days_begin:${DAYS[1]}`, null, null])
    expect(await column('5274', 'gap')).toEqual(['no_ex_days_on_record'])
    await publish('ex-rights', LONG_AGO)
    expect(await column('2330', 'gap')).toEqual([null, null, null])
    expect(await column('5274', 'gap')).toEqual([null])
  })

  it('adjusted prices are not published before any event', async () => {
    await publish('daily-prices', quotes('2330', [100]))
    expect(s.releases.served(s.dataset('adjusted-prices'))).toBeNull()
  })
})

describe('days without trades', () => {
  it('prices of securities suspended on an ex-day or delisted before it are adjusted', async () => {
    await publish('daily-prices', [
      ...quotes('1101', [40, null, null, 39]),
      ...quotes('8888', [10, 9]),
      ...quotes('2330', [100, 100, 100, 100]),
    ])
    await publish('ex-rights', [...LONG_AGO, exDay('1101', DAYS[2]!, 40, 38), exDay('8888', DAYS[3]!, 9, 6)])
    expect((await prices('1101')).map(row => [row['close'], row['factor'], row['volume']])).toEqual([
      [38, 0.95, 1_000],
      [null, 0.95, 0],
      [null, 1, 0],
      [39, 1, 1_000],
    ])
    expect(await column('8888', 'close')).toEqual([6.666667, 6])
  })

  it('an ex-day on a closed day counts from the next session, and once when it is announced again', async () => {
    const [friday, closed, monday] = ['2026-06-26', '2026-06-27', '2026-06-29']
    await publish('daily-prices', quotes('2330', [100, 101], { from: 4 }))
    await publish('ex-rights', [...LONG_AGO, exDay('2330', closed, 100, 98)])
    expect(await column('2330', 'close')).toEqual([98, 101])
    await publish('ex-rights', [exDay('2330', monday, 100, 98)])
    expect((await prices('2330')).map(row => [row['trade_date'], row['close'], row['factor']])).toEqual([
      [friday, 98, 0.98],
      [monday, 101, 1],
    ])
    expect(await served('adjustment-factors', '2330')).toMatchObject([
      { event_date: closed, factor: 1, gap: `counted_as:ex-rights:2330:${monday}` },
      { event_date: monday, factor: 0.98, gap: null },
    ])
  })
})

describe('publications', () => {
  const changed = async (slug: string, rows: readonly Row[]) =>
    Object.fromEntries((await publish(slug, rows)).followUps.map(({ dataset, outcome }) => [dataset, outcome.changes ?? outcome.status]))
  const start = async () => {
    await publish(
      'daily-prices',
      ['2330', '2317', '1101'].flatMap(ticker => quotes(ticker, [100, 101, 102])),
    )
    await publish('ex-rights', LONG_AGO)
  }

  it("publishing a day of quotes adds that day's adjusted prices only", async () => {
    await start()
    const found = await changed(
      'daily-prices',
      ['2330', '2317', '1101'].flatMap(ticker => quotes(ticker, [103], { from: 3 })),
    )
    expect(found['adjusted-prices']).toMatchObject({
      kind: 'new_rows',
      rows_added: 3,
      rows_changed: 0,
      rows_removed: 0,
      date_from: DAYS[3],
    })
  })

  it('publishing an event changes the adjusted prices of its security only', async () => {
    await start()
    const found = await changed('ex-rights', [exDay('2317', DAYS[2]!, 101, 99)])
    expect(found['adjusted-prices']).toMatchObject({ rows_added: 0, rows_changed: 2, rows_removed: 0 })
    expect(await column('2330', 'close')).toEqual([100, 101, 102])
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
    expect(await column('2317', 'close')).toEqual([98.039216, 99.019608, 100, 100])
  })

  it('publishing a day with one row less removes its adjusted price', async () => {
    await start()
    const found = await changed(
      'daily-prices',
      ['2330', '2317'].flatMap(ticker => quotes(ticker, [102], { from: 2 })),
    )
    expect(found['adjusted-prices']).toMatchObject({ rows_added: 0, rows_changed: 0, rows_removed: 1 })
    expect(await column('1101', 'trade_date')).toEqual([DAYS[0], DAYS[1]])
  })

  it('adjusted prices are the same in any order of publication and after a crash in between', async () => {
    const lists: Readonly<Record<string, readonly Row[]>> = {
      'daily-prices': ['2330', '2317', '1101'].flatMap(ticker => quotes(ticker, [100, 101, 102])),
      'ex-rights': [...LONG_AGO, exDay('2317', DAYS[2]!, 101, 99)],
      'capital-changes': [change('1101', DAYS[1]!, 100, 125)],
    }
    const rowsOf = async (order: readonly string[]) => {
      for (const slug of order) await publish(slug, lists[slug]!)
      return await Promise.all(['2330', '2317', '1101'].map(prices))
    }
    const first = await rowsOf(['daily-prices', 'ex-rights', 'capital-changes'])
    for (const order of [
      ['capital-changes', 'ex-rights', 'daily-prices'],
      ['ex-rights', 'daily-prices', 'capital-changes'],
    ]) {
      await s.close()
      s = await service({ examples: false, indexed: false })
      expect(await rowsOf(order)).toEqual(first)
    }
    forgetJoins(s.workspace.captures, 'adjusted-prices')
    await publish('ex-rights', [exDay('2330', DAYS[2]!, 101, 99)])
    expect(await column('2330', 'close')).toEqual([98.019802, 99, 102])
    expect(await column('1101', 'close')).toEqual([125, 101, 102])
  })

  it('adjusted prices catch up after a publication found them locked', async () => {
    await start()
    const event = [exDay('2330', DAYS[2]!, 101, 99)]
    const { home } = releasePaths(s.workspace.releases, 'adjusted-prices')
    await withLock(home, () => expect(publish('ex-rights', event)).rejects.toThrow(/is publishing this dataset/))
    await publish('ex-rights', event)
    expect(await column('2330', 'close')).toEqual([98.019802, 99, 102])
  })

  it('an earlier release of adjusted prices keeps the events of its time', async () => {
    await start()
    const before = s.releases.served(s.dataset('adjusted-prices'))!.id
    await publish('ex-rights', [exDay('2330', DAYS[2]!, 101, 99)])
    const past = (await s.get(`/v2/datasets/adjusted-prices?symbol=2330&sort_order=asc&release=${before}`, s.keyOn('pro'))).json()
    expect(past.envelope.data.map((row: Row) => row['close'])).toEqual([100, 101, 102])
    expect(await column('2330', 'close')).toEqual([98.019802, 99, 102])
  })

  it('as_of_date returns the adjustment of that day, without later events', async () => {
    await publish('daily-prices', quotes('2330', [100, 101, 102, 103]))
    await publish('ex-rights', [...LONG_AGO, exDay('2330', DAYS[1]!, 100, 98)])
    const then = await column('2330', 'close')
    const asOf = async () => {
      const fields = 'adjustment.event,adjustment.factor'
      const url = `/v2/query?entity_type=company&entity_ids=2330&fields=${fields}&as_of_date=${DAYS[2]}`
      return (await s.get(url, s.keyOn('pro'))).json().data[0].fields
    }
    const known = await asOf()
    expect(known).toMatchObject({ 'adjustment.event': { value: `ex-rights:2330:${DAYS[1]}` }, 'adjustment.factor': { value: 0.98 } })
    await publish('ex-rights', [exDay('2330', DAYS[3]!, 102, 99.45)])
    const [rows, later] = [await prices('2330'), await asOf()]
    const scale = Number(rows[2]!['factor'])
    expect(scale).toBe(0.975)
    expect(rows.slice(0, 3).map(row => Number(row['close']) / scale)).toEqual(
      then.slice(0, 3).map(close => expect.closeTo(Number(close), 6)),
    )
    expect(later['adjustment.event'].value).toBe(known['adjustment.event'].value)
    expect(later['adjustment.factor'].value).toBe(0.98)
  })

  it('an unchanged publication triggers no adjusted prices', async () => {
    await start()
    const of = async () => (await createServedReleases(s.workspace).of('adjusted-prices'))!.manifest.release
    const before = await of()
    const unchanged = { status: 'unchanged' } as Parameters<typeof followUps>[1][number]['outcome']
    expect(await followUps(s.workspace, [{ dataset: 'ex-rights', outcome: unchanged }])).toEqual([])
    expect(await of()).toBe(before)
  })
})
