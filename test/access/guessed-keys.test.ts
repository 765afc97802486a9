import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLimiter, perMinute } from '../../src/access/gcra.ts'
import { readEmail } from '../../src/accounts/index.ts'
import { newApiKey } from '../../src/accounts/keys/api-key.ts'
import { NOW, SECRETS, service, type TestService } from '../support.ts'

/** The service under test, with rate limits and a clock that the test sets. */
let s: TestService
let now = 0
beforeAll(async () => {
  s = await service({ examples: false, limits: true, monotonicNow: () => now })
})
afterAll(() => s.close())

const PATH = '/v2/account/entitlements'
const ADMIN = '/v2/admin/grant-plan'
const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const GUESSES = 300

async function from(address: string, key?: string): Promise<number> {
  const headers = key === undefined ? {} : { 'x-api-key': key }
  return (await s.app.inject({ url: PATH, headers, remoteAddress: address })).statusCode
}

const accountOf = (email: string): string => s.control.accounts.byEmail(readEmail(email)!, NOW)!.id

/**
 * Sends requests one after another.
 * @returns their statuses
 */
async function calls(count: number, call: (index: number) => Promise<number>): Promise<readonly number[]> {
  const statuses: number[] = []
  for (let index = 0; index < count; index++) statuses.push(await call(index))
  return statuses
}

/** Sends the same requests concurrently. */
const together = (count: number, call: (index: number) => Promise<number>): Promise<readonly number[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => call(index)))

/** An invalid key: unknown, malformed or truncated, depending on the index. */
const guess = (index: number): string => [newApiKey(), `sk_live_${index}`, newApiKey().slice(0, -1), `${index}`.repeat(20)][index % 4]!

describe('M8: guessed keys', () => {
  it('an address gets 401 for its first 20 wrong keys, then 429; other addresses are not affected', async () => {
    const good = s.keyOn('max')
    const statuses = await together(GUESSES, index => from('203.0.113.7', guess(index)))
    expect(statuses.slice(0, 20)).toEqual(Array(20).fill(401))
    expect(new Set(statuses.slice(20))).toEqual(new Set([429]))
    expect(await calls(50, () => from('203.0.113.8', good))).toEqual(Array(50).fill(200))
  })

  it('a wrong key beyond the limit gets 429 with Retry-After', async () => {
    await calls(20, index => from('203.0.113.9', guess(index)))
    const { statusCode, headers, body } = await s.app.inject({
      url: PATH,
      headers: { 'x-api-key': guess(0) },
      remoteAddress: '203.0.113.9',
    })
    expect([statusCode, headers['retry-after']]).toEqual([429, '3'])
    expect(JSON.parse(body).error).toMatchObject({ error_code: 'rate_limited', blocking_gate: 'rate_limit', retry_after: 3, limit: 20 })
  })

  it('an address with many wrong keys can still use every other kind of credential', async () => {
    const [address, key] = ['203.0.113.12', s.keyOn('max')]
    const { token } = s.control.sessions.open(accountOf('max@example.test'), NOW)
    const status = async (path: string, headers: Readonly<Record<string, string>>): Promise<number> => {
      const [method, body] = path === ADMIN ? (['POST', { email: 'max@example.test', plan_id: 'max' }] as const) : (['GET'] as const)
      return (await s.app.inject({ method, url: path, headers, remoteAddress: address, ...(body && { body }) })).statusCode
    }
    await calls(30, index => from(address, guess(index)))
    expect(await from(address, key)).toBe(200)
    for (const [path, name, value] of [
      [ADMIN, 'x-admin-token', SECRETS.ADMIN_TOKEN],
      ['/v2/account/summary', 'authorization', `Bearer ${SECRETS.SERVICE_TOKEN}`],
      ['/v2/self-serve/account', 'x-self-serve-token', token],
    ] as const) {
      const email = { 'x-account-email': 'max@example.test' }
      expect([name, await status(path, { ...email, [name]: value })]).toEqual([name, 200])
      expect([name, await status(path, { ...email, [name]: `${value}x` })]).toEqual([name, 401])
    }
    const diagnostics = { 'x-diagnostics-secret': SECRETS.DIAGNOSTICS_SECRET }
    expect(await status('/internal/db-diagnostics', diagnostics)).toBe(200)
    expect(await from(address, guess(0))).toBe(429)
  })

  it.each([
    ['admin token', '/v2/admin/releases', 'x-admin-token'],
    ['service token', '/v2/account/summary', 'authorization'],
  ])('a wrong %s gets 401 on every attempt', async (_, url, name) => {
    const headers = { [name]: 'Bearer wrong', 'x-account-email': 'a@example.test' }
    const wrong = async () => (await s.app.inject({ url, headers, remoteAddress: '203.0.113.14' })).statusCode
    expect(new Set(await calls(60, wrong))).toEqual(new Set([401]))
    expect(await from('203.0.113.14', guess(0))).toBe(401)
  })

  it('wrong session tokens have a limit of their own, separate from wrong keys', async () => {
    const headers = { 'x-self-serve-token': 'sst_wrong' }
    const wrong = async () => (await s.app.inject({ url: '/v2/self-serve/account', headers, remoteAddress: '203.0.113.15' })).statusCode
    expect(await calls(21, wrong)).toEqual([...Array(20).fill(401), 429])
    expect(await from('203.0.113.15', guess(0))).toBe(401)
  })

  it('a revoked key gets 401, not 429, after many wrong keys', async () => {
    const secret = s.keyOn('pro', 'former@example.test')
    s.control.keys.revokeAll(accountOf('former@example.test'), NOW)
    await calls(30, index => from('203.0.113.13', guess(index)))
    expect(await from('203.0.113.13', secret)).toBe(401)
    expect(await from('203.0.113.13')).toBe(401)
  })

  it('an address regains one guess every 3 seconds and all 20 after a minute', async () => {
    const good = s.keyOn('max')
    await together(GUESSES, index => from('203.0.113.10', guess(index)))
    now += 3 * SECOND_MS
    expect(await calls(10, () => from('203.0.113.10', good))).toEqual(Array(10).fill(200))
    expect(await calls(2, index => from('203.0.113.10', guess(index)))).toEqual([401, 429])
    for (const minutes of [1, 1_000]) {
      now += minutes * MINUTE_MS
      expect(await calls(21, index => from('203.0.113.10', guess(index)))).toEqual([...Array(20).fill(401), 429])
    }
  })

  it('requests without a key or with a valid key do not count as guesses', async () => {
    const good = s.keyOn('max')
    expect(await calls(40, () => from('203.0.113.11'))).toEqual(Array(40).fill(401))
    expect(await calls(40, () => from('203.0.113.11', good))).toEqual(Array(40).fill(200))
    expect(await from('203.0.113.11', guess(0))).toBe(401)
  })

  it('errors of the service do not count as guesses', async () => {
    const other = await service({ examples: false, limits: true })
    const [good, call] = [other.keyOn('max'), () => other.get(PATH, good).then(({ statusCode }) => statusCode)]
    other.control.db.exec('ALTER TABLE api_key RENAME COLUMN lookup TO gone')
    expect(await calls(30, call)).toEqual(Array(30).fill(500))
    other.control.db.exec('ALTER TABLE api_key RENAME COLUMN gone TO lookup')
    expect(await call()).toBe(200)
    await other.close()
  })
})

describe('M8: addresses', () => {
  it.each([
    ['an IPv4 address in its IPv6 spelling', '198.51.100.1', '::ffff:198.51.100.1', '198.51.100.2'],
    ['an IPv6 address of the same /64', '2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:3::1'],
    ['an IPv6 address in another spelling', '2001:0DB8:0:00A0::1', '2001:db8:0:a0:5::', '2001:db8:0:a:0::1'],
    ['an IPv6 address of the same /64 that begins with zeros', '::1', '0:0:0:0:1:2:3:4', '0:0:0:1::1'],
  ])('wrong keys from an address and from %s count together', async (_, first, same, other) => {
    expect(await calls(20, index => from(index % 2 === 0 ? first : same, guess(index)))).toEqual(Array(20).fill(401))
    expect([await from(first, guess(0)), await from(same, guess(0)), await from(other, guess(0))]).toEqual([429, 429, 401])
  })
})

describe('M8: memory of a limiter', () => {
  it('if a limiter has more buckets than its maximum, it drops the least recently used buckets', () => {
    const limiter = createLimiter(() => 0, 1_000)
    const take = (name: string): boolean => limiter.take(name, perMinute(1)).allowed
    for (let index = 0; index < 100_000; index++) expect(take(`name ${index}`)).toBe(true)
    expect(take('name 99000')).toBe(false)
    expect(take('name 98999')).toBe(true)
    expect(take('name 99999')).toBe(false)
  })

  it('reading the level of a bucket takes no permit and does not count as a use of the bucket', () => {
    const limiter = createLimiter(() => 0, 2)
    limiter.take('old', perMinute(2))
    limiter.take('new', perMinute(2))
    for (let attempt = 0; attempt < 10; attempt++) expect(limiter.peek('old', perMinute(2)).remaining).toBe(1)
    limiter.take('newest', perMinute(2))
    expect(limiter.peek('old', perMinute(2)).remaining).toBe(2)
    expect(limiter.peek('new', perMinute(2)).remaining).toBe(1)
  })
})
