import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Portal, portal, refusalOf, refused } from '../../accounts/portal.ts'
import { SECRETS } from '../../support.ts'
import { cell } from '../cells.ts'

let p: Portal
let good: Readonly<Record<string, string>>
beforeAll(async () => {
  p = await portal()
  const { token, apiKey } = await p.signIn('curious@example.test')
  good = {
    'x-self-serve-token': token,
    'x-api-key': apiKey!.api_key,
    'x-admin-token': SECRETS.ADMIN_TOKEN,
    'x-diagnostics-secret': SECRETS.DIAGNOSTICS_SECRET,
    'x-diagnostics-probe': SECRETS.DIAGNOSTICS_PROBE,
    'x-account-email': 'curious@example.test',
  }
})
afterAll(() => p.close())

/** Each route with the credential header it requires; null if none. */
const ROUTES = [
  ['GET', '/v2/account/entitlements', 'x-api-key'],
  ['GET', '/v2/account/usage-summary', 'x-api-key'],
  ['GET', '/v2/account/billing-preview', 'x-api-key'],
  ['GET', '/v2/account/summary', 'authorization'],
  ['POST', '/v2/self-serve/onboarding/start', null],
  ['POST', '/v2/self-serve/onboarding/complete', null],
  ['GET', '/v2/self-serve/account', 'x-self-serve-token'],
  ['DELETE', '/v2/self-serve/account', 'x-self-serve-token'],
  ['GET', '/v2/self-serve/api-keys', 'x-self-serve-token'],
  ['POST', '/v2/self-serve/api-keys', 'x-self-serve-token'],
  ['POST', '/v2/self-serve/api-keys/key_1/revoke', 'x-self-serve-token'],
  ['GET', '/v2/self-serve/api-keys/key_1/reveal', 'x-self-serve-token'],
  ['GET', '/v2/self-serve/usage-summary', 'x-self-serve-token'],
  ['POST', '/v2/self-serve/billing/portal-session', 'x-self-serve-token'],
  ['POST', '/v2/billing/checkout-session', 'x-self-serve-token'],
  ['POST', '/v2/billing/subscriptions/sub_1/api-key', 'x-self-serve-token'],
  ['POST', '/v2/admin/grant-plan', 'x-admin-token'],
  ['GET', '/internal/db-diagnostics', 'x-diagnostics-secret'],
  ['GET', '/internal/diagnostics-config', 'x-diagnostics-probe'],
] as const

const without = (name: string | null) => Object.fromEntries(Object.entries(good).filter(([header]) => header !== name))
const allowed = (credential: string | null) =>
  credential === 'authorization' ? { ...without('x-api-key'), authorization: `Bearer ${SECRETS.SERVICE_TOKEN}` } : good

it('every account route refuses an unknown parameter with 422 and has no effect', async () => {
  for (const [method, path, credential] of ROUTES)
    await cell(`${method} ${path}`, async () => {
      const response = await p.send(method, `${path}?surprise=1`, allowed(credential), {})
      expect(refused(response)).toEqual([422, 'invalid_parameter'])
      expect(response.json().detail).toMatchObject([{ loc: ['query', 'surprise'], type: 'unknown_parameter' }])
      expect((await p.send('GET', '/v2/self-serve/account', good)).statusCode).toBe(200)
    })
})

it('every account route checks the credential of a request before its parameters', async () => {
  // A checkout also accepts the API key.
  for (const [method, path, credential] of ROUTES)
    if (credential !== null && path !== '/v2/billing/checkout-session')
      await cell(`${method} ${path}`, async () => {
        const response = await p.send(method, `${path}?surprise=1`, without(credential), {})
        expect([401, 404]).toContain(response.statusCode)
        expect(refusalOf(response)).not.toBe('invalid_parameter')
      })
})
