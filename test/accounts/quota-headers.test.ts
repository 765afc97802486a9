import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Portal, portal, refused, type SignedIn } from './portal.ts'

let p: Portal
let customer: SignedIn
beforeAll(async () => {
  p = await portal({ limits: true })
  customer = await p.signIn('customer@example.test')
})
afterAll(() => p.close())

const quotaOf = ({ headers }: Awaited<ReturnType<Portal['send']>>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => /^(x-credits|(x-)?ratelimit)/.test(name)))
const CREDITS = { 'x-credits-charged': '0', 'x-credits-limit': '1000', 'x-credits-reset': '2026-08-01T00:00:00.000+08:00' }

describe('the quota headers of answers to a signed-in customer', () => {
  it('state the credits of the account and what is left of the minute of its own calls', async () => {
    const read = { accountId: customer.accountId, keyId: customer.apiKey!.key_id, dataset: 'earnings', rows: 1 }
    await p.control.ledger.record({ ...read, requestId: 'req_1', at: '2026-07-01T10:00:00.000+08:00', credits: 7 })
    expect(quotaOf(await p.as(customer, 'GET', 'account'))).toEqual({
      ...CREDITS,
      'x-credits-remaining': '993',
      'ratelimit-policy': '"minute";q=60;w=60',
      ratelimit: expect.stringMatching(/^"minute";r=59;t=\d+$/),
      'x-ratelimit-limit': '60',
      'x-ratelimit-remaining': '59',
      'x-ratelimit-reset': expect.stringMatching(/^\d+$/),
    })
  })

  it('are on every path, and where the call is refused', async () => {
    for (const [method, path, status] of [
      ['GET', 'usage-summary', 200],
      ['GET', 'api-keys', 200],
      ['POST', 'api-keys', 200],
      ['POST', 'billing/portal-session', 503],
      ['GET', 'api-keys/key_1/reveal', 404],
      ['GET', 'account?surprise=1', 422],
    ] as const) {
      const response = await p.as(customer, method, path)
      expect([path, response.statusCode]).toEqual([path, status])
      expect(quotaOf(response), path).toMatchObject(CREDITS)
    }
  })

  it('count down to zero, and then state when to try again', async () => {
    let response = await p.as(customer, 'GET', 'account')
    for (let calls = 0; response.statusCode === 200 && calls < 100; calls++) response = await p.as(customer, 'GET', 'account')
    expect(refused(response)).toEqual([429, 'rate_limited'])
    expect(quotaOf(response)).toMatchObject({ ...CREDITS, 'x-ratelimit-remaining': '0' })
    expect(Number(response.headers['retry-after'])).toBeGreaterThan(0)
  })

  it('are absent without a session', async () => {
    expect(quotaOf(await p.as({ token: 'sst_guess' }, 'GET', 'account'))).toEqual({})
  })
})
