import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import Stripe from 'stripe'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Control, controlOf } from '../fixtures/provider/client.ts'

const KEY = 'sk_test_of_its_own_process'
const SECRET = 'whsec_receiver'
const PRICE = { id: 'price_pro', amount: 99_000 }
const ORDER = {
  mode: 'subscription',
  line_items: [{ price: PRICE.id, quantity: 1 }],
  success_url: 'https://shop.example/done',
} as const satisfies Stripe.Checkout.SessionCreateParams

interface Received {
  readonly signature: string
  readonly body: string
}

let provider: Control
let stripe: Stripe
let receiver: ReturnType<typeof createServer>
const received: Received[] = []
const child = spawn(process.execPath, [fileURLToPath(new URL('../fixtures/provider/server.ts', import.meta.url))], {
  env: { PATH: process.env['PATH'], PROVIDER_SECRET_KEY: KEY },
  stdio: ['ignore', 'pipe', 'inherit'],
})

const clientOf = (key: string, maxNetworkRetries = 2): Stripe => {
  const { hostname: host, port } = new URL(provider.url)
  return new Stripe(key, { host, port, protocol: 'http', maxNetworkRetries, telemetry: false })
}

beforeAll(async () => {
  const [printed] = (await once(child.stdout, 'data')) as [Buffer]
  provider = controlOf(JSON.parse(printed.toString()).url)
  stripe = clientOf(KEY)
  await provider.price(PRICE)
  receiver = createServer(async (request, response) => {
    const signature = (request.headers['payment-signature'] ?? request.headers['stripe-signature']) as string
    received.push({ signature, body: await text(request) })
    response.end('{}')
  })
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
  await provider.webhook({ url, secret: SECRET, header: 'Payment-Signature' })
})
afterAll(() => {
  child.kill()
  receiver.close()
})
beforeEach(async () => {
  await provider.delivery({})
  received.length = 0
})

const failureOf = (work: Promise<unknown>): Promise<Stripe.errors.StripeError> =>
  work.then(
    () => expect.unreachable(),
    error => error,
  )
const bought = async () => {
  const { id } = await stripe.checkout.sessions.create({ ...ORDER, customer_email: 'a@example.test', metadata: { account_id: 'acct_1' } })
  return (await provider.complete(id)).result['subscription'] as string
}

describe('test provider with the Stripe SDK', () => {
  it('the test provider sells and cancels a subscription through the Stripe SDK', async () => {
    const session = await stripe.checkout.sessions.create({ ...ORDER, customer_email: 'buyer@example.test', client_reference_id: 'acct_2' })
    expect(session).toMatchObject({ status: 'open', client_reference_id: 'acct_2', amount_total: 99_000, customer: null })
    await provider.complete(session.id)
    const retrieved = await stripe.checkout.sessions.retrieve(session.id, { expand: ['customer'] })
    expect(retrieved).toMatchObject({ status: 'complete', payment_status: 'paid', url: null })
    const customer = (await stripe.customers.retrieve(retrieved.customer as string)) as Stripe.Customer
    expect(customer.email).toBe('buyer@example.test')
    const { data } = await stripe.subscriptions.list({ customer: customer.id })
    expect(data.map(({ id, status }) => [id, status])).toEqual([[retrieved.subscription, 'active']])
    const [item] = data[0]!.items.data
    const changed = await stripe.subscriptions.update(data[0]!.id, {
      cancel_at_period_end: true,
      items: [{ id: item!.id, price: PRICE.id }],
    })
    expect([changed.cancel_at_period_end, item!.price.id]).toEqual([true, PRICE.id])
    expect((await stripe.subscriptions.cancel(data[0]!.id)).status).toBe('canceled')
    expect((await stripe.subscriptions.list({ customer: customer.id })).data).toEqual([])
    expect((await stripe.subscriptions.list({ customer: customer.id, status: 'all' })).data).toHaveLength(1)
    const portal = await stripe.billingPortal.sessions.create({ customer: customer.id, return_url: 'https://shop.example/' })
    expect(portal.url).toContain('/p/session/bps_')
  })

  it('the test provider lists open sessions by creation time, expires each session only once, and expires no paid session', async () => {
    const start = Math.floor(Date.now() / 1_000)
    const [open, paid] = [await stripe.checkout.sessions.create(ORDER), await stripe.checkout.sessions.create(ORDER)]
    await provider.complete(paid.id)
    const found = async (gte: number) =>
      (await stripe.checkout.sessions.list({ status: 'open', created: { gte } })).data.map(({ id }) => id)
    expect(await found(start)).toContain(open.id)
    expect(await found(start)).not.toContain(paid.id)
    expect(await found(start + 3_600)).toEqual([])
    expect(await stripe.checkout.sessions.expire(open.id)).toMatchObject({ status: 'expired', url: null })
    expect(await found(start)).not.toContain(open.id)
    for (const { id } of [open, paid]) expect((await failureOf(stripe.checkout.sessions.expire(id))).statusCode).toBe(400)
  })

  it('the test provider lists customers in pages, newest first, without a gap', async () => {
    const made: string[] = []
    for (let count = 0; count < 23; count++) made.unshift((await stripe.customers.create({ email: 'pages@example.test' })).id)
    const first = await stripe.customers.list({ email: 'pages@example.test' })
    expect([first.data.length, first.has_more]).toEqual([10, true])
    const all = await stripe.customers.list({ email: 'pages@example.test', limit: 5 }).autoPagingToArray({ limit: 100 })
    expect(all.map(({ id }) => id)).toEqual(made)
    const before = await stripe.customers.list({ email: 'pages@example.test', limit: 3, ending_before: made[10]! })
    expect(before.data.map(({ id }) => id)).toEqual(made.slice(7, 10))
  })

  it('the test provider lists events by time and type', async () => {
    const start = Math.floor(Date.now() / 1_000)
    const id = await bought()
    const types = ['customer.subscription.created', 'invoice.paid']
    const { data } = await stripe.events.list({ created: { gte: start }, types, limit: 2 })
    expect(data.map(({ type }) => type)).toEqual(types.toReversed())
    expect((data[1]!.data.object as Stripe.Subscription).id).toBe(id)
    expect((await stripe.events.retrieve(data[1]!.id)).created).toBe(data[1]!.created)
    expect((await stripe.events.list({ created: { gt: start + 3_600 } })).data).toEqual([])
  })

  it('the test provider refuses an invalid order with the code and parameter of Stripe', async () => {
    const cases: readonly (readonly [object, string, string])[] = [
      [{ ...ORDER, price: 1 }, 'parameter_unknown', 'price'],
      [{ ...ORDER, subscription_data: { amount: 1 } }, 'parameter_unknown', 'subscription_data[amount]'],
      [{ ...ORDER, line_items: [{ price: 'price_none' }] }, 'resource_missing', 'line_items[0][price]'],
      [{ ...ORDER, line_items: [{ quantity: 1 }] }, 'parameter_missing', 'line_items[0][price]'],
      [{ ...ORDER, line_items: undefined }, 'parameter_missing', 'line_items'],
      [{ mode: 'subscription', line_items: ORDER.line_items }, 'parameter_missing', 'success_url'],
      [{ ...ORDER, success_url: '/done' }, 'url_invalid', 'success_url'],
      [{ ...ORDER, customer: 'cus_none' }, 'resource_missing', 'customer'],
      [{ ...ORDER, customer_email: 'nobody' }, 'email_invalid', 'customer_email'],
      [{ ...ORDER, client_reference_id: 'a b' }, 'parameter_invalid', 'client_reference_id'],
      [{ ...ORDER, metadata: { a: 'x'.repeat(501) } }, 'parameter_invalid', 'metadata'],
    ]
    for (const [order, code, param] of cases) {
      const error = await failureOf(stripe.checkout.sessions.create(order as never))
      const what = `${code} of ${param}`
      expect.soft(error, what).toBeInstanceOf(Stripe.errors.StripeInvalidRequestError)
      expect.soft([error.statusCode, error.code, error.param], what).toEqual([400, code, param])
    }
  })

  it('the test provider refuses unknown paths, keys and ids', async () => {
    expect((await failureOf(stripe.refunds.list())).statusCode).toBe(404)
    expect((await failureOf(stripe.subscriptions.retrieve('sub_none'))).statusCode).toBe(404)
    expect((await failureOf(stripe.customers.list({ limit: 101 }))).code).toBe('parameter_invalid_integer')
    const error = await failureOf(clientOf('sk_test_another').customers.list())
    expect(error).toBeInstanceOf(Stripe.errors.StripeAuthenticationError)
    expect(error.message).not.toContain('another')
  })

  it('the test provider executes an idempotency key once and refuses it for another request', async () => {
    const before = (await provider.sessions()).length
    const create = (success_url: string = ORDER.success_url) =>
      stripe.checkout.sessions.create({ ...ORDER, success_url }, { idempotencyKey: 'order-1' })
    const [first, second] = [await create(), await create()]
    expect(second.id).toBe(first.id)
    expect(second.lastResponse.headers['idempotent-replayed']).toBe('true')
    expect(await failureOf(create('https://shop.example/other'))).toBeInstanceOf(Stripe.errors.StripeIdempotencyError)
    expect((await provider.sessions()).length).toBe(before + 1)
  })

  it('the test provider executes a request once, even if it is retried after errors and cut connections', async () => {
    const before = (await provider.sessions()).length
    await provider.trouble({ times: 2, status: 503 })
    await stripe.checkout.sessions.create(ORDER)
    await provider.trouble({ times: 1, reset: 'after', path: '/v1/checkout' })
    await stripe.checkout.sessions.create(ORDER)
    expect((await provider.sessions()).length).toBe(before + 2)
    const [refused, answered] = (await provider.calls()).slice(-2)
    expect([refused!.path, answered!.idempotencyKey], 'the key of the cut request is sent again').toEqual([
      '/v1/checkout/sessions',
      refused!.idempotencyKey,
    ])
    await provider.trouble({ times: 'until told', status: 503 })
    expect((await failureOf(clientOf(KEY, 0).prices.list())).statusCode).toBe(503)
    await provider.trouble(null)
    expect((await stripe.prices.list()).data.map(({ id }) => id)).toEqual([PRICE.id])
  })
})

describe('events of the test provider', () => {
  const verified = ({ body, signature }: Received) => Stripe.webhooks.constructEvent(body, signature, SECRET)

  it('the test provider signs events as the Stripe SDK verifies them', async () => {
    await bought()
    const types = received.map(event => verified(event).type)
    expect(types).toEqual([
      'customer.created',
      'payment_method.attached',
      'customer.subscription.created',
      'charge.succeeded',
      'invoice.payment_succeeded',
      'invoice.paid',
      'checkout.session.completed',
    ])
  })

  it('the test provider repeats, reverses, shuffles, holds back or drops events on request', async () => {
    const ids = () => received.splice(0).map(event => verified(event).id)
    const newest = async (count: number) => (await provider.events()).slice(-count).map(({ id }) => id)
    await provider.delivery({ order: 'reversed', copies: 2 })
    await bought()
    expect(ids()).toEqual((await newest(7)).toReversed().flatMap(id => [id, id]))
    await provider.delivery({ order: 'shuffled' })
    await bought()
    const shuffled = ids()
    expect(shuffled).not.toEqual(await newest(7))
    expect(shuffled.toSorted()).toEqual((await newest(7)).toSorted())
    await provider.delivery({ held: true })
    await bought()
    expect(ids()).toEqual([])
    await provider.delivery({ drop: 2 })
    await bought()
    expect(ids()).toEqual((await newest(14)).filter((_, index) => index !== 7 && index !== 8))
  })

  it('the test provider signs events with a wrong secret or time on request', async () => {
    for (const manner of [{ secret: 'whsec_other' }, { skewSeconds: -301 }]) {
      await provider.delivery(manner)
      await provider.sendThin('v1.billing.meter.no_meter_found', 'mtr_1')
      expect(() => verified(received.pop()!)).toThrow(Stripe.errors.StripeSignatureVerificationError)
    }
  })

  it('if Stripe moved a field, the test provider can return it at the old or the new place', async () => {
    const id = await bought()
    const subscription = async () => (await stripe.subscriptions.retrieve(id)) as unknown as Record<string, unknown>
    expect(await subscription()).not.toHaveProperty('current_period_end')
    await provider.shape({ period: 'subscription', invoice: 'subscription' })
    expect(await subscription()).toHaveProperty('current_period_end')
    await provider.failPayment(id)
    const failed = received.map(verified).find(({ type }) => type === 'invoice.payment_failed')!
    expect(failed.data.object).toHaveProperty('subscription', id)
    await provider.shape({ period: 'item', invoice: 'parent' })
  })
})
