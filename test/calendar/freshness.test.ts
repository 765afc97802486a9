import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadCatalog, pathOf, served } from '../../catalog/index.ts'
import { trade } from '../fixtures/publish/rows.ts'
import { type ServiceAt, serviceAt } from './service-at.ts'

const CATALOG = served(await loadCatalog())
let s: ServiceAt
const curve = (day: string) => s.like('bond-yield-curve', { trade_date: day, as_of: day })
const closed = (day: string) => ['TWSE', 'TPEX'].map(market => ({ market, date: day, is_open: false, reason: '颱風' }))

describe('a dataset of every trading day, due at 18:00', () => {
  beforeAll(async () => {
    s = await serviceAt('2026-04-01 12:00')
  })
  afterAll(() => s.close())

  it.each([
    // A holiday with a fixed date, here Labour Day, a Friday, is waited through.
    ['2026-04-30', '2026-05-04 12:00', 'fresh', '2026-04-30T18:00', '2026-05-04T18:00', 0],
    // Data that came early is not expected again.
    ['2026-06-17', '2026-06-17 15:00', 'fresh', '2026-06-16T18:00', '2026-06-18T18:00', 0],
    // A Tuesday's data is held; Wednesday's is due on Wednesday.
    ['2026-06-23', '2026-06-24 17:59', 'fresh', '2026-06-23T18:00', '2026-06-24T18:00', 0],
    ['2026-06-23', '2026-06-24 18:00', 'due', '2026-06-24T18:00', '2026-06-25T18:00', 1],
    ['2026-06-23', '2026-06-25 05:59', 'due', '2026-06-24T18:00', '2026-06-25T18:00', 1],
    ['2026-06-23', '2026-06-25 06:00', 'late', '2026-06-24T18:00', '2026-06-25T18:00', 1],
    // Weekends are waited through, and are no days behind.
    ['2026-06-26', '2026-06-29 17:59', 'fresh', '2026-06-26T18:00', '2026-06-29T18:00', 0],
    ['2026-06-26', '2026-07-07 12:00', 'late', '2026-07-06T18:00', '2026-07-07T18:00', 6],
  ])('that holds %s is at %s %s', async (held, at, state, expected, next, lag) => {
    s.at(at)
    await s.publish('institutional-positioning', [trade('2330', held, Number(held.replaceAll('-', '')))])
    expect(await s.freshness('institutional-positioning')).toMatchObject({
      freshness_state: state,
      freshness_as_of: held,
      cadence: 'trading_day',
      expected_at: `${expected}:00.000+08:00`,
      next_expected_at: `${next}:00.000+08:00`,
      lag_days: lag,
    })
  })

  it('waits for no day on which a typhoon closed the market, once that is published', async () => {
    s.at('2026-07-11 12:00')
    await s.publish('bond-yield-curve', [curve('2026-07-09')])
    expect(await s.freshness('bond-yield-curve')).toMatchObject({ freshness_state: 'late', lag_days: 1 })
    await s.publish('trading-calendar', closed('2026-07-10'))
    expect(await s.freshness('bond-yield-curve')).toMatchObject({
      freshness_state: 'fresh',
      lag_days: 0,
      expected_at: '2026-07-09T18:00:00.000+08:00',
    })
    expect((await s.listed('bond-yield-curve')).freshness_state).toBe('fresh')
  })

  it('that nobody brings by a timetable counts the days it lacks, and promises none', async () => {
    const { knownGaps } = s.dataset('bond-yield-curve')
    expect(knownGaps).toHaveProperty('no_scheduled_producer')
    expect(await s.freshness('bond-yield-curve')).toMatchObject({ cadence: 'trading_day', next_expected_at: null, lag_days: 0 })
    const { update_timing, update_timing_zh } = (await s.get('/v2/coverage/bond-yield-curve')).json()
    expect(update_timing).toBe('not scheduled; counts as missing where it is not there every trading day by 18:00')
    expect(update_timing_zh).toBe('未排程；每個交易日 18:00 前未到者視為缺漏')
    expect((await s.get('/v2/coverage/institutional-positioning')).json().update_timing).toBe('every trading day by 18:00')
  })

  it('that nobody brings by a timetable says so in a sentence, in the language asked for', async () => {
    const told = async (slug: string, language: string) => {
      const { headers, ...answer } = await s.get(`/v2/datasets/${slug}/freshness`, undefined, { 'accept-language': language })
      expect(headers['vary']).toContain('Accept-Language')
      return answer.json().note
    }
    expect(await told('bond-yield-curve', 'en')).toMatch(/^This dataset has no scheduled producer: .* no next day is promised/)
    expect(await told('bond-yield-curve', 'zh-TW')).toContain('沒有排定的提供者')
    expect(await told('institutional-positioning', 'en')).toBeNull()
    expect((await s.listed('bond-yield-curve')).description).toContain('Nobody brings it by a timetable')
  })

  it('is not up to date while one of its markets is missing', async () => {
    s.at('2026-07-15 20:00')
    await s.publish('institutional-positioning', [
      trade('2330', '2026-07-14', 4630, { market: 'TWSE' }),
      trade('6488', '2026-07-14', 8788, { market: 'TPEX' }),
    ])
    await s.publish('institutional-positioning', [trade('2330', '2026-07-15', 4730, { market: 'TWSE' })])
    expect(await s.freshness('institutional-positioning')).toMatchObject({
      freshness_state: 'due',
      freshness_as_of: '2026-07-14',
      lag_days: 1,
    })
    expect((await s.listed('institutional-positioning')).data_as_of).toBe('2026-07-15')
    await s.publish('institutional-positioning', [trade('6488', '2026-07-15', 8888, { market: 'TPEX' })])
    expect(await s.freshness('institutional-positioning')).toMatchObject({
      freshness_state: 'fresh',
      freshness_as_of: '2026-07-15',
      lag_days: 0,
    })
  })
})

it('a market that was never loaded is named beside the state, until it is', async () => {
  s = await serviceAt('2026-07-14 20:00')
  const SLUG = 'institutional-positioning'
  const LABEL = 'market_not_loaded_tpex'
  const stated = async () => {
    const { freshness_state, warnings } = await s.freshness(SLUG)
    const { known_gaps } = (await s.get(`/v2/coverage/${SLUG}`)).json()
    return [freshness_state, warnings.includes(LABEL), known_gaps.includes(LABEL)]
  }
  await s.publish(SLUG, [trade('2330', '2026-07-14', 4630, { market: 'TWSE' })])
  expect(await stated()).toEqual(['fresh', true, true])
  await s.publish(SLUG, [trade('6488', '2026-07-13', 8788, { market: 'TPEX' })])
  expect(await stated()).toEqual(['due', false, false])
  await s.close()
})

describe('quarterly statements, due by their statutory deadlines', () => {
  const ends = { Q1: '03-31', Q2: '06-30', Q3: '09-30', Q4: '12-31' }
  const filed = (ticker: string, period: string) =>
    s.like('company-earnings', {
      ticker,
      fiscal_period: period,
      period_end: `${period.slice(0, 4)}-${ends[period.slice(5) as keyof typeof ends]}`,
      announcement_date: null,
    })
  beforeAll(async () => {
    s = await serviceAt('2026-04-01 12:00')
  })
  afterAll(() => s.close())

  it.each([
    ['2025-Q4', '2026-05-15 23:58', 'fresh', '2026-03-31', '2026-05-15', 0],
    ['2025-Q4', '2026-05-15 23:59', 'due', '2026-05-15', '2026-08-14', 0],
    ['2025-Q4', '2026-05-18 23:58', 'due', '2026-05-15', '2026-08-14', 2],
    ['2025-Q4', '2026-05-18 23:59', 'late', '2026-05-15', '2026-08-14', 3],
    ['2026-Q1', '2026-08-14 23:58', 'fresh', '2026-05-15', '2026-08-14', 0],
    // 14 November is a Saturday in 2026, so companies have until Monday.
    ['2026-Q2', '2026-11-16 12:00', 'fresh', '2026-08-14', '2026-11-16', 0],
    ['2026-Q2', '2026-11-17 00:00', 'due', '2026-11-16', '2027-03-31', 0],
    ['2026-Q3', '2027-03-31 12:00', 'fresh', '2026-11-16', '2027-03-31', 0],
    ['2026-Q3', '2027-04-10 12:00', 'late', '2027-03-31', '2027-05-17', 9],
    // Two quarters behind: days since the older one was due.
    ['2026-Q3', '2027-05-20 23:59', 'late', '2027-05-17', '2027-08-16', 50],
  ])('up to %s are at %s %s', async (held, at, state, expected, next, lag) => {
    s.at(at)
    await s.publish('company-earnings', [filed('2330', held)])
    expect(await s.freshness('company-earnings')).toMatchObject({
      freshness_state: state,
      cadence: 'quarter',
      expected_at: `${expected}T23:59:00.000+08:00`,
      next_expected_at: `${next}T23:59:00.000+08:00`,
      lag_days: lag,
    })
  })

  it('are not up to date because one company filed', async () => {
    s.at('2027-05-21 12:00')
    await s.publish('company-earnings', [
      filed('1101', '2026-Q4'),
      filed('2330', '2026-Q4'),
      filed('2454', '2026-Q4'),
      filed('2330', '2027-Q1'),
    ])
    expect(await s.freshness('company-earnings')).toMatchObject({ freshness_state: 'late', freshness_as_of: '2026-12-31' })
    await s.publish('company-earnings', [filed('2454', '2027-Q1')])
    expect(await s.freshness('company-earnings')).toMatchObject({ freshness_state: 'fresh', freshness_as_of: '2027-03-31' })
  })
})

describe('a monthly register, due by the tenth of the next month', () => {
  beforeAll(async () => {
    s = await serviceAt('2026-06-01 12:00')
  })
  afterAll(() => s.close())

  it.each([
    ['2026-05-28', '2026-07-10 17:59', 'late', '2026-06-10T18:00', '2026-07-10T18:00', 29],
    // The 31st of May is a Sunday: what was printed on the Friday before is the month's.
    ['2026-05-29', '2026-07-10 17:59', 'fresh', '2026-06-10T18:00', '2026-07-10T18:00', 0],
    ['2026-05-31', '2026-07-10 17:59', 'fresh', '2026-06-10T18:00', '2026-07-10T18:00', 0],
    ['2026-05-31', '2026-07-10 18:00', 'due', '2026-07-10T18:00', '2026-08-10T18:00', 0],
    ['2026-05-31', '2026-07-13 18:00', 'late', '2026-07-10T18:00', '2026-08-10T18:00', 3],
    // 10 October is a holiday and a Saturday.
    ['2026-08-31', '2026-10-12 17:59', 'fresh', '2026-09-10T18:00', '2026-10-12T18:00', 0],
  ])('printed on %s is at %s %s', async (printed, at, state, expected, next, lag) => {
    s.at(at)
    await s.publish('securities-firm-master', [s.like('securities-firm-master', { report_date: printed })])
    expect(await s.freshness('securities-firm-master')).toMatchObject({
      freshness_state: state,
      cadence: 'month',
      expected_at: `${expected}:00.000+08:00`,
      next_expected_at: `${next}:00.000+08:00`,
      lag_days: lag,
    })
  })
})

describe('freshness without a due date', () => {
  beforeAll(async () => {
    s = await serviceAt('2026-07-01 20:00', { examples: true })
  })
  afterAll(() => s.close())

  it('is static for a dataset that is updated whenever its source changes', async () => {
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

  it('is building for a dataset that was never published', async () => {
    expect(await s.freshness('events')).toEqual({
      dataset: 'events',
      slug: 'events',
      freshness_state: 'building',
      freshness_as_of: null,
      last_published_at: null,
      cadence: 'trading_day',
      expected_at: null,
      next_expected_at: null,
      lag_days: null,
      release_version: null,
      note: null,
      warnings: ['not_investment_advice', 'preview_schema_may_change'],
    })
  })
})

describe('with example rows', () => {
  beforeAll(async () => {
    s = await serviceAt('2026-07-01 20:00', { examples: true })
  })
  afterAll(() => s.close())

  describe.each(CATALOG)('the reads of $slug', dataset => {
    const required = Object.entries(dataset.filters).flatMap(([name, { required, example }]) => (required ? `${name}=${example}` : []))

    it.each(['2026-07-01 20:00', '2026-07-02 06:00', '2026-08-10 18:00', '2026-08-16 12:00'])(
      'state the freshness that the endpoint and the list state, at %s',
      async at => {
        s.at(at)
        const [stated, listed] = [await s.freshness(dataset.slug), await s.listed(dataset.slug)]
        expect(stated.dataset).toBe(dataset.id)
        expect(listed.freshness_state).toBe(stated.freshness_state)
        expect(listed.release_version).toBe(stated.release_version)
        const full = dataset.envelope.kind === 'A-bare' ? ['envelope=full'] : []
        const body = (await s.get(`${pathOf(dataset)}?${[...required, ...full].join('&')}`, s.keyOn('max'))).json()
        const quality = body.envelope?.quality ?? body.quality
        expect(quality).toMatchObject({ freshness_state: stated.freshness_state, freshness_as_of: stated.freshness_as_of })
      },
    )
  })
})
