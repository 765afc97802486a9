import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Row } from '../../../catalog/index.ts'
import { followUps } from '../../../ingest/derive/index.ts'
import { createServedReleases } from '../../../ingest/publish/index.ts'
import { change, DAYS, exDay, quotes } from '../../fixtures/ingest/events.ts'
import { service, type TestService } from '../../support.ts'
import { adjustedPricesOn, changesOf, LONG_AGO } from './adjusted.ts'

let s: TestService
let a: ReturnType<typeof adjustedPricesOn>

describe('adjustment factors', () => {
  let beforeEvents: unknown
  beforeAll(async () => {
    s = await service({ examples: false, indexed: false })
    a = adjustedPricesOn(s)
    await a.publish('daily-prices', [
      ...quotes('2330', [1_000, 1_010, 1_002]),
      ...quotes('2327', [598, 600]),
      ...quotes('2327', [151], { from: 4 }),
      ...quotes('3064', [10.2, 10.65], { volume: 10_001 }),
      ...quotes('3064', [36], { from: 4 }),
      ...quotes('2454', [6_000, 5_900, 1_490, 1_500, 1_505]),
      ...quotes('2303', [100, 100, 100, 100]),
      ...quotes('3308', [28.2, 31]),
      ...quotes('1101', [40, null, null, 39]),
      ...quotes('8888', [10, 9]),
    ])
    beforeEvents = s.releases.served(s.dataset('adjusted-prices'))
    await a.publish('ex-rights', [
      ...LONG_AGO,
      exDay('2330', DAYS[2]!, 1_010, 1_005),
      exDay('2454', DAYS[4]!, 1_490, 1_485),
      exDay('2303', DAYS[1]!, 100, 98),
      exDay('2303', DAYS[2]!, null, 98),
      exDay('1101', DAYS[2]!, 40, 38),
      exDay('8888', DAYS[3]!, 9, 6),
    ])
    await a.publish('capital-changes', [
      change('2327', DAYS[4]!, 600, 150, { change_type: 'par_value_change', reason: null }),
      change('3064', DAYS[4]!, 10.65, 35.5, { exchange_ratio: 0.3 }),
      change('2454', DAYS[2]!, 6_000, 1_500, { change_type: 'par_value_change', reason: null }),
      change('3308', DAYS[1]!, 28.2, 31.26, { reason: '退還股款' }),
    ])
  })
  afterAll(() => s.close())

  it('adjusted prices are not published before the first event', () => expect(beforeEvents).toBeNull())

  it('a dividend of 5 at 1,010 adjusts earlier prices by 0.9950495050', async () => {
    expect(await a.prices('2330')).toMatchObject([
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

  it('a four-for-one split adjusts 600 to 150 and multiplies the volume by four', async () => {
    expect(await a.prices('2327')).toMatchObject([
      { close: 149.5, factor: 0.25, volume: 4_000, gap: null },
      { close: 150, factor: 0.25, volume: 4_000 },
      { close: 151, factor: 1, volume: 1_000 },
    ])
  })

  it('a capital reduction to 300 shares per 1,000 adjusts 10.65 to 35.50', async () => {
    expect(await a.prices('3064')).toMatchObject([
      // 35.5 ÷ 10.65 = 3.3333333333, × 10.2 = 33.99999999966; 10,001 × 0.3 = 3,000.3
      { close: 34, factor: 3.3333333333, volume: 3_000 },
      { close: 35.5, volume: 3_000 },
      { close: 36, factor: 1 },
    ])
  })

  it('factors of several events multiply', async () => {
    expect(await a.served('adjustment-factors', '2454')).toMatchObject([
      {
        event_id: `capital-changes:2454:${DAYS[2]}`,
        factor: 0.25,
        cumulative_factor: 0.2491610738,
        share_ratio: 4,
        cumulative_share_ratio: 4,
      },
      { event_id: `ex-rights:2454:${DAYS[4]}`, factor: 0.9966442953, cumulative_factor: 0.9966442953, share_ratio: 1 },
    ])
    // 6000 × 0.2491610738 = 1494.9664428; 1490 × 0.9966442953 = 1484.999999997
    expect((await a.prices('2454')).map(row => [row['close'], row['factor'], row['volume'], row['next_event']])).toEqual([
      [1_494.966443, 0.2491610738, 4_000, `capital-changes:2454:${DAYS[2]}`],
      [1_470.050335, 0.2491610738, 4_000, `capital-changes:2454:${DAYS[2]}`],
      [1_485, 0.9966442953, 1_000, `ex-rights:2454:${DAYS[4]}`],
      [1_494.966443, 0.9966442953, 1_000, `ex-rights:2454:${DAYS[4]}`],
      [1_505, 1, 1_000, null],
    ])
  })

  it('an event without a printed price leaves every earlier factor null and names the event', async () => {
    const missing = `no_factor:ex-rights:2303:${DAYS[2]}`
    expect((await a.prices('2303')).map(row => [row['close'], row['factor'], row['gap']])).toEqual([
      [null, null, missing],
      [null, null, missing],
      [100, 1, null],
      [100, 1, null],
    ])
    expect(await a.served('adjustment-factors', '2303')).toMatchObject([
      { factor: 0.98, cumulative_factor: null, gap: missing },
      { factor: null, cumulative_factor: null, gap: missing },
    ])
  })

  it('a capital repayment without a ratio adjusts prices and leaves the volume null', async () => {
    const missing = `no_share_ratio:capital-changes:3308:${DAYS[1]}`
    expect((await a.prices('3308'))[0]).toMatchObject({ close: 31.26, factor: 1.1085106383, volume: null, gap: missing })
  })

  it('prices of securities that are suspended on an ex-day, or delisted before the ex-day, are adjusted', async () => {
    expect((await a.prices('1101')).map(row => [row['close'], row['factor'], row['volume']])).toEqual([
      [38, 0.95, 1_000],
      [null, 0.95, 0],
      [null, 1, 0],
      [39, 1, 1_000],
    ])
    expect(await a.column('8888', 'close')).toEqual([6.666667, 6])
  })
})

describe('publications', () => {
  const TICKERS = ['2330', '2317', '1101']
  const changed = async (slug: string, rows: readonly Row[]) => changesOf(await a.publish(slug, rows))
  beforeAll(async () => {
    s = await service({ examples: false, indexed: false })
    a = adjustedPricesOn(s)
    await a.publish(
      'daily-prices',
      TICKERS.flatMap(ticker => quotes(ticker, [100, 101, 102])),
    )
    await a.publish('ex-rights', LONG_AGO)
  })
  afterAll(() => s.close())

  it("publishing a day of quotes adds that day's adjusted prices only", async () => {
    const { 'adjusted-prices': prices } = await changed(
      'daily-prices',
      TICKERS.flatMap(ticker => quotes(ticker, [103], { from: 3 })),
    )
    expect(prices).toMatchObject({ kind: 'new_rows', rows_added: 3, rows_changed: 0, rows_removed: 0, date_from: DAYS[3] })
  })

  it('publishing an event changes the adjusted prices of its security only, and leaves earlier releases unchanged', async () => {
    const before = s.releases.served(s.dataset('adjusted-prices'))!.id
    const [earlier, other] = [await a.column('2317', 'close'), await a.column('2330', 'close')]
    const { 'adjusted-prices': prices } = await changed('ex-rights', [exDay('2317', DAYS[2]!, 101, 99)])
    expect(prices).toMatchObject({ rows_added: 0, rows_changed: 2, rows_removed: 0 })
    expect((await a.column('2317', 'close')).slice(0, 3)).toEqual([98.019802, 99, 102])
    expect(await a.column('2330', 'close')).toEqual(other)
    const past = (await s.get(`/v2/datasets/adjusted-prices?symbol=2317&sort_order=asc&release=${before}`, s.keyOn('pro'))).json()
    expect(past.envelope.data.map((row: Row) => row['close'])).toEqual(earlier)
  })

  it('a publication without changes computes no adjusted prices', async () => {
    const servedId = async () => (await createServedReleases(s.workspace).of('adjusted-prices'))!.manifest.release
    const before = await servedId()
    const unchanged = { status: 'unchanged' } as Parameters<typeof followUps>[1][number]['outcome']
    expect(await followUps(s.workspace, [{ dataset: 'ex-rights', outcome: unchanged }])).toEqual([])
    expect(await servedId()).toBe(before)
  })
})
