import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { signed } from '../../fixtures/provider/delivery.ts'
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
/** An event nobody applies, as the provider writes it: over several lines. */
const event = (more: object = {}): string =>
  JSON.stringify(
    { id: `evt_${++count}`, object: 'event', type: 'product.created', created: seconds(), livemode: false, data: { object: {} }, ...more },
    null,
    2,
  )
const stored = () => s.rows<{ id: string; state: string }>('SELECT id, state FROM payment_event')
const send = (body: string, headers: Readonly<Record<string, string>>): Promise<Answer> => s.call('POST', PATH, headers, body)
const sendSigned = (body: string, at = seconds(), secret = WEBHOOK_SECRET) => send(body, { 'payment-signature': signed(body, secret, at) })
const TAKEN = [200, { received: true, duplicate: false }]
const taken = ({ status, json }: Answer) => [status, json]

let before = 0
beforeEach(() => {
  before = stored().length
})
/** The refusal of a delivery that left nothing behind. */
const refusedUnstored = (answer: Answer) => {
  expect(stored()).toHaveLength(before)
  expect(answer.json.detail).toBe(answer.json.error.error_message)
  return refused(answer)
}
const BAD = [400, 'invalid_signature']

describe('P1: an event', () => {
  it('that is signed is taken and stored', async () => {
    expect(taken(await sendSigned(event()))).toEqual(TAKEN)
    expect(stored()).toHaveLength(before + 1)
  })

  it('that cannot be stored, since the disk is full, is refused with 503, so that the provider sends it again', async () => {
    const { db } = s.service.control
    db.pragma('query_only = ON')
    const body = event()
    const answer = await sendSigned(body)
    db.pragma('query_only = OFF')
    expect(refusedUnstored(answer)).toEqual([503, 'not_writable'])
    expect(taken(await sendSigned(body))).toEqual(TAKEN)
  })

  it('without a signature is refused', async () => expect(refusedUnstored(await send(event(), {}))).toEqual(BAD))

  it('signed with another secret is refused', async () => {
    for (const secret of ['whsec_other', `${WEBHOOK_SECRET} `, `${WEBHOOK_SECRET},${OLD_SECRET}`])
      expect(refusedUnstored(await sendSigned(event(), seconds(), secret))).toEqual(BAD)
  })

  it('changed after it was signed is refused: by a space, and by being written anew', async () => {
    const body = event()
    const header = { 'payment-signature': signed(body, WEBHOOK_SECRET, seconds()) }
    for (const changed of [`${body} `, body.replace('{', '{ '), JSON.stringify(JSON.parse(body)), body.replace('product', 'Product')])
      expect(refusedUnstored(await send(changed, header))).toEqual(BAD)
    expect(taken(await send(body, header))).toEqual(TAKEN)
  })

  it.each(['', 't=', 'v1=abc', 't=now,v1=', 'x'.repeat(5_000), '🔑'.codePointAt(0)!.toString()])(
    'with the signature %j is refused',
    async header => expect(refusedUnstored(await send(event(), { 'payment-signature': header }))).toEqual(BAD),
  )

  it('signed under another scheme only is refused', async () => {
    const body = event()
    const header = signed(body, WEBHOOK_SECRET, seconds()).replace('v1=', 'v0=')
    expect(refusedUnstored(await send(body, { 'payment-signature': header }))).toEqual(BAD)
  })

  it.each(['', 'null', '[]', '7', '"text"', '{}', '{"id":7}', '{', '{"id":"evt_x"}'])(
    'that is %j is refused, signed as it is',
    async body => expect(refusedUnstored(await sendSigned(body))).toEqual(BAD),
  )
})

describe('P2: the time of a signature', () => {
  it.each([-301, 301, 3_600, -3_600, 86_400 * 365])('%i seconds from now is refused', async skew =>
    expect(refusedUnstored(await sendSigned(event(), seconds() + skew))).toEqual(BAD),
  )

  it.each([-300, 0, 300])('%i seconds from now is taken', async skew =>
    expect(taken(await sendSigned(event(), seconds() + skew))).toEqual(TAKEN),
  )

  it('is the one that was signed, not one put before or after it', async () => {
    const body = event()
    const old = signed(body, WEBHOOK_SECRET, seconds() - 3_600)
    for (const header of [`t=${seconds()},${old}`, `${old},t=${seconds()}`, `t=${seconds()},${old},t=${seconds()}`])
      expect(refusedUnstored(await send(body, { 'payment-signature': header })), header).toEqual(BAD)
  })
})

describe('P3: the signature in one header or two', () => {
  it('is taken from either, and from both when they are one', async () => {
    for (const names of [['payment-signature'], ['stripe-signature'], ['payment-signature', 'stripe-signature']]) {
      const body = event()
      const signature = signed(body, WEBHOOK_SECRET, seconds())
      expect(taken(await send(body, Object.fromEntries(names.map(name => [name, signature])))), names.join()).toEqual(TAKEN)
    }
  })

  it('is refused when they differ, whichever is right', async () => {
    const body = event()
    const [right, wrong] = [signed(body, WEBHOOK_SECRET, seconds()), signed(body, 'whsec_other', seconds())]
    expect(refusedUnstored(await send(body, { 'payment-signature': right, 'stripe-signature': wrong }))).toEqual(BAD)
    expect(refusedUnstored(await send(body, { 'payment-signature': wrong, 'stripe-signature': right }))).toEqual(BAD)
    expect(refusedUnstored(await send(body, { 'payment-signature': '', 'stripe-signature': right }))).toEqual(BAD)
  })

  it.each(['Payment-Signature', 'Stripe-Signature'])('is refused when %s comes twice, the same one too', async name => {
    const body = event()
    const signature = signed(body, WEBHOOK_SECRET, seconds())
    const sent = request(`${s.url}${PATH}`, { method: 'POST', headers: { [name]: [signature, signature] } })
    sent.end(body)
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    expect([response.statusCode, JSON.parse(await text(response)).error.error_code]).toEqual([400, 'repeated_header'])
    expect(stored()).toHaveLength(before)
  })
})

describe('while the webhook secret is rotated', () => {
  it('both secrets are taken, and a header that carries both signatures', async () => {
    for (const secret of [WEBHOOK_SECRET, OLD_SECRET]) expect(taken(await sendSigned(event(), seconds(), secret))).toEqual(TAKEN)
    const body = event()
    const [, other] = signed(body, 'whsec_yet_to_come', seconds()).split(',')
    expect(taken(await send(body, { 'payment-signature': `${signed(body, OLD_SECRET, seconds())},${other}` }))).toEqual(TAKEN)
  })

  it('a former secret that was taken out is refused', async () => {
    const later = await shop()
    const body = event()
    const answer = (secret: string) => later.call('POST', PATH, { 'payment-signature': signed(body, secret, seconds()) }, body)
    expect(refused(await answer(OLD_SECRET))).toEqual(BAD)
    expect(taken(await answer(WEBHOOK_SECRET))).toEqual(TAKEN)
    await later.close()
  })
})

describe('P10: an event of no concern to us', () => {
  it('of the newer, thin kind is taken and left alone', async () => {
    const { deliveries } = await s.provider.sendThin('v1.billing.meter.error_report_triggered', 'mtr_1')
    expect(deliveries.map(({ status, answer }) => [status, JSON.parse(answer)])).toEqual([TAKEN])
    await s.settled()
    expect(s.rows('SELECT state, created FROM payment_event WHERE id = ?', deliveries[0]!.event)).toEqual([
      { state: 'ignored', created: seconds() },
    ])
  })

  it('of an unknown type is taken and left alone', async () => {
    const calls = (await s.provider.calls()).length
    const { deliveries } = await s.provider.send({ type: 'customer.subscription.trial_will_end', object: { id: 'sub_1' } })
    expect(deliveries[0]!.status).toBe(200)
    await s.settled()
    expect(stored().at(-1)!.state).toBe('ignored')
    expect(await s.provider.calls()).toHaveLength(calls)
  })

  it('of the other mode is taken and left alone', async () => {
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

  it.each([{ object: {} }, { object: { id: 7 } }, {}, null])('and names nothing (%j) is taken and left alone', async data => {
    for (const type of ['checkout.session.completed', 'customer.subscription.updated', 'invoice.paid'])
      expect(taken(await sendSigned(event({ type, data })))).toEqual(TAKEN)
    await s.settled()
    expect(s.rows('SELECT DISTINCT state FROM payment_event WHERE received_at >= ? AND attempts > 1', '2026')).toEqual([])
  })

  it('of 2 MB is refused, and one of half a megabyte is taken', async () => {
    const big = (bytes: number) => event({ data: { object: { padding: 'x'.repeat(bytes) } } })
    const answer = await sendSigned(big(2 * 1024 * 1024))
    expect(refusedUnstored(answer)).toEqual([413, 'too_large'])
    expect(taken(await sendSigned(big(512 * 1024)))).toEqual(TAKEN)
  })

  it('is read whatever its content type says, and never unpacked', async () => {
    for (const type of ['text/plain', 'application/octet-stream', 'application/json; charset=utf-8', 'application/x-www-form-urlencoded']) {
      const body = event()
      const headers = { 'payment-signature': signed(body, WEBHOOK_SECRET, seconds()), 'content-type': type }
      expect(taken(await send(body, headers)), type).toEqual(TAKEN)
    }
    before = stored().length
    const body = event()
    const headers = { 'payment-signature': signed(body, WEBHOOK_SECRET, seconds()), 'content-encoding': 'gzip' }
    expect(refusedUnstored(await send(body, headers))).toEqual([415, 'unsupported_media_type'])
  })
})
