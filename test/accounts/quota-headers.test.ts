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

describe('quota headers of self-serve requests', () => {
  it('quota headers of a self-serve response state the account’s credits and its remaining requests in the current minute', async () => {
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

  it('every self-serve response has quota headers, including refusals', async () => {
    for (const [method, path, status] of [
      ['GET', 'usage-summary', 200],
      ['GET', 'api-keys', 200],
      ['POST', 'api-keys', 200],
      ['POST', 'billing/portal-session', 503],
      ['GET', 'api-keys/key_1/reveal', 404],
      ['GET', 'account?surprise=1', 422],
    ] as const) {
      const response = await p.as(customer, method, path)
      expect.soft(response.statusCode, path).toBe(status)
      expect.soft(quotaOf(response), path).toMatchObject(CREDITS)
    }
  })

  it('self-serve requests above the limit per minute get 429 with Retry-After and zero remaining', async () => {
    let response = await p.as(customer, 'GET', 'account')
    for (let calls = 0; response.statusCode === 200 && calls < 100; calls++) response = await p.as(customer, 'GET', 'account')
    expect(refused(response)).toEqual([429, 'rate_limited'])
    expect(quotaOf(response)).toMatchObject({ ...CREDITS, 'x-ratelimit-remaining': '0' })
    expect(Number(response.headers['retry-after'])).toBeGreaterThan(0)
  })

  it('a self-serve request without a valid session gets no quota headers', async () => {
    expect(quotaOf(await p.as({ token: 'sst_guess' }, 'GET', 'account'))).toEqual({})
  })
})
