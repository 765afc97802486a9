import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pathOf } from '../../catalog/index.ts'
import { planProfile, profileRows, type ReadLimits } from '../../src/read/index.ts'
import { NOW } from '../support.ts'
import { holder, usageOf } from '../usage/ledger.ts'
import { checkColumn, checkProfile, type Profiled, readsOf } from './sample-checks.ts'
import { QUICK, rowsOf, type SamplesServed, samplesServed } from './samples-served.ts'

let samples: SamplesServed
beforeAll(async () => {
  samples = await samplesServed('quick')
}, 300_000)
afterAll(() => samples.s.close())

const get = (url: string, key = samples.key, headers: Record<string, string> = {}) => samples.s.get(url, key, headers)

it.each(readsOf(QUICK).map(dataset => ({ at: pathOf(dataset), dataset })))(
  'the profile of $at matches the rows of the read in every column',
  ({ dataset }) => checkProfile(samples, dataset),
)

const PRICES = '/v2/datasets/daily-prices/profile?symbol=2330,2317&start_date=2026-01-01'

describe('profiles', () => {
  it('a profile accepts the filters of the read and has the requested columns in order', async () => {
    const body = (await get(`${PRICES}&columns=close,name`)).json()
    expect(body.data.map(({ name }: Profiled) => name)).toEqual(['close', 'name'])
    expect(body.filters).toEqual({
      symbol: '2330,2317',
      market: null,
      start_date: '2026-01-01',
      end_date: null,
      range: null,
      columns: 'close,name',
    })
    const rows = rowsOf((await get('/v2/datasets/daily-prices?symbol=2330,2317&start_date=2026-01-01&limit=100000')).json())
    expect(body.row_count).toBe(rows.length)
    for (const column of body.data as readonly Profiled[]) checkColumn(column, rows)
  })

  it('histograms have steps of 1, 2 or 5 times a power of ten, or calendar months', async () => {
    const [close, day] = (await get(`${PRICES}&columns=close,trade_date`)).json().data as readonly Profiled[]
    const steps = close!.histogram!.map(({ from, to }) => Number((Number(to) - Number(from)).toPrecision(9)))
    expect(new Set(steps).size).toBe(1)
    expect(String(steps[0])).toMatch(/^0?\.?0*[125]0*$/)
    expect(day!.histogram![0]!.from).toMatch(/^2026-01-01$/)
    expect(day!.histogram!.map(({ to }) => to)).toEqual([
      '2026-02-01',
      '2026-03-01',
      '2026-04-01',
      '2026-05-01',
      '2026-06-01',
      '2026-07-01',
    ])
  })

  it('a profile of no rows states the reason and has empty columns', async () => {
    const response = await get('/v2/datasets/daily-prices/profile?symbol=9999')
    expect(response.json()).toMatchObject({ row_count: 0, empty_reason: 'no_match' })
    for (const column of response.json().data as readonly Profiled[])
      expect(column).toMatchObject({ count: 0, nulls: 0, distinct: 0, min: null, max: null, histogram: null })
    expect((await get('/v2/datasets/index-classification/profile?index_code=IX9999')).headers['x-credits-charged']).toBe('0')
  })

  it('release= pins the release of a profile', async () => {
    const { s } = samples
    const path = '/v2/datasets/securities-firm-master/profile?columns=broker_id'
    const before = (await get(path)).json()
    const { example } = s.dataset('securities-firm-master')
    await s.publish('securities-firm-master', example, { accept: ['row_count_drift'], synthetic: true })
    const after = (await get(path)).json()
    expect(after.row_count).toBe(example.length)
    expect(after.release).not.toBe(before.release)
    expect((await get(`${path}&release=${before.release}`)).json()).toEqual({
      ...before,
      filters: { ...before.filters },
    })
    expect((await get(`${path}&release=20200101T000000000Z`)).statusCode).toBe(404)
  })

  it('a profile costs the credits of a read and needs the plan of a read, and 304 is free', async () => {
    const { s } = samples
    const account = holder(s, 'pro', 'profile@example.test', NOW)
    const first = await get('/v2/datasets/valuation/profile?symbol=2330', account.key)
    const credits = s.dataset('valuation').access!.credits
    expect(first.headers['x-credits-charged']).toBe(String(credits))
    expect(usageOf(s.dir, account.accountId).entries).toHaveLength(1)
    const again = await get('/v2/datasets/valuation/profile?symbol=2330', account.key, { 'if-none-match': String(first.headers['etag']) })
    expect([again.statusCode, again.headers['x-credits-charged']]).toEqual([304, '0'])
    expect((await get('/v2/datasets/valuation?symbol=2330', account.key)).headers['etag']).not.toBe(first.headers['etag'])
    const free = holder(s, 'free', 'profile-free@example.test', NOW)
    expect((await get('/v2/datasets/valuation/profile?symbol=2330', free.key)).statusCode).toBe(
      s.dataset('valuation').access!.plan === 'free' ? 200 : 403,
    )
  })

  it('a profile accepts the dataset id, and its errors suggest the nearest name or the path of the read', async () => {
    expect((await get('/v2/datasets/daily_prices/profile?symbol=2330')).json().slug).toBe('daily-prices')
    expect((await get('/v2/datasets/daily-price/profile')).json().error).toMatchObject({
      error_code: 'unknown_dataset',
      did_you_mean: 'daily-prices',
    })
    expect((await get('/v2/datasets/securities/cross-section/profile')).json().error).toMatchObject({ read_at: '/v2/datasets/securities' })
  })

  it.each([
    ['daily-prices/profile', 'symbol', 'missing'],
    ['daily-prices/cross-section/profile', 'date', 'missing'],
    ['daily-prices/profile?symbol=2330&columns=clos', 'columns', 'enum'],
    ['daily-prices/profile?symbol=2330&columns=', 'columns', 'enum'],
    ['daily-prices/profile?symbol=2330&columns=close,close', 'columns', 'repeated_value'],
    ["daily-prices/profile?symbol=2330&columns='%3B--", 'columns', 'enum'],
    ['daily-prices/profile?symbol=2330&limit=5', 'limit', 'unknown_parameter'],
    ['daily-prices/profile?symbol=2330&sort=close', 'sort', 'unknown_parameter'],
    ['earnings/profile?symbol=2330&latest=true', 'latest', 'unknown_parameter'],
    ['daily-prices/profile?symbol=2330&start_date=2026-02-30', 'start_date', 'date'],
    ['daily-prices/profile?symbol=2330&start_date=2026-03-01&end_date=2026-02-01', 'start_date', 'range'],
  ])('the service refuses %s because of %s: %s', async (path, param, type) => {
    const response = await get(`/v2/datasets/${path}`)
    expect(response.statusCode).toBe(422)
    expect(response.json().detail).toMatchObject([{ loc: ['query', param], type }])
  })

  it('the service refuses a profile of more rows than the maximum', async () => {
    const { s } = samples
    const dataset = s.dataset('daily-prices')
    const limits: ReadLimits = { plan: 'max', rowLimit: 1, queueKey: 'acct' }
    const counted = (most: number) =>
      profileRows(
        planProfile(dataset, s.releases.current(dataset), { symbol: '2330', start_date: '2026-06-01' }, limits, null, most),
        s.pool,
      )
    const { rows } = await counted(1_000)
    expect((await counted(rows)).rows).toBe(rows)
    await expect(counted(rows - 1)).rejects.toMatchObject({
      code: 'invalid_parameter',
      faults: [{ loc: ['query', 'symbol'], type: 'range' }],
    })
  })
})
