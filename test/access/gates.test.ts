import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { PLANS } from '../../catalog/index.ts'
import { readEmail } from '../../src/accounts/index.ts'
import { NOW, service, type TestService } from '../support.ts'
import { holder, spend } from '../usage/ledger.ts'

let s: TestService
let time = NOW
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  s = await service({ limits: true, now: () => time })
})
afterAll(async () => {
  await s.close()
  vi.useRealTimers()
})

const BOND = '/v2/datasets/bond-yield-curve?symbol=TWGB'

it('a request is checked in this order: key, rate limit, dataset, plan, parameters, credits', async () => {
  const account = holder(s, 'free', 'everything@example.test', NOW)
  const revoked = account.another()
  s.control.keys.revoke(account.accountId, s.control.keys.find(revoked, NOW)!.keyId, NOW)
  await spend(s, account, PLANS.max.creditsPerMonth, 1, NOW)
  for (let used = 0; used < PLANS.free.requestsPerMinute; used++) await s.get('/v2/account/entitlements', account.key)
  const met: unknown[] = []
  const meet = async (url: string, key = account.key, headers?: Record<string, string>) => {
    const response = await s.get(url, key, headers)
    met.push([response.statusCode, response.statusCode === 200 ? null : response.json().error.error_code])
  }
  const WRONG = '/v2/datasets/bond-yield-curv?limit=0'

  await meet(`${WRONG}&api_key=x`, revoked)
  await meet(WRONG, revoked)
  await meet(WRONG)
  vi.advanceTimersByTime(60_000)
  await meet(WRONG)
  await meet(`${BOND}&limit=0`)
  s.control.accounts.grantPlan(s.control.accounts.byEmail(readEmail('everything@example.test')!, NOW)!.id, 'max', {}, NOW)
  await meet(`${BOND}&limit=0`)
  await meet(BOND)
  time = new Date('2026-07-31T16:00:00Z')
  await meet(BOND)

  expect(met).toEqual([
    [400, 'key_in_url'],
    [401, 'revoked_api_key'],
    [429, 'rate_limited'],
    [404, 'unknown_dataset'],
    [403, 'plan_required'],
    [422, 'invalid_parameter'],
    [402, 'credits_exhausted'],
    [200, null],
  ])
})

it('an address that sent 20 wrong keys gets 429 for further wrong keys, but valid keys still work', async () => {
  const good = s.keyOn('max', 'good@example.test')
  const ask = (key: string) => s.app.inject({ url: '/v2/datasets/nope', headers: { 'x-api-key': key }, remoteAddress: '203.0.113.20' })
  for (let guess = 0; guess < 20; guess++) expect((await ask(`sk_live_${guess}`)).statusCode).toBe(401)
  const refused = await ask('sk_live_20')
  expect(refused.statusCode).toBe(429)
  expect(refused.headers).not.toHaveProperty('x-credits-remaining')
  const admitted = await ask(good)
  expect(admitted.statusCode).toBe(404)
  expect(admitted.headers).toHaveProperty('x-credits-remaining')
})
