import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ProviderSubscription } from '../../../src/billing/provider-data.ts'
import type { Caller } from '../../../src/http/kernel/index.ts'
import { type Portal, portal, type SignedIn } from '../../accounts/portal.ts'
import { SECOND_MS, type Shop, shop, WEBHOOK_SECRET } from '../../billing/shop.ts'
import { signed } from '../../fixtures/provider/delivery.ts'
import { SECRETS } from '../../support.ts'
import { type Watched, watchAnswers } from '../routes/watch.ts'
import { checker } from './schema.ts'

let p: Portal
let seen: Watched
const WINDOWS = ['7d', 'last_month', '2026-06']
const admin = { 'x-admin-token': SECRETS.ADMIN_TOKEN }
const service = { authorization: `Bearer ${SECRETS.SERVICE_TOKEN}` }

/** Fails unless the status is 200. */
const ok = async (call: Promise<Awaited<ReturnType<Portal['send']>>>) => {
  const response = await call
  expect(response.statusCode, response.body).toBe(200)
  return response.json()
}

/** Records a day's usage of a key: two answered reads and one refusal. */
async function use({ accountId, apiKey }: SignedIn) {
  const read = { accountId, keyId: apiKey!.key_id, at: '2026-07-01T10:00:00.000+08:00' }
  for (const [dataset, credits, rows] of [
    ['earnings', 2, 3],
    ['events', 0, 0],
  ] as const)
    await p.control.ledger.record({ ...read, requestId: `req_${accountId}_${dataset}`, dataset, credits, rows })
  p.control.ledger.recordFailure({ ...read, dataset: 'earnings' })
}

function subscribe({ accountId }: SignedIn, id: string, more: Partial<ProviderSubscription>) {
  const subscription = { id, customerId: `cus_${accountId}`, status: 'active', priceId: null, accountId, ...more }
  const ends = { currentPeriodEnd: '2026-08-01T00:00:00.000+08:00', cancelAtPeriodEnd: false }
  p.control.subscriptions.sync(accountId, { ...ends, ...subscription }, 'pro', p.now())
}

/** Requests all account data that an account may read. */
async function readAll(who: SignedIn, keys = [who.apiKey!.api_key]) {
  for (const path of ['account', 'api-keys', 'usage-summary?window=7d']) await ok(p.as(who, 'GET', path))
  for (const key of keys)
    for (const path of ['entitlements', ...WINDOWS.flatMap(name => [`usage-summary?window=${name}`, `billing-preview?window=${name}`])])
      await ok(p.send('GET', `/v2/account/${path}`, { 'x-api-key': key }))
}

beforeAll(async () => {
  p = await portal()
  seen = watchAnswers(p.app)
})
afterAll(() => p.close())

it('answers about a new account match their declared schemas, with and without parameters', async () => {
  const fresh = await p.signIn('fresh@example.test')
  await readAll(fresh)
  p.pass(2)
  expect((await p.signIn('fresh@example.test')).apiKey).toBeUndefined()
  expect(seen.mistakes).toEqual([])
})

it('answers about an account with used, revoked and expired keys match their declared schemas', async () => {
  const owner = await p.signIn('keys@example.test')
  await use(owner)
  const [brief, gone] = [
    await ok(p.as(owner, 'POST', 'api-keys', { name: 'brief', expires_in_days: 1 })),
    await ok(p.as(owner, 'POST', 'api-keys')),
  ]
  for (let twice = 0; twice < 2; twice++) await ok(p.as(owner, 'POST', `api-keys/${gone.key_id}/revoke`))
  await ok(p.as(owner, 'GET', `api-keys/${brief.key_id}/reveal`))
  p.pass(25 * 60)
  const again = { ...(await p.signIn('keys@example.test')), apiKey: owner.apiKey! }
  const { data } = await ok(p.as(again, 'GET', 'api-keys'))
  const states = data.map(({ name, status, last_used_at }: Record<string, string>) => [name, status, last_used_at])
  expect(states).toContainEqual(['first key', 'active', '2026-07-01T10:00:00.000+08:00'])
  expect(states).toContainEqual(['brief', 'expired', null])
  expect(states).toContainEqual(['key', 'revoked', null])
  await readAll(again)
  expect(seen.mistakes).toEqual([])
})

it('answers about an account match their declared schemas in every state of its subscription', async () => {
  const payer = await p.signIn('payer@example.test')
  for (const [id, more] of [
    ['sub_1', {}],
    ['sub_1', { cancelAtPeriodEnd: true }],
    ['sub_1', { status: 'past_due' }],
    ['sub_1', { status: 'canceled', currentPeriodEnd: null }],
    ['sub_2', { status: 'trialing', currentPeriodEnd: null }],
  ] as const) {
    subscribe(payer, id, more)
    await readAll(payer)
  }
  expect(seen.mistakes).toEqual([])
})

it('answers about a granted plan and about an unknown address match their declared schemas', async () => {
  await ok(p.send('POST', '/v2/admin/grant-plan', admin, { email: 'granted@example.test', plan_id: 'max' }))
  const end = { note: 'until autumn', expires_at: '2026-10-01T00:00:00+08:00' }
  const grant = await ok(p.send('POST', '/v2/admin/grant-plan', admin, { email: 'granted@example.test', plan_id: 'pro', ...end }))
  for (const email of ['granted@example.test', 'nobody@example.test', 'not an address'])
    await ok(p.send('GET', '/v2/account/summary', { ...service, 'x-account-email': email }))
  await ok(p.send('GET', '/v2/account/entitlements', { 'x-api-key': grant.api_key.api_key }))
  const holder = await p.signIn('granted@example.test')
  expect((await ok(p.as(holder, 'POST', 'settings', { credit_mails: false }))).credit_mails).toBe(false)
  expect((await ok(p.as(holder, 'GET', 'account'))).grant).toMatchObject({ plan_id: 'pro' })
  expect(seen.mistakes).toEqual([])
})

it('answers to closing an account, with and without a subscription, match their declared schemas', async () => {
  const [leaving, paying] = [await p.signIn('leaving@example.test'), await p.signIn('paying@example.test')]
  subscribe(paying, 'sub_3', {})
  expect((await ok(p.as(leaving, 'DELETE', 'account'))).billing.action_required).toBe(false)
  expect((await ok(p.as(paying, 'DELETE', 'account'))).billing.action_required).toBe(true)
  expect(seen.mistakes).toEqual([])
})

it('diagnostics answers match their declared schemas', async () => {
  await ok(p.send('GET', '/internal/db-diagnostics', { 'x-diagnostics-secret': SECRETS.DIAGNOSTICS_SECRET }))
  await ok(p.send('GET', '/internal/diagnostics-config', { 'x-diagnostics-probe': SECRETS.DIAGNOSTICS_PROBE }))
  expect(seen.mistakes).toEqual([])
})

/** Routes that answer only with a payment provider. */
const PAID = [
  'POST /v2/billing/checkout-session',
  'POST /v2/self-serve/billing/portal-session',
  'POST /v2/billing/subscriptions/:subscription_id/api-key',
  'POST /v2/billing/webhook',
] as const

describe('payment routes', () => {
  let s: Shop
  beforeAll(async () => {
    s = await shop()
    for (const route of PAID) await p.send('POST', route.split(' ')[1]!.replace(':subscription_id', 'sub_1'))
  })
  afterAll(() => s.close())
  const mistakes = (route: (typeof PAID)[number], body: unknown) => checker(seen.declared.get(route)!.answer as never)(body)

  it('answers of checkout, billing portal and subscription key match their declared schemas', async () => {
    const customer = s.member()
    const checkout = await s.checkout(customer)
    expect([checkout.status, mistakes(PAID[0], checkout.json)]).toEqual([200, []])
    const subscription = await s.buy(customer)
    const opened = await s.as(customer, 'POST', '/v2/self-serve/billing/portal-session', {})
    expect([opened.status, mistakes(PAID[1], opened.json)]).toEqual([200, []])
    for (const time of ['issued', 'shown again']) {
      const key = await s.keyFor(customer, subscription)
      expect([time, key.status, mistakes(PAID[2], key.json)]).toEqual([time, 200, []])
    }
  })

  it('answers to a new and a repeated payment event match the declared schema', async () => {
    const created = s.now().getTime() / SECOND_MS
    const event = JSON.stringify({ id: 'evt_1', object: 'event', type: 'product.created', created, livemode: false, data: { object: {} } })
    for (const duplicate of [false, true]) {
      const receipt = await s.call('POST', '/v2/billing/webhook', { 'payment-signature': signed(event, WEBHOOK_SECRET, created) }, event)
      expect([receipt.status, receipt.json.duplicate, mistakes(PAID[3], receipt.json)]).toEqual([200, duplicate, []])
    }
  })
})

it('every account route answers its example request with 200', async () => {
  const { token, apiKey } = await p.signIn('reader@example.test')
  const credentials: Readonly<Partial<Record<Caller, Record<string, string>>>> = {
    public: {},
    api_key: { 'x-api-key': apiKey!.api_key },
    service_token: service,
    self_serve_token: { 'x-self-serve-token': token },
    admin_token: admin,
    diagnostics_secret: { 'x-diagnostics-secret': SECRETS.DIAGNOSTICS_SECRET },
    diagnostics_probe: { 'x-diagnostics-probe': SECRETS.DIAGNOSTICS_PROBE },
  }
  const examples = [...seen.declared].filter(([, { example }]) => example !== undefined)
  for (const [route, { example, caller }] of examples) {
    const [method, path] = route.split(' ') as ['GET' | 'POST', string]
    const query = new URLSearchParams(example!.query as Record<string, string>)
    await ok(p.send(method, `${path}?${query}`, { ...credentials[caller], ...example!.headers }, example!.body))
  }
  expect(examples).toHaveLength(13)
  expect(seen.mistakes).toEqual([])
})

it('the requests in these tests cover every account route', () => {
  const routes = [...seen.answered.keys()].toSorted()
  expect([...seen.declared.keys()].filter(route => !routes.includes(route)).toSorted()).toEqual([...PAID].toSorted())
  expect(routes).toHaveLength(17)
})
