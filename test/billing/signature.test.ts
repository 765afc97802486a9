import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { verifyEvent } from '../../src/billing/stripe.ts'
import { signed } from '../fixtures/provider/delivery.ts'
import { type Answer, refused, SECOND_MS, type Shop, shop, WEBHOOK_SECRET } from './shop.ts'

const OLD_SECRET = 'whsec_former_secret_of_the_tests_9876'
const PATH = '/v2/billing/webhook'

let s: Shop
let count = 0
beforeAll(async () => {
  s = await shop({ env: { STRIPE_WEBHOOK_SECRET: `${WEBHOOK_SECRET},${OLD_SECRET}` } })
})
afterAll(() => s.close())

const seconds = (): number => s.now().getTime() / SECOND_MS
/** An event of an ignored type, written over several lines as the provider does. */
const event = (more: object = {}): string =>
  JSON.stringify(
    { id: `evt_${++count}`, object: 'event', type: 'product.created', created: seconds(), livemode: false, data: { object: {} }, ...more },
    null,
    2,
  )
const stored = () => s.rows<{ id: string; state: string }>('SELECT id, state FROM payment_event')
const send = (body: string, headers: Readonly<Record<string, string>>): Promise<Answer> => s.call('POST', PATH, headers, body)
const sendSigned = (body: string, timestamp = seconds(), secret = WEBHOOK_SECRET) =>
  send(body, { 'payment-signature': signed(body, secret, timestamp) })
const ACCEPTED = [200, { received: true, duplicate: false }]
const statusAndBody = ({ status, json }: Answer) => [status, json]

let before = 0
beforeEach(() => {
  before = stored().length
})
/** Status and code of a delivery, and the number of events stored since the last check. */
const refusedUnstored = (answer: Answer) => {
  const added = stored().length - before
  before += added
  if (answer.json.error) expect(answer.json.detail).toBe(answer.json.error.error_message)
  return [...refused(answer), added]
}
const BAD = [400, 'invalid_signature', 0]

describe('signatures', () => {
  it('P1: a signed event is accepted and stored', async () => {
    expect(statusAndBody(await sendSigned(event()))).toEqual(ACCEPTED)
    expect(stored()).toHaveLength(before + 1)
  })

  it('P1: if an event cannot be stored, it gets 503 and is accepted when it is sent again', async () => {
    const { db } = s.service.control
    db.pragma('query_only = ON')
    const body = event()
    const answer = await sendSigned(body)
    db.pragma('query_only = OFF')
    expect(refusedUnstored(answer)).toEqual([503, 'not_writable', 0])
    expect(statusAndBody(await sendSigned(body))).toEqual(ACCEPTED)
  })

  it('P1: an unsigned event is refused', async () => expect(refusedUnstored(await send(event(), {}))).toEqual(BAD))

  it('P1: an event signed with another secret is refused', async () => {
    for (const secret of ['whsec_other', `${WEBHOOK_SECRET} `, `${WEBHOOK_SECRET},${OLD_SECRET}`])
      expect(refusedUnstored(await sendSigned(event(), seconds(), secret))).toEqual(BAD)
  })

  it('P1: an event changed after signing is refused, even by one space or reformatting', async () => {
    const body = event()
    const header = { 'payment-signature': signed(body, WEBHOOK_SECRET, seconds()) }
    for (const changed of [`${body} `, body.replace('{', '{ '), JSON.stringify(JSON.parse(body)), body.replace('product', 'Product')])
      expect(refusedUnstored(await send(changed, header))).toEqual(BAD)
    expect(statusAndBody(await send(body, header))).toEqual(ACCEPTED)
  })

  it('P1: an event with a malformed signature is refused', async () => {
    for (const header of ['', 't=', 'v1=abc', 't=now,v1=', 'x'.repeat(5_000), '🔑'.codePointAt(0)!.toString()])
      expect.soft(refusedUnstored(await send(event(), { 'payment-signature': header })), `signature ${header.slice(0, 60)}`).toEqual(BAD)
  })

  it('P1: an event signed only under another scheme is refused', async () => {
    const body = event()
    const header = signed(body, WEBHOOK_SECRET, seconds()).replace('v1=', 'v0=')
    expect(refusedUnstored(await send(body, { 'payment-signature': header }))).toEqual(BAD)
  })

  it('P1: a signed body that is not an event is refused', async () => {
    for (const body of ['', 'null', '[]', '7', '"text"', '{}', '{"id":7}', '{', '{"id":"evt_x"}'])
      expect.soft(refusedUnstored(await sendSigned(body)), `body ${body}`).toEqual(BAD)
  })
})

describe('signature times', () => {
  it('P2: a signature is accepted if its time is at most 300 seconds from now, and refused otherwise', async () => {
    for (const skew of [-301, 301, 3_600, -3_600, 86_400 * 365])
      expect.soft(refusedUnstored(await sendSigned(event(), seconds() + skew)), `${skew} s`).toEqual(BAD)
    for (const skew of [-300, 0, 300])
      expect.soft(statusAndBody(await sendSigned(event(), seconds() + skew)), `${skew} s`).toEqual(ACCEPTED)
  })

  it('P2: a second timestamp in the signature header does not replace the signed timestamp', async () => {
    const body = event()
    const old = signed(body, WEBHOOK_SECRET, seconds() - 3_600)
    for (const header of [`t=${seconds()},${old}`, `${old},t=${seconds()}`, `t=${seconds()},${old},t=${seconds()}`])
      expect(refusedUnstored(await send(body, { 'payment-signature': header })), header).toEqual(BAD)
  })
})

describe('signature headers', () => {
  it('P3: a signature is accepted in either of the two headers, and in both if they are equal', async () => {
    for (const names of [['payment-signature'], ['stripe-signature'], ['payment-signature', 'stripe-signature']]) {
      const body = event()
      const signature = signed(body, WEBHOOK_SECRET, seconds())
      expect(statusAndBody(await send(body, Object.fromEntries(names.map(name => [name, signature])))), names.join()).toEqual(ACCEPTED)
    }
  })

  it('P3: differing signature headers are refused, even if one of the signatures is right', async () => {
    const body = event()
    const [right, wrong] = [signed(body, WEBHOOK_SECRET, seconds()), signed(body, 'whsec_other', seconds())]
    expect(refusedUnstored(await send(body, { 'payment-signature': right, 'stripe-signature': wrong }))).toEqual(BAD)
    expect(refusedUnstored(await send(body, { 'payment-signature': wrong, 'stripe-signature': right }))).toEqual(BAD)
    expect(refusedUnstored(await send(body, { 'payment-signature': '', 'stripe-signature': right }))).toEqual(BAD)
  })

  it.each(['Payment-Signature', 'Stripe-Signature'])('P3: a repeated %s header is refused, even with equal values', async name => {
    const body = event()
    const signature = signed(body, WEBHOOK_SECRET, seconds())
    const sent = request(`${s.url}${PATH}`, { method: 'POST', headers: { [name]: [signature, signature] } })
    sent.end(body)
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    expect([response.statusCode, JSON.parse(await text(response)).error.error_code]).toEqual([400, 'repeated_header'])
    expect(stored()).toHaveLength(before)
  })
})

describe('rotation of the webhook secret', () => {
  it('P1: both webhook secrets are accepted during a rotation, also in one header with two signatures', async () => {
    for (const secret of [WEBHOOK_SECRET, OLD_SECRET]) expect(statusAndBody(await sendSigned(event(), seconds(), secret))).toEqual(ACCEPTED)
    const body = event()
    const [, other] = signed(body, 'whsec_yet_to_come', seconds()).split(',')
    expect(statusAndBody(await send(body, { 'payment-signature': `${signed(body, OLD_SECRET, seconds())},${other}` }))).toEqual(ACCEPTED)
  })

  it('P1: a removed webhook secret is refused', () => {
    const body = event()
    const verified = (secret: string) => verifyEvent(Buffer.from(body), signed(body, secret, seconds()), [WEBHOOK_SECRET], s.now())
    expect(verified(OLD_SECRET)).toBeUndefined()
    expect(verified(WEBHOOK_SECRET)).toMatchObject({ id: JSON.parse(body).id })
  })
})

describe('ignored events', () => {
  it('P10: a thin event is accepted and ignored', async () => {
    const { deliveries } = await s.provider.sendThin('v1.billing.meter.error_report_triggered', 'mtr_1')
    expect(deliveries.map(({ status, answer }) => [status, JSON.parse(answer)])).toEqual([ACCEPTED])
    await s.settled()
    expect(s.rows('SELECT state, created FROM payment_event WHERE id = ?', deliveries[0]!.event)).toEqual([
      { state: 'ignored', created: seconds() },
    ])
  })

  it('P10: an event of an unknown type is accepted and ignored', async () => {
    const calls = (await s.provider.calls()).length
    const { deliveries } = await s.provider.send({ type: 'customer.subscription.trial_will_end', object: { id: 'sub_1' } })
    expect(deliveries[0]!.status).toBe(200)
    await s.settled()
    expect(stored().at(-1)!.state).toBe('ignored')
    expect(await s.provider.calls()).toHaveLength(calls)
  })

  it('P10: an event of test mode in a live service, or of live mode in a test service, is accepted and ignored', async () => {
    const member = s.member()
    const id = await s.buy(member)
    await s.provider.delivery({ drop: 'all' })
    await s.provider.cancel(id)
    await s.provider.delivery({})
    const calls = (await s.provider.calls()).length
    await s.provider.send({ type: 'customer.subscription.deleted', object: { id, object: 'subscription' }, livemode: true })
    await s.settled()
    expect(await s.planOf(member)).toBe('pro')
    expect(await s.provider.calls()).toHaveLength(calls)
    await s.provider.send({ type: 'customer.subscription.deleted', object: { id, object: 'subscription' }, livemode: false })
    await s.settled()
    expect(await s.planOf(member)).toBe('free')
  })

  it('P10: an event that names no subscription is accepted and ignored', async () => {
    for (const data of [{ object: {} }, { object: { id: 7 } }, {}, null])
      for (const type of ['checkout.session.completed', 'customer.subscription.updated', 'invoice.paid'])
        expect.soft(statusAndBody(await sendSigned(event({ type, data }))), `${type} with ${JSON.stringify(data)}`).toEqual(ACCEPTED)
    await s.settled()
    expect(s.rows('SELECT DISTINCT state FROM payment_event WHERE received_at >= ? AND attempts > 1', '2026')).toEqual([])
  })

  it('P10: an event of 2 MiB is refused, an event of 512 KiB is accepted', async () => {
    const big = (bytes: number) => event({ data: { object: { padding: 'x'.repeat(bytes) } } })
    const answer = await sendSigned(big(2 * 1024 * 1024))
    expect(refusedUnstored(answer)).toEqual([413, 'too_large', 0])
    expect(statusAndBody(await sendSigned(big(512 * 1024)))).toEqual(ACCEPTED)
  })

  it('P10: an event is accepted with any content type and refused with a content encoding', async () => {
    for (const type of ['text/plain', 'application/octet-stream', 'application/json; charset=utf-8', 'application/x-www-form-urlencoded']) {
      const body = event()
      const headers = { 'payment-signature': signed(body, WEBHOOK_SECRET, seconds()), 'content-type': type }
      expect(statusAndBody(await send(body, headers)), type).toEqual(ACCEPTED)
    }
    before = stored().length
    const body = event()
    const headers = { 'payment-signature': signed(body, WEBHOOK_SECRET, seconds()), 'content-encoding': 'gzip' }
    expect(refusedUnstored(await send(body, headers))).toEqual([415, 'unsupported_media_type', 0])
  })
})
