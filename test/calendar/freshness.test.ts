import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadCatalog, pathOf, type Row, served } from '../../catalog/index.ts'
import { closedByRule, freshnessView } from '../../src/calendar/index.ts'
import type { Release } from '../../src/releases/index.ts'
import { trade } from '../fixtures/publish/rows.ts'
import { publishRows } from '../support.ts'
import { type ServiceAt, serviceAt, taipeiTime } from './service-at.ts'

const catalog = await loadCatalog()

/** Freshness of a dataset that is complete through a day, without a calendar dataset. */
function freshnessThrough(slug: string, day: string, time: string) {
  const release = { completeThrough: day, degraded: false, manifest: { published_at: `${day}T12:00:00.000+08:00` } } as Release
  return freshnessView({ dataset: catalog.get(slug)!, release }, taipeiTime(time), closedByRule, 'en')
}

/** An expected freshness. Times are in Taipei, with seconds. */
const due = (cadence: string, state: string, [expected, next]: readonly [string, string], lag: number) => ({
  freshness_state: state,
  cadence,
  expected_at: `${expected}.000+08:00`,
  next_expected_at: `${next}.000+08:00`,
  lag_days: lag,
})

describe('freshness of a dataset of every trading day, due at 18:00', () => {
  it.each([
    // Data is not due on a fixed holiday (Labour Day, a Friday).
    ['2026-04-30', '2026-05-04 12:00', 'fresh', '2026-04-30T18:00', '2026-05-04T18:00', 0],
    // Data that arrived early is not expected again.
    ['2026-06-17', '2026-06-17 15:00', 'fresh', '2026-06-16T18:00', '2026-06-18T18:00', 0],
    // Tuesday's data is present; Wednesday's is due on Wednesday.
    ['2026-06-23', '2026-06-24 17:59', 'fresh', '2026-06-23T18:00', '2026-06-24T18:00', 0],
    ['2026-06-23', '2026-06-24 18:00', 'due', '2026-06-24T18:00', '2026-06-25T18:00', 1],
    ['2026-06-23', '2026-06-25 05:59', 'due', '2026-06-24T18:00', '2026-06-25T18:00', 1],
    ['2026-06-23', '2026-06-25 06:00', 'late', '2026-06-24T18:00', '2026-06-25T18:00', 1],
    // Weekends are skipped and do not count as days behind.
    ['2026-06-26', '2026-06-29 17:59', 'fresh', '2026-06-26T18:00', '2026-06-29T18:00', 0],
    ['2026-06-26', '2026-07-07 12:00', 'late', '2026-07-06T18:00', '2026-07-07T18:00', 6],
  ])('a daily dataset with data through %s, checked at %s, is %s', (through, time, state, expected, next, lag) => {
    expect(freshnessThrough('institutional-positioning', through, time)).toMatchObject({
      freshness_as_of: through,
      ...due('trading_day', state, [`${expected}:00`, `${next}:00`], lag),
    })
  })
})

describe('freshness of quarterly statements, due by their statutory deadlines', () => {
  it.each([
    ['2025-12-31', '2026-05-15 23:58', 'fresh', '2026-03-31', '2026-05-15', 0],
    ['2025-12-31', '2026-05-15 23:59', 'due', '2026-05-15', '2026-08-14', 0],
    ['2025-12-31', '2026-05-18 23:58', 'due', '2026-05-15', '2026-08-14', 2],
    ['2025-12-31', '2026-05-18 23:59', 'late', '2026-05-15', '2026-08-14', 3],
    ['2026-03-31', '2026-08-14 23:58', 'fresh', '2026-05-15', '2026-08-14', 0],
    // 14 November is a Saturday in 2026, so companies have until Monday.
    ['2026-06-30', '2026-11-16 12:00', 'fresh', '2026-08-14', '2026-11-16', 0],
    ['2026-06-30', '2026-11-17 00:00', 'due', '2026-11-16', '2027-03-31', 0],
    ['2026-09-30', '2027-03-31 12:00', 'fresh', '2026-11-16', '2027-03-31', 0],
    ['2026-09-30', '2027-04-10 12:00', 'late', '2027-03-31', '2027-05-17', 9],
    // Two quarters are missing: the days behind are counted from the due day of the older quarter.
    ['2026-09-30', '2027-05-20 23:59', 'late', '2027-05-17', '2027-08-16', 50],
  ])('a quarterly dataset with data through %s, checked at %s, is %s', (through, time, state, expected, next, lag) => {
    expect(freshnessThrough('company-earnings', through, time)).toMatchObject(
      due('quarter', state, [`${expected}T23:59:00`, `${next}T23:59:00`], lag),
    )
  })
})

describe('freshness of a monthly register, due by the tenth of the next month', () => {
  it.each([
    ['2026-05-28', '2026-07-10 17:59', 'late', '2026-06-10T18:00', '2026-07-10T18:00', 29],
    // 31 May is a Sunday: the data of the previous Friday belongs to the month.
    ['2026-05-29', '2026-07-10 17:59', 'fresh', '2026-06-10T18:00', '2026-07-10T18:00', 0],
    ['2026-05-31', '2026-07-10 17:59', 'fresh', '2026-06-10T18:00', '2026-07-10T18:00', 0],
    ['2026-05-31', '2026-07-10 18:00', 'due', '2026-07-10T18:00', '2026-08-10T18:00', 0],
    ['2026-05-31', '2026-07-13 17:59', 'due', '2026-07-10T18:00', '2026-08-10T18:00', 2],
    ['2026-05-31', '2026-07-13 18:00', 'late', '2026-07-10T18:00', '2026-08-10T18:00', 3],
    // 10 October is a holiday and a Saturday.
    ['2026-08-31', '2026-10-12 17:59', 'fresh', '2026-09-10T18:00', '2026-10-12T18:00', 0],
  ])('a monthly dataset that was printed on %s, checked at %s, is %s', (printed, time, state, expected, next, lag) => {
    expect(freshnessThrough('securities-firm-master', printed, time)).toMatchObject(
      due('month', state, [`${expected}:00`, `${next}:00`], lag),
    )
  })
})

describe('freshness of a weekly dataset, due on Saturday at 18:00', () => {
  it.each([
    ['2026-06-19', '2026-06-27 17:59', 'fresh', '2026-06-20T18:00', '2026-06-27T18:00', 0],
    ['2026-06-19', '2026-06-27 18:00', 'due', '2026-06-27T18:00', '2026-07-04T18:00', 0],
    ['2026-06-19', '2026-06-29 17:59', 'due', '2026-06-27T18:00', '2026-07-04T18:00', 1],
    ['2026-06-19', '2026-06-29 18:00', 'late', '2026-06-27T18:00', '2026-07-04T18:00', 2],
    ['2026-06-26', '2026-06-29 18:00', 'fresh', '2026-06-27T18:00', '2026-07-04T18:00', 0],
  ])('a weekly dataset with data through %s, checked at %s, is %s', (through, time, state, expected, next, lag) => {
    expect(freshnessThrough('shareholder-distribution', through, time)).toMatchObject(
      due('week', state, [`${expected}:00`, `${next}:00`], lag),
    )
  })
})

describe('freshness in the answers of the service', () => {
  let s: ServiceAt
  beforeAll(async () => {
    s = await serviceAt('2026-07-11 12:00', { inMemory: false })
  })
  afterAll(() => s.close())

  const TRADES = 'institutional-positioning'
  async function publish(slug: string, rows: readonly Row[]): Promise<void> {
    await publishRows(s.workspace, s.dir, s.dataset(slug), rows)
    await s.releases.refresh()
    await s.calendar.refresh()
  }

  it('if a typhoon closes the market, no data is expected for the day once the calendar lists the day as closed', async () => {
    await publish('bond-yield-curve', [s.like('bond-yield-curve', { trade_date: '2026-07-09', as_of: '2026-07-09' })])
    expect(await s.freshness('bond-yield-curve')).toMatchObject({ freshness_state: 'late', lag_days: 1 })
    const closed = ['TWSE', 'TPEX'].map(market => ({ market, date: '2026-07-10', is_open: false, reason: '颱風' }))
    await publish('trading-calendar', closed)
    expect(await s.freshness('bond-yield-curve')).toMatchObject({
      freshness_state: 'fresh',
      lag_days: 0,
      expected_at: '2026-07-09T18:00:00.000+08:00',
    })
    expect((await s.listed('bond-yield-curve')).freshness_state).toBe('fresh')
  })

  it('a dataset without a scheduled producer counts missing days and has no next expected time', async () => {
    const { knownGaps } = s.dataset('bond-yield-curve')
    expect(knownGaps).toHaveProperty('no_scheduled_producer')
    expect(await s.freshness('bond-yield-curve')).toMatchObject({ cadence: 'trading_day', next_expected_at: null, lag_days: 0 })
    const { update_timing, update_timing_zh } = (await s.get('/v2/coverage/bond-yield-curve')).json()
    expect(update_timing).toBe('no fixed schedule; data counts as missing if it is not available every trading day by 18:00')
    expect(update_timing_zh).toBe('無固定排程；每個交易日 18:00 前未更新即視為缺漏')
    expect((await s.get('/v2/coverage/institutional-positioning')).json().update_timing).toBe('every trading day by 18:00')
  })

  it('the freshness of a dataset without a scheduled producer has a note in the requested language', async () => {
    const noteOf = async (slug: string, language: string) => {
      const { headers, ...answer } = await s.get(`/v2/datasets/${slug}/freshness`, undefined, { 'accept-language': language })
      expect(headers['vary']).toContain('Accept-Language')
      return answer.json().note
    }
    expect(await noteOf('bond-yield-curve', 'en')).toMatch(
      /^This dataset has no fixed update schedule, so the date of the next update is unknown\./,
    )
    expect(await noteOf('bond-yield-curve', 'zh-TW')).toContain('沒有固定的更新排程')
    expect(await noteOf('institutional-positioning', 'en')).toBeNull()
    expect((await s.listed('bond-yield-curve')).description).toContain('Updates have no fixed schedule')
  })

  it('until the first rows of a market are published, freshness and coverage name the market as not loaded', async () => {
    const LABEL = 'market_not_loaded_tpex'
    const stated = async () => {
      const { freshness_state, warnings } = await s.freshness(TRADES)
      const { known_gaps } = (await s.get(`/v2/coverage/${TRADES}`)).json()
      return [freshness_state, warnings.includes(LABEL), known_gaps.includes(LABEL)]
    }
    s.setTime('2026-07-14 20:00')
    await publish(TRADES, [trade('2330', '2026-07-14', 4630, { market: 'TWSE' })])
    expect(await stated()).toEqual(['fresh', true, true])
    await publish(TRADES, [trade('6488', '2026-07-13', 8788, { market: 'TPEX' })])
    expect(await stated()).toEqual(['due', false, false])
  })

  it('a dataset is due while one of its markets lacks the newest day', async () => {
    s.setTime('2026-07-15 20:00')
    await publish(TRADES, [trade('6488', '2026-07-14', 8789, { market: 'TPEX' })])
    await publish(TRADES, [trade('2330', '2026-07-15', 4730, { market: 'TWSE' })])
    expect(await s.freshness(TRADES)).toMatchObject({ freshness_state: 'due', freshness_as_of: '2026-07-14', lag_days: 1 })
    expect((await s.listed(TRADES)).data_as_of).toBe('2026-07-15')
    await publish(TRADES, [trade('6488', '2026-07-15', 8888, { market: 'TPEX' })])
    expect(await s.freshness(TRADES)).toMatchObject({ freshness_state: 'fresh', freshness_as_of: '2026-07-15', lag_days: 0 })
  })

  it('quarterly statements stay late until most companies have filed for the quarter', async () => {
    const ENDS = { '2026-Q4': '2026-12-31', '2027-Q1': '2027-03-31' } as const
    const filed = (ticker: string, period: keyof typeof ENDS) =>
      s.like('company-earnings', { ticker, fiscal_period: period, period_end: ENDS[period], announcement_date: null })
    s.setTime('2027-05-21 12:00')
    await publish('company-earnings', [
      filed('1101', '2026-Q4'),
      filed('2330', '2026-Q4'),
      filed('2454', '2026-Q4'),
      filed('2330', '2027-Q1'),
    ])
    expect(await s.freshness('company-earnings')).toMatchObject({ freshness_state: 'late', freshness_as_of: '2026-12-31' })
    await publish('company-earnings', [filed('2454', '2027-Q1')])
    expect(await s.freshness('company-earnings')).toMatchObject({ freshness_state: 'fresh', freshness_as_of: '2027-03-31' })
  })
})

describe('freshness of the example rows', () => {
  let s: ServiceAt
  beforeAll(async () => {
    s = await serviceAt('2026-07-01 20:00', { examples: true, inMemory: false })
  })
  afterAll(() => s.close())

  it('the freshness of a dataset without scheduled updates is "static"', async () => {
    expect(await s.freshness('theme-taxonomy')).toMatchObject({
      freshness_state: 'static',
      freshness_as_of: '2026-06-30',
      last_published_at: '2026-07-01T20:00:00.000+08:00',
      cadence: 'on_change',
      expected_at: null,
      next_expected_at: null,
      lag_days: null,
    })
  })

  it('the freshness of a dataset that was never published is "building"', async () => {
    const bare = await serviceAt('2026-07-01 20:00', { inMemory: false })
    const freshness = await bare.freshness('events')
    await bare.close()
    expect(freshness).toEqual({
      dataset: 'events',
      slug: 'events',
      freshness_state: 'building',
      freshness_as_of: null,
      last_published_at: null,
      cadence: 'on_change',
      expected_at: null,
      next_expected_at: null,
      lag_days: null,
      release_version: null,
      note: null,
      warnings: ['not_investment_advice', 'preview_schema_may_change'],
    })
  })

  it('reads, the freshness endpoint and the list of datasets state the same freshness of every dataset', async () => {
    const key = s.keyOn('max')
    for (const time of ['2026-07-01 20:00', '2026-07-02 06:00', '2026-08-16 12:00']) {
      s.setTime(time)
      const { data } = (await s.get('/v2/datasets')).json()
      for (const dataset of served(catalog)) {
        const required = Object.entries(dataset.filters).flatMap(([name, { required, example }]) => (required ? `${name}=${example}` : []))
        const full = dataset.envelope.kind === 'A-bare' ? ['envelope=full'] : []
        const stated = await s.freshness(dataset.slug)
        const listed = data.find(({ slug }: { readonly slug: string }) => slug === dataset.slug)
        const body = (await s.get(`${pathOf(dataset)}?${[...required, ...full].join('&')}`, key)).json()
        const { freshness_state, freshness_as_of } = body.envelope?.quality ?? body.quality ?? {}
        const { dataset: id, release_version } = stated
        expect
          .soft([id, listed.freshness_state, listed.release_version], `${dataset.slug}, listed at ${time}`)
          .toEqual([dataset.id, stated.freshness_state, release_version])
        expect
          .soft([freshness_state, freshness_as_of], `${dataset.slug}, read at ${time}`)
          .toEqual([stated.freshness_state, stated.freshness_as_of])
      }
    }
  })
})
