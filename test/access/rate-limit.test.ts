import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { PLANS } from '../../catalog/index.ts'
import { NOW, service, type TestService } from '../support.ts'
import { holder, spend } from '../usage/ledger.ts'

/** The service under test, with rate limits and a clock that the test sets. */
let s: TestService
let now = 0
beforeAll(async () => {
  s = await service({ limits: true, monotonicNow: () => now })
})
beforeEach(() => {
  now += 60_000
})
afterAll(() => s.close())

const FIRMS = '/v2/datasets/securities-firm-master'
const FLOWS = '/v2/datasets/institutional-positioning?symbol=2330'
const FREE = PLANS.free.requestsPerMinute
const STANDING = '/v2/account/entitlements'

/**
 * Sends requests with the keys round-robin.
 * @returns their statuses
 */
async function statuses(count: number, ...keys: readonly string[]): Promise<readonly number[]> {
  const seen: number[] = []
  for (let index = 0; index < count; index++) seen.push((await s.get(STANDING, keys[index % keys.length])).statusCode)
  return seen
}
const passed = async (count: number, ...keys: readonly string[]) => (await statuses(count, ...keys)).filter(status => status === 200).length

describe('requests per minute', () => {
  it.each(['free', 'pro', 'max'] as const)('plan %s allows its number of requests per minute and refuses the next request', async plan => {
    const { key } = holder(s, plan, `minute-${plan}@example.test`, NOW)
    const { requestsPerMinute } = PLANS[plan]
    expect(await passed(requestsPerMinute, key)).toBe(requestsPerMinute)
    expect(await passed(10, key)).toBe(0)
  })

  it('all keys of an account share one rate limit, separate from those of other accounts', async () => {
    const account = holder(s, 'free', 'keys@example.test', NOW)
    const keys = [account.key, ...Array.from({ length: 9 }, () => account.another())]
    expect(await passed(2 * FREE, ...keys)).toBe(FREE)
    expect(await passed(FREE, holder(s, 'free', 'neighbour@example.test', NOW).key)).toBe(FREE)
  })

  it('the rate limit refills one request at a time and is full after 60 seconds', async () => {
    const { key } = holder(s, 'free', 'refill@example.test', NOW)
    await statuses(FREE, key)
    const intervalMs = 60_000 / FREE
    expect(await passed(1, key)).toBe(0)
    now += intervalMs - 1
    expect(await passed(1, key)).toBe(0)
    now += 1
    expect(await passed(3, key)).toBe(1)
    now += 10 * intervalMs
    expect(await passed(20, key)).toBe(10)
    for (const wait of [60_000, 86_400_000]) {
      now += wait
      expect(await passed(2 * FREE, key)).toBe(FREE)
    }
  })

  it('a refused request does not count toward the rate limit', async () => {
    const { key } = holder(s, 'free', 'hammer@example.test', NOW)
    expect(await passed(5 * FREE, key)).toBe(FREE)
    now += 60_000 / FREE
    expect(await passed(1, key)).toBe(1)
  })

  it('a request over the rate limit gets 429 with the limit and Retry-After', async () => {
    const { key } = holder(s, 'free', 'over@example.test', NOW)
    await statuses(FREE, key)
    const { statusCode, headers, body } = await s.get(FIRMS, key)
    expect(statusCode).toBe(429)
    expect([headers['retry-after'], headers['ratelimit'], headers['x-ratelimit-reset']]).toEqual(['1', '"minute";r=0;t=1', '1'])
    const inChinese = await s.get(FIRMS, key, { 'accept-language': 'zh-TW' })
    expect([body, inChinese.body].map(sent => JSON.parse(sent).error.error_message)).toEqual([
      'Too many requests. Wait 1 second.',
      '請求過於頻繁。請等待 1 秒。',
    ])
    expect(JSON.parse(body).error).toMatchObject({ error_code: 'rate_limited', blocking_gate: 'rate_limit', retry_after: 1, limit: FREE })
    now += Number(headers['retry-after']) * 1_000
    expect((await s.get(FIRMS, key)).statusCode).toBe(200)
  })
})

/** Syntax of the documented rate-limit headers and of the headers in the IETF RateLimit draft. */
const SYNTAX: Readonly<Record<string, RegExp>> = {
  'x-credits-charged': /^\d+$/,
  'x-credits-remaining': /^\d+$/,
  'x-credits-limit': /^\d+$/,
  'x-credits-reset': /^\d{4}-\d\d-01T00:00:00\.000\+08:00$/,
  'ratelimit-policy': /^"minute";q=\d+;w=60, "concurrent";q=\d+;qu="concurrent-requests"$/,
  ratelimit: /^"minute";r=\d+;t=\d+$/,
  'x-ratelimit-limit': /^\d+$/,
  'x-ratelimit-remaining': /^\d+$/,
  'x-ratelimit-reset': /^\d+$/,
}

describe('quota headers', () => {
  it('every response to a request with a key has the quota headers, including refusals', async () => {
    const [free, pro, poor] = (['free', 'pro', 'pro'] as const).map((plan, index) => holder(s, plan, `standing${index}@example.test`, NOW))
    await spend(s, poor!, PLANS.pro.creditsPerMonth, 1, NOW)
    const etag = String((await s.get(FLOWS, pro!.key)).headers['etag'])
    const answers: readonly [number, string, string, Record<string, string>?][] = [
      [200, FLOWS, pro!.key],
      [304, FLOWS, pro!.key, { 'if-none-match': etag }],
      [200, STANDING, pro!.key],
      [200, '/v2/account/usage-summary', pro!.key],
      [200, '/v2/account/billing-preview', pro!.key],
      [402, FLOWS, poor!.key],
      [403, FLOWS, free!.key],
      [404, '/v2/datasets/nope', free!.key],
      [404, `${FIRMS}?release=x`, free!.key],
      [404, `${FIRMS}?release=20200101T000000000Z`, free!.key],
      [422, `${FIRMS}?limit=0`, free!.key],
      [422, '/v2/account/usage-summary?window=century', free!.key],
    ]
    for (const [status, url, key, headers] of answers) {
      const response = await s.get(url, key, headers)
      expect([url, response.statusCode]).toEqual([url, status])
      for (const [name, syntax] of Object.entries(SYNTAX)) expect(response.headers[name], `${name} of ${url}`).toMatch(syntax)
    }
    await statuses(FREE, free!.key)
    const refused = await s.get(FIRMS, free!.key)
    expect(refused.statusCode).toBe(429)
    for (const [name, syntax] of Object.entries(SYNTAX)) expect(refused.headers[name], `${name} of a 429`).toMatch(syntax)
  })

  it('RateLimit and X-RateLimit headers count down with each request and have equal values', async () => {
    const { key } = holder(s, 'free', 'countdown@example.test', NOW)
    for (let used = 1; used <= FREE + 2; used++) {
      const { headers } = await s.get(STANDING, key)
      const left = Math.max(0, FREE - used)
      const seconds = left > 0 ? used : 60 / FREE
      expect(headers).toMatchObject({
        'ratelimit-policy': `"minute";q=${FREE};w=60, "concurrent";q=${PLANS.free.requestsAtOnce};qu="concurrent-requests"`,
        ratelimit: `"minute";r=${left};t=${seconds}`,
        'x-ratelimit-limit': String(FREE),
        'x-ratelimit-remaining': String(left),
        'x-ratelimit-reset': String(seconds),
      })
    }
  })
})
