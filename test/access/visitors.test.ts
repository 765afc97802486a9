import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig, stopwatch } from '../../src/core/index.ts'
import { createReadDataset } from '../../src/operations/index.ts'
import { refused } from '../accounts/portal.ts'
import { trade, weekdays } from '../fixtures/publish/rows.ts'
import { type ServiceOptions, service, type TestService } from '../support.ts'

let s: TestService
beforeAll(async () => {
  s = await service({ visitors: 'max' })
})
afterAll(() => s.close())
/** Another service for as long as the work takes. */
async function on(options: ServiceOptions, work: () => Promise<void>): Promise<void> {
  const usual = s
  s = await service({ visitors: 'max', ...options })
  try {
    await work()
  } finally {
    await s.close()
    s = usual
  }
}

const READ = '/v2/datasets/bond-yield-curve?symbol=TWGB&limit=5'
const PAGE = { 'x-portal': '1' }
const TERMS = { plan: 'max', row_limit: 2_000, requests_per_minute: 240, rows_per_hour: 100_000 }
type Headers = Readonly<Record<string, string>>
const visit = (url: string, headers: Headers = {}, remoteAddress = '127.0.0.1') =>
  s.app.inject({ url, headers: { ...PAGE, ...headers }, remoteAddress })
const count = (sql: string): unknown => s.control.db.prepare(sql).pluck().get()
const lines = (event: string) => s.lines.map(line => JSON.parse(line)).filter(line => line.event === event)
const soon = () => new Promise(setImmediate)

describe('without the setting', () => {
  it('there are no visitors', async () => {
    await on({ visitors: '' }, async () => {
      expect(refused(await visit(READ))).toEqual([401, 'missing_api_key'])
      expect((await visit('/v2/self-serve/browser-session')).json()).toMatchObject({ signed_in: false, visitor: null })
    })
  })
  it('a setting that is none stops the start', async () => {
    expect(() => readConfig({ VISITORS: 'everyone' })).toThrow(
      'VISITORS: must be off, or the plan whose data visitors read: free, pro, max',
    )
  })
})

describe('a visitor', () => {
  it('is told what pages show', async () => {
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
  ])('reads %s', async url => {
    const { statusCode, headers, body } = await visit(url)
    expect([statusCode, statusCode === 200 ? '' : body]).toEqual([200, ''])
    expect(Object.keys(headers).filter(name => /credit|ratelimit/.test(name))).toEqual([])
    expect(headers['cache-control']).toBe('private, no-cache')
  })

  it('gets the rows a key gets, and no more of them than visitors get', async () => {
    const key = s.keyOn('max')
    expect((await visit(READ)).json().data).toEqual((await s.get(READ, key)).json().data)
    expect((await visit(READ)).headers['x-row-limit']).toBe('2000')
    expect((await visit(READ.replace('limit=5', 'limit=9000'))).headers['x-row-limit']).toBe('2000')
  })

  it('has the row limit of the plan where that is less, and of the plan no more', async () => {
    await on({ visitors: 'free' }, async () => {
      expect((await visit('/v2/datasets/securities-firm-master?limit=2000')).headers['x-row-limit']).toMatch(/^1000/)
      expect(refused(await visit(READ))).toEqual([403, 'plan_required'])
    })
  })

  it.each(['csv', 'parquet', 'arrow', 'ndjson'])('gets no file: %s', async format => {
    const response = await visit(`${READ}&format=${format}`)
    expect(refused(response)).toEqual([401, 'missing_api_key'])
    expect(response.json().detail).toContain('sign in')
    expect((await visit(`${READ}&format=${format}&dry_run=true`)).json()).toMatchObject({ credits: 0, row_limit: 2_000 })
  })

  it.each([
    ['/v2/datasets/bond-yield-curve/parts'],
    ['/delta-sharing/shares'],
    ['/v2/account/entitlements'],
    ['/v2/account/usage-summary'],
    ['/v2/datasets/bond-yield-curve/releases/x/manifest.json'],
  ])('is asked for a key at %s', async url => {
    expect(refused(await visit(url))).toEqual([401, 'missing_api_key'])
  })

  it('asks for no file by Accept either', async () => {
    expect(refused(await visit(READ, { accept: 'text/csv' }))).toEqual([401, 'missing_api_key'])
    expect((await visit(READ, { accept: '*/*' })).statusCode).toBe(200)
  })

  it('costs nobody anything: no account, no ledger, no usage, and a line of the log that names no address', async () => {
    await on({}, async () => {
      await visit(READ, {}, '203.0.113.9')
      await visit(READ.replace('limit=5', 'limit=no'), {}, '203.0.113.9')
      await soon()
      s.control.ledger.flush()
      expect(['account', 'usage_ledger', 'usage_daily', 'account_period'].map(table => count(`SELECT count(*) FROM ${table}`))).toEqual([
        0, 0, 0, 0,
      ])
      expect(lines('failed')).toEqual([])
      expect(lines('read')).toMatchObject([{ dataset: 'bond-yield-curve', visitor: 'max', credits: 0 }])
      expect(lines('read')[0]).not.toHaveProperty('account')
      expect(s.lines.join('')).not.toContain('203.0.113')
    })
  })

  it('is a page of ours: without the header, or from elsewhere, a key is asked for', async () => {
    expect(refused(await s.get(READ))).toEqual([401, 'missing_api_key'])
    expect(refused(await visit(READ, { 'sec-fetch-site': 'cross-site' }))).toEqual([403, 'foreign_origin'])
    expect(refused(await visit(READ, { origin: 'https://evil.example' }))).toEqual([403, 'foreign_origin'])
    expect(refused(await visit(READ, { 'x-api-key': 'sk_live_wrong' }))).toEqual([401, 'invalid_api_key'])
  })
})

describe('who is signed in', () => {
  const signedIn = async (plan: 'free' | 'max') => {
    const { accountId } = s.control.keys.find(s.keyOn(plan, `${plan}-in-a-browser@example.test`), s.now())!
    return { cookie: `twmd-session=${s.control.sessions.open(accountId, s.now()).token}` }
  }
  const charged = async (url: string, headers: Headers) => {
    const response = await visit(url, headers)
    return [response.statusCode, response.headers['x-credits-charged']]
  }
  it('sees what visitors see beyond the plan of the account, as they do, and pays for all else', async () => {
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
  ])('sees as much where the plan depends on what is asked: %s', async (url, price) => {
    expect(await charged(url, await signedIn('free'))).toEqual([200, undefined])
    expect(await charged(url, await signedIn('max'))).toEqual([200, price])
  })
  it('is told of the plan where visitors see no more, and where a file is asked for', async () => {
    expect(refused(await visit(`${READ}&format=csv`, await signedIn('free')))).toEqual([403, 'plan_required'])
    await on({ visitors: 'pro' }, async () => expect(refused(await visit(READ, await signedIn('free')))).toEqual([403, 'plan_required']))
  })
})

describe('the limits of visitors', () => {
  /** Rows come back by the second, so time stands still. */
  const STILL = { limits: true, monotonicNow: () => 0 }
  it('are requests a minute, of each address, and invite to sign in', async () => {
    await on({ limits: true }, async () => {
      let response = await visit('/v2/query/fields', {}, '203.0.113.9')
      let taken = 0
      for (; response.statusCode === 200; taken++) response = await visit('/v2/query/fields?entity_type=bond_tenor', {}, '203.0.113.9')
      expect(taken).toBeGreaterThanOrEqual(TERMS.requests_per_minute)
      expect(refused(response)).toEqual([429, 'rate_limited'])
      expect(Number(response.headers['retry-after'])).toBeGreaterThan(0)
      expect(response.json().detail).toContain('sign in')
      expect((await visit('/v2/query/fields', {}, '203.0.113.10')).statusCode).toBe(200)
      expect((await s.get('/v2/query/fields', s.keyOn('free'))).statusCode).toBe(200)
    })
  })

  it('are rows an hour, of each address', async () => {
    await on(STILL, async () => {
      const visitor = s.gate.visitorFrom('203.0.113.9')!
      const rows = TERMS.rows_per_hour
      await s.gate.holdCredits(visitor, s.dataset('bond-yield-curve')).settle({ requestId: 'req_x', rows: rows - 1 })
      expect((await visit(READ, {}, '203.0.113.9')).json().data.length).toBeGreaterThan(1)
      const response = await visit(READ, {}, '203.0.113.9')
      expect(refused(response)).toEqual([429, 'rate_limited'])
      expect(response.json().error).toMatchObject({ limit: rows })
      expect(response.json().detail).toContain('sign in')
      expect((await visit(READ, {}, '203.0.113.10')).statusCode).toBe(200)
      expect((await s.get(READ, s.keyOn('max'))).statusCode).toBe(200)
    })
  })

  /** Spends an address's hour but for so many rows. */
  const leave = (address: string, left: number) =>
    s.gate
      .holdCredits(s.gate.visitorFrom(address)!, s.dataset('bond-yield-curve'))
      .settle({ requestId: 'req_x', rows: TERMS.rows_per_hour - left })

  it('are taken by a field query as of an earlier day for the values it looks for', async () => {
    await on(STILL, async () => {
      const fields = (await visit('/v2/query/fields?entity_type=company')).json().data.map(({ field }: { field: string }) => field)
      const tickers = Array.from({ length: 40 }, (_, index) => 1_101 + index)
      const url = `/v2/query?entity_type=company&entity_ids=${tickers}&fields=${fields.slice(0, 20)}`
      await leave('203.0.113.9', 60)
      expect((await visit(`${url}&as_of_date=2026-06-29`, {}, '203.0.113.9')).statusCode).toBe(200)
      expect(refused(await visit(url, {}, '203.0.113.9'))).toEqual([429, 'rate_limited'])
      await leave('203.0.113.10', 60)
      for (const again of [url, url]) expect((await visit(again, {}, '203.0.113.10')).statusCode).toBe(200)
    })
  })

  it('are taken by what was read, also where nobody waits for it any more', async () => {
    await on(STILL, async () => {
      const read = createReadDataset({ ...s, clock: s.now, slowReads: { note: () => {} }, log: () => {} })
      const asked = { dataset: s.dataset('bond-yield-curve'), params: { symbol: 'TWGB' } }
      const visitor = s.gate.visitorFrom('203.0.113.9')!
      await leave('203.0.113.9', 1)
      let looks = 0
      await read(visitor, asked, { requestId: 'req_left', hasLeft: () => looks++ > 0, time: stopwatch() })
      expect(looks).toBeGreaterThan(1)
      expect(refused(await visit(READ, {}, '203.0.113.9'))).toEqual([429, 'rate_limited'])
    })
  })

  it('are taken by a profile for the rows it counts, but not for an answer that is at hand', async () => {
    await on({ ...STILL, answerBytes: 2 ** 20 }, async () => {
      const rows = weekdays('2015-01-05', 2_800).map(day => trade('1101', day, 1_000))
      await s.publish('institutional-positioning', rows, { accept: ['closed_day', 'row_count_drift', 'dates_backwards'] })
      const profile = (address: string, columns: string) =>
        visit(`/v2/datasets/institutional-positioning/profile?symbol=1101&columns=${columns}`, {}, address)
      await leave('203.0.113.9', 20)
      expect((await profile('203.0.113.9', 'market')).json()).toMatchObject({ row_count: 2_800, data_count: 1 })
      expect(refused(await profile('203.0.113.9', 'ticker'))).toEqual([429, 'rate_limited'])
      await leave('203.0.113.10', 20)
      for (let time = 0; time < 10; time++) expect((await profile('203.0.113.10', 'market')).statusCode).toBe(200)
    })
  })
})
