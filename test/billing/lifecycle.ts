import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Manner } from '../fixtures/provider/delivery.ts'
import { PRICES, READS, refused, type Shop, type ShopOptions, shop, until, WEBHOOK_SECRET } from './shop.ts'

/** Signs in with a mailed code. */
async function signIn(s: Shop, email: string) {
  const { json: started } = await s.call('POST', '/v2/self-serve/onboarding/start', {}, { email })
  const mails = (): readonly string[] => (readdirSync(s.dir).includes('mail') ? readdirSync(join(s.dir, 'mail')) : [])
  await until('the code is mailed', () => mails().length > 0)
  const code = /\b\d{8}\b/.exec(readFileSync(join(s.dir, 'mail', mails()[0]!), 'utf8').split('\r\n\r\n')[1]!)![0]
  const { json } = await s.call('POST', '/v2/self-serve/onboarding/complete', {}, { flow_id: started.flow_id, code })
  return { email, accountId: json.account.account_id, token: json.self_serve_token, key: json.api_key.api_key } as const
}

export interface Delivery {
  /** Describes the delivery of events in the title of the test group. */
  readonly name: string
  readonly manner: Partial<Manner>
  readonly header: 'Payment-Signature' | 'Stripe-Signature'
  /** True if the provider uses an older API version with fields in other places. */
  readonly older: boolean
}

/**
 * Registers tests of one customer who subscribes, pays and cancels. Each test depends on the
 * previous one.
 */
export function subscriptionLifecycle({ name, manner, header, older }: Delivery, options: () => ShopOptions = () => ({})): void {
  describe(`subscription lifecycle with events delivered ${name}`, () => {
    let s: Shop
    let member: Awaited<ReturnType<typeof signIn>>
    let subscription: string
    let paidKey: string
    const read = (plan: 'pro' | 'max', key: string) => s.call('GET', READS[plan], { 'x-api-key': key })
    const account = async () => (await s.as(member, 'GET', '/v2/self-serve/account')).json
    const preview = async () => (await s.call('GET', '/v2/account/billing-preview', { 'x-api-key': member.key })).json
    const entitlements = async () => (await s.call('GET', '/v2/account/entitlements', { 'x-api-key': member.key })).json

    beforeAll(async () => {
      s = await shop(options())
      await s.provider.webhook({ url: `${s.url}/v2/billing/webhook`, secret: WEBHOOK_SECRET, header })
      await s.provider.shape(older ? { period: 'subscription', invoice: 'subscription' } : { period: 'item', invoice: 'parent' })
      await s.provider.delivery(manner)
      member = await signIn(s, 'buyer@example.test')
    })
    afterAll(() => s.close())

    it('a new customer is on the free plan', async () => {
      const answer = await read('pro', member.key)
      expect(refused(answer)).toEqual([403, 'plan_required'])
      expect(answer.json.error).toMatchObject({ required_plan: 'pro', current_plan: 'free', blocking_gate: 'plan' })
      expect(await account()).toMatchObject({ plan_id: 'free', plan_source: 'free', subscription: null })
      expect(await preview()).toMatchObject({ plan: { id: 'free', base_amount: 0 }, total: 0, next_invoice_at: null, subscription: null })
    })

    it('a checkout uses the configured price and the provider’s events are acknowledged once each', async () => {
      const answer = await s.checkout(member)
      expect(answer.status).toBe(200)
      expect(answer.json).toEqual({
        session_id: expect.stringMatching(/^cs_test_/),
        url: expect.stringContaining('/c/pay/cs_test_'),
        expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*\+08:00$/),
        plan_id: 'pro',
      })
      const [call] = (await s.provider.calls()).slice(-1)
      expect([call!.path, call!.form]).toEqual([
        '/v1/checkout/sessions',
        {
          mode: 'subscription',
          line_items: { 0: { price: PRICES.pro, quantity: '1' } },
          customer: expect.stringMatching(/^cus_/),
          client_reference_id: member.accountId,
          metadata: { account_id: member.accountId },
          subscription_data: { metadata: { account_id: member.accountId } },
          success_url: `${s.url}/`,
          cancel_url: `${s.url}/`,
        },
      ])
      expect(await s.planOf(member)).toBe('free')
      const { result, deliveries } = await s.provider.complete(answer.json.session_id)
      subscription = result['subscription'] as string
      expect(deliveries.length).toBe(6 * (manner.copies ?? 1))
      expect(deliveries.filter(({ status }) => status !== 200)).toEqual([])
      expect(deliveries.filter(delivery => !JSON.parse(delivery.answer).duplicate)).toHaveLength(6)
    })

    it('a paid subscription gives its plan to the existing key', async () => {
      await s.settled()
      expect(await entitlements()).toMatchObject({ plan_id: 'pro', row_limit: 20_000, credits: { included: 100_000, used: 0 } })
      const answer = await read('pro', member.key)
      expect([answer.status, answer.headers.get('x-credits-charged'), answer.headers.get('x-credits-remaining')]).toEqual([
        200,
        '3',
        '99997',
      ])
      expect(refused(await read('max', member.key))).toEqual([403, 'plan_required'])
    })

    it('a subscription key is issued once, and a later request returns the same key', async () => {
      const [first, second] = [await s.keyFor(member, subscription), await s.keyFor(member, subscription)]
      expect(first.json).toMatchObject({
        subscription_id: subscription,
        status: 'active',
        plan_id: 'pro',
        api_key: expect.stringMatching(/^sk_live_/),
      })
      expect(first.headers.get('cache-control')).toBe('no-store')
      expect(second.json).toEqual(first.json)
      paidKey = first.json.api_key
      expect((await read('pro', paidKey)).status).toBe(200)
    })

    it('the account and the billing preview show the subscription', async () => {
      const { subscription: shown, plan_id, plan_source } = await account()
      const [there] = await s.provider.subscriptions().then(all => all.filter(({ id }) => id === subscription))
      const { current_period_end: end } = (older ? there : (there!['items'] as { data: { current_period_end: number }[] }).data[0]) as {
        current_period_end: number
      }
      expect([plan_id, plan_source]).toEqual(['pro', 'subscription'])
      expect(shown).toMatchObject({ subscription_id: subscription, status: 'active', plan_id: 'pro', cancel_at_period_end: false })
      expect(Date.parse(shown.current_period_end)).toBe(end * 1_000)
      const { next_invoice_at, ...bill } = await preview()
      expect(Date.parse(next_invoice_at)).toBe(end * 1_000)
      const { base_amount: base } = bill.plan
      expect(bill).toMatchObject({ currency: 'TWD', plan: { id: 'pro' }, subtotal: base, tax: null, total: base })
      expect(await s.billed(member)).toBe(99_000)
      expect(bill.subscription).toEqual({ subscription_id: subscription, status: 'active', plan_id: 'pro', cancel_at_period_end: false })
    })

    it('a second checkout of a subscriber is refused, and the error contains the portal path', async () => {
      const answer = await s.checkout(member, { plan_id: 'max' })
      expect(refused(answer)).toEqual([409, 'conflict'])
      expect(answer.json.error).toMatchObject({ subscription_id: subscription, portal_path: '/v2/self-serve/billing/portal-session' })
      const portal = await s.as(member, 'POST', answer.json.error.portal_path, { return_url: `${s.url}/account` })
      expect([portal.status, portal.json]).toEqual([200, { url: expect.stringContaining('/p/session/bps_') }])
      const [call] = (await s.provider.calls()).slice(-1)
      const [there] = (await s.provider.subscriptions()).filter(({ id }) => id === subscription)
      expect([call!.path, call!.form]).toEqual([
        '/v1/billing_portal/sessions',
        { customer: there!['customer'], return_url: `${s.url}/account` },
      ])
    })

    it('a subscription cancelled at period end keeps its plan', async () => {
      await s.provider.cancel(subscription, true)
      await s.settled()
      expect((await account()).subscription).toMatchObject({ status: 'active', cancel_at_period_end: true })
      expect(await preview()).toMatchObject({ next_invoice_at: null })
      expect(await s.billed(member)).toBe(99_000)
      expect((await read('pro', member.key)).status).toBe(200)
    })

    it('an ended subscription returns its keys to the free plan', async () => {
      await s.provider.cancel(subscription)
      await s.settled()
      for (const key of [member.key, paidKey]) {
        expect(refused(await read('pro', key))).toEqual([403, 'plan_required'])
        expect((await s.call('GET', '/v2/datasets/securities-firm-master', { 'x-api-key': key })).status).toBe(200)
      }
      expect(await entitlements()).toMatchObject({ plan_id: 'free', row_limit: 1_000, credits: { included: 1_000 } })
      expect(await account()).toMatchObject({ plan_id: 'free', plan_source: 'free', subscription: { status: 'canceled' } })
      expect(await preview()).toMatchObject({ plan: { id: 'free' }, next_invoice_at: null, subscription: null })
      // At most one minute of the month has passed, so almost nothing is billed.
      expect(await s.billed(member)).toBeLessThan(3)
      expect(refused(await s.keyFor(member, subscription))).toEqual([409, 'subscription_not_active'])
    })

    it('every payment event was stored once and applied once', async () => {
      const sent = new Set((await s.provider.deliveries()).map(({ event }) => event))
      const stored = s.rows<{ id: string; state: string; attempts: number }>('SELECT id, state, attempts FROM payment_event')
      expect(stored.filter(({ id }) => !sent.has(id))).toEqual([])
      expect(new Set(stored.map(({ id }) => id)).size).toBe(stored.length)
      expect(new Set(stored.map(({ attempts }) => attempts))).toEqual(new Set([1]))
      expect(stored.filter(({ state }) => state === 'done')).toHaveLength(5)
      expect(s.logged('failed')).toEqual([])
    })
  })
}
