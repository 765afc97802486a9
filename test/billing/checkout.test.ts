import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { signed } from '../fixtures/provider/delivery.ts'
import { SECRETS } from '../support.ts'
import { DAY_MS, type Member, PRICES, READS, refused, type Shop, shop, WEBHOOK_SECRET } from './shop.ts'

const PORTAL = '/v2/self-serve/billing/portal-session'

let s: Shop
let member: Member
beforeAll(async () => {
  s = await shop()
})
afterAll(() => s.close())
beforeEach(() => {
  member = s.member()
})

const sessionsOf = async ({ accountId }: Member) =>
  (await s.provider.sessions()).filter(({ client_reference_id }) => client_reference_id === accountId)

describe('checkout bodies', () => {
  it('P7: a checkout ignores a price, amount or account in its body', async () => {
    const other = s.member()
    const more = {
      price: 'price_of_my_own',
      price_id: 'price_of_my_own',
      amount: 1,
      unit_amount: 1,
      quantity: 0,
      currency: 'vnd',
      coupon: 'FREE',
      account_id: other.accountId,
      client_reference_id: other.accountId,
      customer: 'cus_other',
      customer_email: other.email,
      metadata: { account_id: other.accountId },
      subscription_data: { trial_period_days: 730 },
      mode: 'setup',
      line_items: [],
    }
    const answer = await s.checkout(member, { plan_id: 'pro', ...more })
    expect(answer.status).toBe(200)
    const [session] = await sessionsOf(member)
    expect(session).toMatchObject({ amount_total: 99_000, metadata: { account_id: member.accountId } })
    const made = (await s.provider.calls()).filter(({ path }) => path === '/v1/customers').at(-1)
    expect(made!.form).toEqual({ email: member.email, metadata: { account_id: member.accountId } })
    expect(await sessionsOf(other)).toEqual([])
    const [call] = (await s.provider.calls()).slice(-1)
    expect(Object.keys(call!.form).toSorted()).toEqual([
      'cancel_url',
      'client_reference_id',
      'customer',
      'line_items',
      'metadata',
      'mode',
      'subscription_data',
      'success_url',
    ])
    expect(call!.form['line_items']).toEqual({ 0: { price: PRICES.pro, quantity: '1' } })
    await s.provider.complete(answer.json.session_id)
    await s.settled()
    expect([await s.planOf(member), await s.planOf(other)]).toEqual(['pro', 'free'])
  })

  it('P7: a checkout body cannot change a JavaScript prototype', async () => {
    for (const body of [
      '{"plan_id":"pro","__proto__":{"plan_id":"max","isAdmin":true}}',
      '{"plan_id":"pro","constructor":{"prototype":{"plan_id":"max"}}}',
      '{"__proto__":{"plan_id":"pro"}}',
    ]) {
      const answer = await s.checkout(member, body)
      expect.soft([200, 400, 422], body).toContain(answer.status)
      expect.soft(({} as Record<string, unknown>)['plan_id'], body).toBeUndefined()
      const amounts = (await sessionsOf(member)).map(({ amount_total }) => amount_total)
      expect
        .soft(
          amounts.filter(amount => amount !== 99_000),
          body,
        )
        .toEqual([])
    }
  })

  it('P7: a checkout with an invalid plan is refused before any call to the provider', async () => {
    const calls = (await s.provider.calls()).length
    for (const body of [
      { plan_id: 'free' },
      { plan_id: 'PRO' },
      { plan_id: 'enterprise' },
      { plan_id: ['pro'] },
      { plan_id: { $ne: '' } },
      { plan_id: null },
      [],
      ['pro'],
      '"pro"',
      '7',
    ]) {
      const answer = await s.checkout(member, body)
      const what = JSON.stringify(body)
      expect.soft(refused(answer), what).toEqual([422, 'invalid_parameter'])
      expect.soft(answer.json.detail, what).toEqual([expect.objectContaining({ loc: expect.arrayContaining(['body']) })])
    }
    expect(await s.provider.calls()).toHaveLength(calls)
  })

  it('a checkout without plan_id is for the next plan above the plan of the account', async () => {
    expect((await s.checkout(member, { plan: 'max' })).json).toMatchObject({ plan_id: 'pro' })
    const grant = (plan_id: string) =>
      s.call('POST', '/v2/admin/grant-plan', { 'x-admin-token': SECRETS.ADMIN_TOKEN }, { email: member.email, plan_id })
    await grant('pro')
    expect((await s.checkout(member, {})).json).toMatchObject({ plan_id: 'max' })
    await grant('max')
    expect((await s.checkout(member, {})).json.detail).toMatchObject([{ loc: ['body', 'plan_id'], type: 'missing' }])
    expect((await s.checkout(member, { plan_id: 'max' })).status).toBe(200)
  })

  it('a checkout accepts an API key of the account instead of a session', async () => {
    const paid = (headers: Readonly<Record<string, string>>) => s.call('POST', '/v2/billing/checkout-session', headers, {})
    const byKey = await paid({ 'x-api-key': member.key })
    expect(byKey.json).toMatchObject({ plan_id: 'pro' })
    expect(byKey.headers.get('x-credits-charged')).toBe('0')
    expect((await paid({ authorization: `Bearer ${member.key}` })).json.session_id).toBe(byKey.json.session_id)
    expect((await sessionsOf(member)).map(({ id }) => id)).toEqual([byKey.json.session_id])
    expect(refused(await paid({ 'x-api-key': `${member.key}x` }))).toEqual([401, 'invalid_api_key'])
    expect(refused(await paid({}))).toEqual([401, 'invalid_self_serve_token'])
    expect((await paid({ 'x-api-key': s.member().key, 'x-self-serve-token': member.token })).json.session_id).toBe(byKey.json.session_id)
  })

  it('P7: a checkout body that is not JSON is refused', async () => {
    for (const body of ['{', '{"plan_id":"pro"', 'plan_id=pro', '\0'])
      expect.soft(refused(await s.checkout(member, body)), JSON.stringify(body)).toEqual([400, 'malformed_request'])
  })

  it('P7: a checkout body that is nested thousands of levels deep is refused, or its extra field is ignored', async () => {
    const deep = (open: string, close: string, depth: number) => `${open.repeat(depth)}${close.repeat(depth)}`
    expect(refused(await s.checkout(member, deep('[', ']', 8_000)))).toEqual([422, 'invalid_parameter'])
    expect(refused(await s.checkout(member, `{"plan_id":${deep('[', ']', 8_000)}}`))).toEqual([422, 'invalid_parameter'])
    expect(refused(await s.checkout(member, `{"plan_id":"pro","success_url":${deep('[', ']', 8_000)}}`))).toEqual([
      422,
      'invalid_parameter',
    ])
    for (const x of [deep('[', ']', 8_000), deep('{"a":', '}', 8_000).replace('{"a":}', '{"a":1}')])
      expect((await s.checkout(member, `{"plan_id":"pro","x":${x}}`)).status).toBe(200)
    expect(refused(await s.checkout(member, deep('[', ']', 200_000)))).toEqual([413, 'too_large'])
  })
})

describe('return URLs', () => {
  const evil = (own: string): readonly string[] => [
    `blob:${own}/9115d58c-bcda-ff47-86e5-083e9a215304`,
    'https://evil.com',
    `https://evil.com/?next=${own}`,
    `${own}.evil.com/`,
    `${own}@evil.com/`,
    own.replace('//', '//evil.com@'),
    own.replace('http:', 'https:'),
    own.replace(/:\d+$/, ':1'),
    own.replace('127.0.0.1', 'localhost'),
    '//evil.com',
    '/account',
    'javascript:alert(1)',
    'data:text/html,hello',
    'file:///etc/passwd',
    'not a url',
    '',
    `http://evil.com\\@${new URL(own).host}/`,
    'x'.repeat(3_000),
  ]

  it('P7: success_url, cancel_url and return_url of other sites are refused before any call to the provider', async () => {
    const calls = (await s.provider.calls()).length
    for (const name of ['success_url', 'cancel_url'])
      for (const url of evil(s.url)) {
        const answer = await s.checkout(member, { plan_id: 'pro', [name]: url })
        const what = `${name}=${url.slice(0, 80)}`
        expect.soft(refused(answer), what).toEqual([422, 'invalid_parameter'])
        expect.soft(answer.json.detail?.[0].loc, what).toEqual(['body', name])
        expect.soft(answer.body, what).not.toContain('evil')
      }
    await s.buy(member)
    const callCount = (await s.provider.calls()).length
    for (const url of evil(s.url))
      expect(refused(await s.as(member, 'POST', PORTAL, { return_url: url })), url).toEqual([422, 'invalid_parameter'])
    expect((await s.provider.calls()).length).toBe(callCount)
    expect(callCount - calls).toBeLessThan(10)
  })

  it('P7: success_url and cancel_url can be any URL of the service', async () => {
    const success_url = `${s.url}/billing/done?session={CHECKOUT_SESSION_ID}&lang=zh-TW`
    const answer = await s.checkout(member, { plan_id: 'pro', success_url, cancel_url: `${s.url}/billing` })
    expect(answer.status).toBe(200)
    expect((await sessionsOf(member))[0]).toMatchObject({ success_url, cancel_url: `${s.url}/billing` })
  })
})

describe('repeated checkouts', () => {
  it('concurrent and later checkouts for the same plan on one day share one session', async () => {
    const answers = await Promise.all([s.checkout(member), s.checkout(member), s.checkout(member)])
    answers.push(await s.checkout(member))
    expect(new Set(answers.map(({ json }) => json.session_id)).size).toBe(1)
    expect(await sessionsOf(member)).toHaveLength(1)
  })

  it('a checkout for another plan, return URL or day gets its own session', async () => {
    const ids = [
      await s.checkout(member),
      await s.checkout(member, { plan_id: 'max' }),
      await s.checkout(member, { plan_id: 'pro', success_url: `${s.url}/done` }),
      await s.checkout(member, { plan_id: 'pro', cancel_url: `${s.url}/done` }),
    ].map(({ json }) => json.session_id)
    s.pass(DAY_MS)
    ids.push((await s.checkout({ ...member, token: s.signIn(member.accountId) })).json.session_id)
    expect(new Set(ids).size).toBe(5)
  })

  it('two checkouts get separate sessions even if their long return URLs differ only in the last character', async () => {
    const back = (end: string) => `${s.url}/${'long/'.repeat(200)}${end}`
    const answers = [back('a'), back('b')].map(success_url => s.checkout(member, { plan_id: 'pro', success_url }))
    const [first, second] = await Promise.all(answers)
    expect([first!.status, second!.status]).toEqual([200, 200])
    expect(first!.json.session_id).not.toBe(second!.json.session_id)
  })

  it('a checkout on the day a subscription was cancelled gets a new session for the same customer', async () => {
    const bought = new Set<string>()
    for (let count = 0; count < 3; count++) {
      const id = await s.buy(member)
      bought.add(id)
      expect(await s.planOf(member)).toBe('pro')
      await s.provider.cancel(id)
      await s.settled()
      expect(await s.planOf(member)).toBe('free')
    }
    expect(bought.size).toBe(3)
    const customers = new Set((await sessionsOf(member)).map(({ customer }) => customer))
    expect(customers.size, 'one customer at the provider').toBe(1)
  })

  it('an expired checkout changes no plan', async () => {
    const { json } = await s.checkout(member)
    await s.provider.expire(json.session_id)
    await s.settled()
    expect(await s.planOf(member)).toBe('free')
  })
})

describe('failures of the payment provider', () => {
  afterEach(() => s.provider.trouble(null))

  it('while the payment provider is down, every path that needs the provider answers 503 and changes nothing', async () => {
    const subscriber = s.member()
    const id = await s.buy(subscriber)
    const keys = s.rows('SELECT * FROM api_key').length
    const sessions = (await s.provider.sessions()).length
    await s.provider.trouble({ times: 'until told', status: 503 })
    const answers = await Promise.all([s.checkout(member), s.as(subscriber, 'POST', PORTAL, {}), s.keyFor(subscriber, id)])
    for (const answer of answers) {
      expect(refused(answer)).toEqual([503, 'billing_unavailable'])
      expect([answer.headers.get('retry-after'), answer.json.error.retry_after]).toEqual(['30', 30])
      expect(answer.body).not.toMatch(/stripe|not available\.|api_error/i)
    }
    expect(s.rows('SELECT * FROM api_key')).toHaveLength(keys)
    expect(await s.provider.sessions()).toHaveLength(sessions)
    expect((await s.call('GET', READS.pro, { 'x-api-key': subscriber.key })).status, 'reads go on').toBe(200)
    await s.provider.trouble(null)
    expect((await s.checkout(member)).status).toBe(200)
    expect((await s.keyFor(subscriber, id)).status).toBe(200)
  })

  it('if a checkout fails once at the provider, it is retried and makes only one session', async () => {
    for (const trouble of [{ status: 503 }, { reset: 'before' }, { reset: 'after' }] as const) {
      const buyer = s.member()
      await s.provider.trouble({ times: 1, path: '/v1/checkout', ...trouble })
      expect.soft((await s.checkout(buyer)).status, JSON.stringify(trouble)).toBe(200)
      expect.soft(await sessionsOf(buyer), JSON.stringify(trouble)).toHaveLength(1)
    }
  })

  it('a checkout waits for a slow provider', async () => {
    await s.provider.trouble({ times: 1, slowMs: 700 })
    expect((await s.checkout(member)).status).toBe(200)
  })

  it('a refusal by the provider is reported as 503 without the provider’s reason', async () => {
    for (const status of [400, 401, 403]) {
      await s.provider.trouble({ times: 1, path: '/v1/checkout/sessions', status })
      const answer = await s.checkout(s.member())
      expect.soft(refused(answer), `status ${status}`).toEqual([503, 'billing_unavailable'])
    }
  })
})

describe('sessions and customers', () => {
  it('the billing portal and subscription keys require a session; a checkout accepts a session or an API key', async () => {
    const calls = (await s.provider.calls()).length
    const checkout = '/v2/billing/checkout-session'
    for (const headers of [{}, { 'x-self-serve-token': `sst_${'A'.repeat(43)}` }, { 'x-api-key': member.key }])
      for (const path of [...('x-api-key' in headers ? [] : [checkout]), PORTAL, '/v2/billing/subscriptions/sub_1/api-key'])
        expect
          .soft(
            refused(await s.call('POST', path, headers, { plan_id: 'pro' })),
            `${path} with ${Object.keys(headers).join() || 'nothing'}`,
          )
          .toEqual([401, 'invalid_self_serve_token'])
    expect(await s.provider.calls()).toHaveLength(calls)
  })

  it('an account that never checked out cannot open the billing portal', async () =>
    expect(refused(await s.as(member, 'POST', PORTAL, {}))).toEqual([409, 'no_customer']))
})

describe('service without a payment provider', () => {
  it('a service without a payment provider refuses the four payment paths with 503 and serves everything else', async () => {
    const bare = await shop({
      env: { STRIPE_SECRET_KEY: '', STRIPE_WEBHOOK_SECRET: '', STRIPE_API_BASE: '', STRIPE_PRICE_PRO: '', STRIPE_PRICE_MAX: '' },
    })
    const someone = bare.member()
    const body = JSON.stringify({ id: 'evt_1', object: 'event', type: 'invoice.paid', created: 1, livemode: false, data: { object: {} } })
    const header = { 'payment-signature': signed(body, WEBHOOK_SECRET, bare.now().getTime() / 1_000) }
    const answers = [
      await bare.checkout(someone),
      await bare.as(someone, 'POST', PORTAL, {}),
      await bare.keyFor(someone, 'sub_1'),
      await bare.call('POST', '/v2/billing/webhook', header, body),
    ]
    for (const answer of answers) expect(refused(answer)).toEqual([503, 'billing_unavailable'])
    expect(bare.rows('SELECT * FROM payment_event')).toEqual([])
    const get = async (path: string, headers: Record<string, string>) => (await bare.call('GET', path, headers)).status
    const key = { 'x-api-key': someone.key }
    for (const path of [
      '/v2/datasets/securities-firm-master',
      '/v2/account/entitlements',
      '/v2/account/billing-preview',
      '/v2/account/usage-summary',
    ])
      expect(await get(path, key), path).toBe(200)
    for (const path of ['/healthz', '/readyz']) expect(await get(path, {}), path).toBe(200)
    expect((await bare.as(someone, 'GET', '/v2/self-serve/account')).json).toMatchObject({ plan_id: 'free', subscription: null })
    const closed = await bare.as(someone, 'DELETE', '/v2/self-serve/account')
    expect(closed.json.billing).toMatchObject({ action_required: false, reason: null, portal_path: null, portal_url: null })
    await bare.close()
  })
})
