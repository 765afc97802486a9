import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig, stopwatch } from '../../src/core/index.ts'
import { createReadDataset } from '../../src/operations/index.ts'
import { refused } from '../accounts/portal.ts'
import { trade, weekdays } from '../fixtures/publish/rows.ts'
import { type ServiceOptions, service, type TestService } from '../support.ts'

/** The service under test; a `describe` replaces it while its tests run. */
let s: TestService
function uses(options: ServiceOptions): void {
  let outer: TestService
  beforeAll(async () => {
    outer = s
    s = await service({ visitors: 'max', ...options })
  })
  afterAll(async () => {
    await s.close()
    s = outer
  })
}
uses({})

const READ = '/v2/datasets/bond-yield-curve?symbol=TWGB&limit=5'
const PAGE = { 'x-portal': '1' }
const TERMS = { plan: 'max', row_limit: 2_000, requests_per_minute: 240, rows_per_hour: 100_000 }
type Headers = Readonly<Record<string, string>>
const visit = (url: string, headers: Headers = {}, remoteAddress = '127.0.0.1') =>
  s.app.inject({ url, headers: { ...PAGE, ...headers }, remoteAddress })
const count = (sql: string): unknown => s.control.db.prepare(sql).pluck().get()
const lines = (event: string) => s.lines.map(line => JSON.parse(line)).filter(line => line.event === event)
const soon = () => new Promise(setImmediate)

it('VISITORS must be off or the name of a plan', () => {
  expect(() => readConfig({ VISITORS: 'everyone' })).toThrow(
    'VISITORS: must be off, or the plan whose data visitors can read: free, pro, max',
  )
})

describe('VISITORS=off', () => {
  uses({ visitors: '', examples: false })
  it('a read requires a key when VISITORS is off', async () => {
    expect(refused(await visit(READ))).toEqual([401, 'missing_api_key'])
    expect((await visit('/v2/self-serve/browser-session')).json()).toMatchObject({ signed_in: false, visitor: null })
  })
})

describe('VISITORS=max', () => {
  it('the browser session reports the limits of visitors', async () => {
    expect((await visit('/v2/self-serve/browser-session')).json()).toMatchObject({ signed_in: false, plan: null, visitor: TERMS })
  })

  it.each([
    READ,
    '/v2/datasets/bond-yield-curve/cross-section?date=2026-06-30',
    '/v2/datasets/bond-yield-curve/profile?symbol=TWGB',
    '/v2/datasets/bond-yield-curve/releases',
    '/v2/query?entity_type=company&entity_id=2330',
    '/v2/query/fields',
    '/v2/query/examples',
    '/v2/search?q=2330',
  ])('a visitor reads %s', async url => {
    const { statusCode, headers, body } = await visit(url)
    expect([statusCode, statusCode === 200 ? '' : body]).toEqual([200, ''])
    expect(Object.keys(headers).filter(name => /credit|ratelimit/.test(name))).toEqual([])
    expect(headers['cache-control']).toBe('private, no-cache')
  })

  it('a visitor gets the same rows as a caller with a key, up to the row limit of visitors', async () => {
    const key = s.keyOn('max')
    expect((await visit(READ)).json().data).toEqual((await s.get(READ, key)).json().data)
    expect((await visit(READ)).headers['x-row-limit']).toBe('2000')
    expect((await visit(READ.replace('limit=5', 'limit=9000'))).headers['x-row-limit']).toBe('2000')
  })

  it.each(['csv', 'parquet', 'arrow', 'ndjson'])('a visitor gets no file with format=%s', async format => {
    const response = await visit(`${READ}&format=${format}`)
    expect(refused(response)).toEqual([401, 'missing_api_key'])
    expect(response.json().detail).toContain('Sign in')
    expect((await visit(`${READ}&format=${format}&dry_run=true`)).json()).toMatchObject({ credits: 0, row_limit: 2_000 })
  })

  it.each([
    ['/v2/datasets/bond-yield-curve/parts'],
    ['/delta-sharing/shares'],
    ['/v2/account/entitlements'],
    ['/v2/account/usage-summary'],
    ['/v2/datasets/bond-yield-curve/releases/x/manifest.json'],
  ])('a visitor needs a key for %s', async url => {
    expect(refused(await visit(url))).toEqual([401, 'missing_api_key'])
  })

  it('a visitor gets no file when the Accept header requests a file format', async () => {
    expect(refused(await visit(READ, { accept: 'text/csv' }))).toEqual([401, 'missing_api_key'])
    expect((await visit(READ, { accept: '*/*' })).statusCode).toBe(200)
  })

  it('a read by a visitor creates no account and no usage, and its log line contains no address', async () => {
    const counts = () => ['account', 'usage_ledger', 'usage_daily', 'account_period'].map(table => count(`SELECT count(*) FROM ${table}`))
    await soon()
    s.control.ledger.flush()
    const [before, logged] = [counts(), lines('read').length]
    await visit(READ, {}, '203.0.113.9')
    await visit(READ.replace('limit=5', 'limit=no'), {}, '203.0.113.9')
    await soon()
    s.control.ledger.flush()
    expect(counts()).toEqual(before)
    expect(lines('failed')).toEqual([])
    const reads = lines('read').slice(logged)
    expect(reads).toMatchObject([{ dataset: 'bond-yield-curve', visitor: 'max', credits: 0 }])
    expect(reads[0]).not.toHaveProperty('account')
    expect(s.lines.join('')).not.toContain('203.0.113')
  })

  it('only same-origin portal pages can read as visitors; other requests need a key', async () => {
    expect(refused(await s.get(READ))).toEqual([401, 'missing_api_key'])
    expect(refused(await visit(READ, { 'sec-fetch-site': 'cross-site' }))).toEqual([403, 'foreign_origin'])
    expect(refused(await visit(READ, { origin: 'https://evil.example' }))).toEqual([403, 'foreign_origin'])
    expect(refused(await visit(READ, { 'x-api-key': 'sk_live_wrong' }))).toEqual([401, 'invalid_api_key'])
  })
})

describe('signed-in browsers', () => {
  const signedIn = async (plan: 'free' | 'max') => {
    const { accountId } = s.control.keys.find(s.keyOn(plan, `${plan}-in-a-browser@example.test`), s.now())!
    return { cookie: `twmd-session=${s.control.sessions.open(accountId, s.now()).token}` }
  }
  const charged = async (url: string, headers: Headers) => {
    const response = await visit(url, headers)
    return [response.statusCode, response.headers['x-credits-charged']]
  }
  it('a signed-in browser reads datasets above its plan free of charge, as a visitor, and is charged for all others', async () => {
    expect(await charged(READ, await signedIn('free'))).toEqual([200, undefined])
    expect(await charged('/v2/datasets/securities-firm-master?limit=5', await signedIn('free'))).toEqual([200, '1'])
    expect(await charged(READ, await signedIn('max'))).toEqual([200, '2'])
  })
  it.each([
    ['/v2/datasets/bond-yield-curve/profile?symbol=TWGB', '2'],
    ['/v2/datasets/bond_yield_curve/profile?symbol=TWGB', '2'],
    ['/v2/datasets/bond-yield-curve/cross-section/profile?date=2026-06-30', '2'],
    ['/v2/datasets/bond-yield-curve/releases', '0'],
    ['/v2/query?entity_type=bond_tenor&entity_id=10Y&fields=curve.yield_rate', '1'],
  ])('a signed-in browser of the free plan reads %s as a visitor', async (url, price) => {
    expect(await charged(url, await signedIn('free'))).toEqual([200, undefined])
    expect(await charged(url, await signedIn('max'))).toEqual([200, price])
  })
  it('a signed-in browser of the free plan gets no file of a higher plan', async () => {
    expect(refused(await visit(`${READ}&format=csv`, await signedIn('free')))).toEqual([403, 'plan_required'])
  })

  describe('VISITORS=free', () => {
    uses({ visitors: 'free' })
    it('VISITORS=free gives visitors the row limit of the free plan and no dataset of a higher plan', async () => {
      expect((await visit('/v2/datasets/securities-firm-master?limit=2000')).headers['x-row-limit']).toMatch(/^1000/)
      expect(refused(await visit(READ))).toEqual([403, 'plan_required'])
      expect(refused(await visit(READ, await signedIn('free')))).toEqual([403, 'plan_required'])
    })
  })
})

describe('limits of visitors', () => {
  // Limits refill with time, so the clock is fixed.
  uses({ limits: true, monotonicNow: () => 0, answerBytes: 2 ** 20 })

  it('a visitor with too many requests a minute gets 429 with a hint to sign in', async () => {
    let response = await visit('/v2/query/fields', {}, '203.0.113.9')
    let taken = 0
    for (; response.statusCode === 200; taken++) response = await visit('/v2/query/fields?entity_type=bond_tenor', {}, '203.0.113.9')
    expect(taken).toBe(TERMS.requests_per_minute)
    expect(refused(response)).toEqual([429, 'rate_limited'])
    expect(Number(response.headers['retry-after'])).toBeGreaterThan(0)
    expect(response.json().detail).toContain('sign in')
    expect((await visit('/v2/query/fields', {}, '203.0.113.10')).statusCode).toBe(200)
    expect((await s.get('/v2/query/fields', s.keyOn('free'))).statusCode).toBe(200)
  })

  it('a visitor with too many rows an hour gets 429 with a hint to sign in', async () => {
    await leave('203.0.113.11', 1)
    expect((await visit(READ, {}, '203.0.113.11')).json().data.length).toBeGreaterThan(1)
    const response = await visit(READ, {}, '203.0.113.11')
    expect(refused(response)).toEqual([429, 'rate_limited'])
    expect(response.json().error).toMatchObject({ limit: TERMS.rows_per_hour })
    expect(response.json().detail).toContain('sign in')
    expect((await visit(READ, {}, '203.0.113.12')).statusCode).toBe(200)
    expect((await s.get(READ, s.keyOn('max'))).statusCode).toBe(200)
  })

  /** Uses all but `left` of an address's hourly rows. */
  const leave = (address: string, left: number) =>
    s.gate
      .reserveCredits(s.gate.visitorFrom(address)!, s.dataset('bond-yield-curve'))
      .settle({ requestId: 'req_x', rows: TERMS.rows_per_hour - left })

  it('if a field query has a past as_of_date, every searched value counts toward the row limit of the visitor', async () => {
    const fields = (await visit('/v2/query/fields?entity_type=company')).json().data.map(({ field }: { field: string }) => field)
    const tickers = Array.from({ length: 40 }, (_, index) => 1_101 + index)
    const url = `/v2/query?entity_type=company&entity_ids=${tickers}&fields=${fields.slice(0, 20)}`
    await leave('203.0.113.13', 60)
    expect((await visit(`${url}&as_of_date=2026-06-29`, {}, '203.0.113.13')).statusCode).toBe(200)
    expect(refused(await visit(url, {}, '203.0.113.13'))).toEqual([429, 'rate_limited'])
    await leave('203.0.113.14', 60)
    for (const query of [url, url.replace('entity_ids=', 'entity_ids=1100,')])
      expect((await visit(query, {}, '203.0.113.14')).statusCode).toBe(200)
  })

  it('if a visitor interrupts a read, the rows of the read count toward the row limit of the visitor', async () => {
    const read = createReadDataset({ ...s, clock: s.now, slowReads: { record: () => {} }, log: () => {} })
    const query = { dataset: s.dataset('bond-yield-curve'), params: { symbol: 'TWGB' } }
    const visitor = s.gate.visitorFrom('203.0.113.15')!
    await leave('203.0.113.15', 1)
    let checks = 0
    await read(visitor, query, { requestId: 'req_left', isDisconnected: () => checks++ > 0, time: stopwatch() })
    expect(checks).toBeGreaterThan(1)
    expect(refused(await visit(READ, {}, '203.0.113.15'))).toEqual([429, 'rate_limited'])
  })

  it('every row that a profile scans counts toward the row limit of the visitor; a cached profile adds none', async () => {
    const rows = weekdays('2015-01-05', 2_800).map(day => trade('1101', day, 1_000))
    await s.publish('institutional-positioning', rows, { accept: ['closed_day', 'row_count_drift', 'dates_backwards'] })
    const profile = (address: string, columns: string) =>
      visit(`/v2/datasets/institutional-positioning/profile?symbol=1101&columns=${columns}`, {}, address)
    await leave('203.0.113.16', 20)
    expect((await profile('203.0.113.16', 'market')).json()).toMatchObject({ row_count: 2_800, data_count: 1 })
    expect(refused(await profile('203.0.113.16', 'ticker'))).toEqual([429, 'rate_limited'])
    await leave('203.0.113.17', 20)
    for (let time = 0; time < 10; time++) expect((await profile('203.0.113.17', 'market')).statusCode).toBe(200)
  })
})
