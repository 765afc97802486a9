import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ColumnType, crossSections, loadCatalog, pathOf, type Row, served } from '../../catalog/index.ts'
import type { Grant } from '../../src/core/index.ts'
import { planProfile, profileRows } from '../../src/read/index.ts'
import { holder, usageOf } from '../accounts/usage/ledger.ts'
import { NOW } from '../support.ts'
import { rowsOf, type SamplesServed, samplesServed } from './samples-served.ts'

const catalog = await loadCatalog()
const reads = [...served(catalog), ...crossSections(catalog)]
  .filter(({ planned }) => !planned)
  .map(dataset => ({ at: dataset.sectionOf ? `${dataset.slug}/cross-section` : dataset.slug, dataset }))

let samples: SamplesServed
beforeAll(async () => {
  samples = await samplesServed()
}, 300_000)
afterAll(() => samples.s.close())

const get = (url: string, key = samples.key, headers: Record<string, string> = {}) => samples.s.get(url, key, headers)
const bytesOf = (value: unknown): Buffer => Buffer.from(String(value))
const isNumeric = (type: ColumnType): boolean => type === 'number' || type === 'integer'
const inOrder = (type: ColumnType, values: readonly unknown[]): readonly unknown[] =>
  values.toSorted((a, b) => (isNumeric(type) || type === 'boolean' ? Number(a) - Number(b) : Buffer.compare(bytesOf(a), bytesOf(b))))

interface Profiled {
  readonly name: string
  readonly type: ColumnType
  readonly count: number
  readonly nulls: number
  readonly distinct: number
  readonly min: unknown
  readonly max: unknown
  readonly histogram: readonly { readonly from: number | string; readonly to: number | string; readonly count: number }[] | null
  readonly top: readonly { readonly value: unknown; readonly count: number }[] | null
  readonly others: { readonly values: number; readonly count: number } | null
}

/** How often each value comes, most often first, then by bytes. */
function frequencies(values: readonly unknown[]) {
  const counts = [...Map.groupBy(values, value => value)].map(([value, { length }]) => ({ value, count: length }))
  return counts.sort((a, b) => b.count - a.count || Buffer.compare(bytesOf(a.value), bytesOf(b.value)))
}

function check(profile: Profiled, rows: readonly Row[]): void {
  const { type, name } = profile
  const values = rows.map(row => row[name])
  const filled =
    type === 'json' ? values.filter(value => value !== null).map(value => JSON.stringify(value)) : values.filter(value => value !== null)
  expect(profile).toMatchObject({ count: filled.length, nulls: values.length - filled.length, distinct: new Set(filled).size })
  if (type === 'json') return expect(profile).toMatchObject({ min: null, max: null, histogram: null, top: null, others: null })
  const sorted = inOrder(type, filled)
  expect([profile.min, profile.max]).toEqual([sorted[0] ?? null, sorted.at(-1) ?? null])
  const isListed = type === 'text' || type === 'boolean'
  const all = frequencies(filled)
  expect(profile.top).toEqual(isListed ? all.slice(0, 20) : null)
  const left = all.slice(20)
  expect(profile.others).toEqual(isListed ? { values: left.length, count: left.reduce((sum, { count }) => sum + count, 0) } : null)
  const isBinned = (isNumeric(type) || type === 'date') && filled.length > 0
  if (!isBinned) return expect(profile.histogram).toBeNull()
  const bins = profile.histogram!
  expect(bins.length).toBeLessThanOrEqual(20)
  for (const [at, { from, to, count }] of bins.entries()) {
    expect(from < to).toBe(true)
    if (at > 0) expect(from).toBe(bins[at - 1]!.to)
    expect([from, to, count]).toEqual([
      from,
      to,
      filled.filter(value => (value as number) >= (from as number) && (value as number) < (to as number)).length,
    ])
  }
  expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(filled.length)
}

describe.each(reads)('the profile of $at', ({ at, dataset }) => {
  it('counts what the rows of the read hold, in every column', async () => {
    const query = await samples.required(dataset)
    const read = await get(`${pathOf(dataset)}?${query}&limit=100000`)
    const response = await get(`/v2/datasets/${at}/profile?${query}`)
    expect([response.statusCode, response.statusCode === 200 ? '' : response.body]).toEqual([200, ''])
    const [rows, body] = [rowsOf(read.json()), response.json()]
    expect(rows).not.toEqual([])
    expect(body).toMatchObject({ dataset: dataset.id, row_count: rows.length, empty_reason: null, release: read.headers['x-release'] })
    expect(body.data.map(({ name }: Profiled) => name)).toEqual(Object.keys(dataset.columns))
    for (const column of body.data as readonly Profiled[]) check(column, rows)
    for (const name of ['x-release', 'x-data-as-of', 'x-warnings', 'x-known-gaps', 'x-credits-charged'])
      expect([name, response.headers[name]]).toEqual([name, read.headers[name]])
  })
})

const PRICES = '/v2/datasets/daily-prices/profile?symbol=2330,2317&start_date=2026-01-01'

describe('a profile', () => {
  it('takes the filters of the read, and counts the columns named, in their order', async () => {
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
    for (const column of body.data as readonly Profiled[]) check(column, rows)
  })

  it('has round edges: 1, 2 or 5 times a power of ten, days by the calendar', async () => {
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

  it('of no rows says why, and has nothing in it', async () => {
    const response = await get('/v2/datasets/daily-prices/profile?symbol=9999')
    expect(response.json()).toMatchObject({ row_count: 0, empty_reason: 'no_match' })
    for (const column of response.json().data as readonly Profiled[])
      expect(column).toMatchObject({ count: 0, nulls: 0, distinct: 0, min: null, max: null, histogram: null })
    expect((await get('/v2/datasets/index-classification/profile?index_code=IX9999')).headers['x-credits-charged']).toBe('0')
  })

  it('is of the release that is asked for', async () => {
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
    expect((await get(`${path}&release=20200101T000000000Z`)).statusCode).toBe(410)
  })

  it('costs what a read costs, is in the ledger, and is free to whoever has it already', async () => {
    const { s } = samples
    const one = holder(s, 'pro', 'profile@example.test', NOW)
    const first = await get('/v2/datasets/valuation/profile?symbol=2330', one.key)
    const credits = s.dataset('valuation').access!.credits
    expect(first.headers['x-credits-charged']).toBe(String(credits))
    expect(usageOf(s.dir, one.accountId).entries).toHaveLength(1)
    const again = await get('/v2/datasets/valuation/profile?symbol=2330', one.key, { 'if-none-match': String(first.headers['etag']) })
    expect([again.statusCode, again.headers['x-credits-charged']]).toEqual([304, '0'])
    expect((await get('/v2/datasets/valuation?symbol=2330', one.key)).headers['etag']).not.toBe(first.headers['etag'])
    const free = holder(s, 'free', 'profile-free@example.test', NOW)
    expect((await get('/v2/datasets/valuation/profile?symbol=2330', free.key)).statusCode).toBe(
      s.dataset('valuation').access!.plan === 'free' ? 200 : 403,
    )
  })

  it('is of the dataset by its id too, and tells the nearest name and the lack of a cross-section', async () => {
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
  ])('%s is refused for %s: %s', async (path, param, type) => {
    const response = await get(`/v2/datasets/${path}`)
    expect(response.statusCode).toBe(422)
    expect(response.json().detail).toMatchObject([{ loc: ['query', param], type }])
  })

  it('looks at so many rows and no more', async () => {
    const { s } = samples
    const dataset = s.dataset('daily-prices')
    const grant: Grant = { accountId: 'acct', keyId: 'key', plan: 'max', rowLimit: 1 }
    const counted = (most: number) =>
      profileRows(planProfile(dataset, s.releases.current(dataset), { symbol: '2330', start_date: '2026-06-01' }, grant, most), s.pool)
    const { rows } = await counted(1_000)
    expect((await counted(rows)).rows).toBe(rows)
    await expect(counted(rows - 1)).rejects.toMatchObject({
      code: 'invalid_parameter',
      faults: [{ loc: ['query', 'symbol'], type: 'range' }],
    })
  })
})
