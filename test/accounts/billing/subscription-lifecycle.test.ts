import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Manner } from '../../fixtures/provider/delivery.ts'
import { PRICES, READS, refused, type Shop, STRIPE_KEY, shop, until } from './shop.ts'

let providerUrl: string
const provider = spawn(process.execPath, [fileURLToPath(new URL('../../fixtures/provider/server.ts', import.meta.url))], {
  env: { PATH: process.env['PATH'], PROVIDER_SECRET_KEY: STRIPE_KEY },
  stdio: ['ignore', 'pipe', 'inherit'],
})
beforeAll(async () => {
  const [printed] = (await once(provider.stdout, 'data')) as [Buffer]
  providerUrl = JSON.parse(printed.toString()).url
})
afterAll(() => void provider.kill())

/** Signs in by the code of a mail, as a customer does. */
async function signIn(s: Shop, email: string) {
  const { json: started } = await s.call('POST', '/v2/self-serve/onboarding/start', {}, { email })
  const mails = (): readonly string[] => (readdirSync(s.dir).includes('mail') ? readdirSync(join(s.dir, 'mail')) : [])
  await until('the code is mailed', () => mails().length > 0)
  const code = /\b\d{8}\b/.exec(readFileSync(join(s.dir, 'mail', mails()[0]!), 'utf8').split('\r\n\r\n')[1]!)![0]
  const { json } = await s.call('POST', '/v2/self-serve/onboarding/complete', {}, { flow_id: started.flow_id, code })
  return { email, accountId: json.account.account_id, token: json.self_serve_token, key: json.api_key.api_key } as const
}

const MANNERS: Readonly<Record<string, { manner: Partial<Manner>; header: 'Payment-Signature' | 'Stripe-Signature'; older: boolean }>> = {
  'as they happen': { manner: {}, header: 'Payment-Signature', older: false },
  'twice and in reverse': { manner: { copies: 2, order: 'reversed' }, header: 'Stripe-Signature', older: true },
  'three times, shuffled and all at once': {
    manner: { copies: 3, order: 'shuffled', parallel: true },
    header: 'Payment-Signature',
    older: false,
  },
}

describe.each(Object.entries(MANNERS))('a customer whose payment events are delivered %s', (_, { manner, header, older }) => {
  let s: Shop
  let member: Awaited<ReturnType<typeof signIn>>
  let subscription: string
  let paidKey: string
  const read = (plan: 'pro' | 'max', key: string) => s.call('GET', READS[plan], { 'x-api-key': key })
  const account = async () => (await s.as(member, 'GET', '/v2/self-serve/account')).json
  const preview = async () => (await s.call('GET', '/v2/account/billing-preview', { 'x-api-key': member.key })).json
  const entitlements = async () => (await s.call('GET', '/v2/account/entitlements', { 'x-api-key': member.key })).json

  beforeAll(async () => {
    s = await shop({ providerUrl })
    await s.provider.webhook({ url: `${s.url}/v2/billing/webhook`, secret: 'whsec_secret_of_the_tests_0123456789', header })
    await s.provider.shape(older ? { period: 'subscription', invoice: 'subscription' } : { period: 'item', invoice: 'parent' })
    await s.provider.delivery(manner)
    member = await signIn(s, 'buyer@example.test')
  })
  afterAll(() => s.close())

  it('begins on the free plan', async () => {
    const answer = await read('pro', member.key)
    expect(refused(answer)).toEqual([403, 'plan_required'])
    expect(answer.json.error).toMatchObject({ required_plan: 'pro', current_plan: 'free', blocking_gate: 'plan' })
    expect(await account()).toMatchObject({ plan_id: 'free', plan_source: 'free', subscription: null })
    expect(await preview()).toMatchObject({ plan: { id: 'free', base_amount: 0 }, total: 0, next_invoice_at: null, subscription: null })
  })

  it('is sent to checkout for a price chosen here', async () => {
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
        ...{ mode: 'subscription', line_items: { 0: { price: PRICES.pro, quantity: '1' } }, customer: expect.stringMatching(/^cus_/) },
        ...{ client_reference_id: member.accountId, metadata: { account_id: member.accountId } },
        ...{ subscription_data: { metadata: { account_id: member.accountId } }, success_url: `${s.url}/`, cancel_url: `${s.url}/` },
      },
    ])
    expect(await s.planOf(member)).toBe('free')
    const { done, deliveries } = await s.provider.complete(answer.json.session_id)
    subscription = done['subscription'] as string
    expect(deliveries.length).toBe(6 * (manner.copies ?? 1))
    expect(deliveries.filter(({ status }) => status !== 200)).toEqual([])
    expect(deliveries.filter(delivery => !JSON.parse(delivery.answer).duplicate)).toHaveLength(6)
  })

  it('has the plan on the key there was, once it is paid', async () => {
    await s.settled()
    expect(await entitlements()).toMatchObject({ plan_id: 'pro', row_limit: 20_000, credits: { included: 100_000, used: 0 } })
    const answer = await read('pro', member.key)
    expect([answer.status, answer.headers.get('x-credits-charged'), answer.headers.get('x-credits-remaining')]).toEqual([200, '3', '99997'])
    expect(refused(await read('max', member.key))).toEqual([403, 'plan_required'])
  })

  it('gets a key for the subscription, the same one when asked again', async () => {
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

  it('sees the subscription in the account and in the preview', async () => {
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

  it('cannot check out again, and is sent to the portal', async () => {
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

  it('keeps the plan to the end of the period when the end is asked for', async () => {
    await s.provider.cancel(subscription, true)
    await s.settled()
    expect((await account()).subscription).toMatchObject({ status: 'active', cancel_at_period_end: true })
    expect(await preview()).toMatchObject({ next_invoice_at: null })
    expect(await s.billed(member)).toBe(99_000)
    expect((await read('pro', member.key)).status).toBe(200)
  })

  it('is on the free plan again when it ends, with every key still working', async () => {
    await s.provider.cancel(subscription)
    await s.settled()
    for (const key of [member.key, paidKey]) {
      expect(refused(await read('pro', key))).toEqual([403, 'plan_required'])
      expect((await s.call('GET', '/v2/datasets/securities-firm-master', { 'x-api-key': key })).status).toBe(200)
    }
    expect(await entitlements()).toMatchObject({ plan_id: 'free', row_limit: 1_000, credits: { included: 1_000 } })
    expect(await account()).toMatchObject({ plan_id: 'free', plan_source: 'free', subscription: { status: 'canceled' } })
    expect(await preview()).toMatchObject({ plan: { id: 'free' }, next_invoice_at: null, subscription: null })
    // A minute of the month, at most.
    expect(await s.billed(member)).toBeLessThan(3)
    expect(refused(await s.keyFor(member, subscription))).toEqual([409, 'subscription_not_active'])
  })

  it('had every event stored once and applied once', async () => {
    const sent = new Set((await s.provider.deliveries()).map(({ event }) => event))
    const kept = s.rows<{ id: string; state: string; attempts: number }>('SELECT id, state, attempts FROM payment_event')
    expect(kept.filter(({ id }) => !sent.has(id))).toEqual([])
    expect(new Set(kept.map(({ id }) => id)).size).toBe(kept.length)
    expect(new Set(kept.map(({ attempts }) => attempts))).toEqual(new Set([1]))
    expect(kept.filter(({ state }) => state === 'done')).toHaveLength(5)
    expect(s.logged('failed')).toEqual([])
  })
})
