import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { informWithoutEnd } from '../fixtures/informational.ts'
import { type Hooks, hooks, type Named } from './hooks.ts'
import { type Received, receiver } from './receiver.ts'

let h: Hooks
beforeAll(async () => {
  h = await hooks()
})
beforeEach(() => h.reset())
afterAll(async () => {
  expect(h.leaked(), 'secrets of this run in log lines').toEqual([])
  await h.close()
})

const HOUR = 60
const DAY = 24 * HOUR

describe('messages', () => {
  it('a message has the signature of the standardwebhooks library and passes its verification', async () => {
    const endpoint = await h.endpoint()
    const id = await h.test(endpoint)
    await h.sendDue()
    const [message] = h.receiver.taken()
    expect(message).toMatchObject({
      path: '/hook',
      id,
      headers: { 'content-type': 'application/json', 'webhook-timestamp': String(h.now().getTime() / 1_000) },
      event: { type: 'webhook.test', timestamp: '2026-07-01T20:00:00.000+08:00', data: { webhook_id: endpoint.webhook_id } },
    })
    const signature = message!.headers['webhook-signature']
    // The verifier requires a timestamp near the current time, but this service has a fixed clock.
    const now = Math.floor(Date.now() / 1_000)
    const again = { id, timestamp: new Date(), body: message!.body }
    expect(new Webhook(endpoint.secret).sign(id, h.now(), message!.body)).toBe(signature)
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': String(now),
      'webhook-signature': new Webhook(endpoint.secret).sign(id, again.timestamp, again.body),
    }
    expect(new Webhook(endpoint.secret).verify(message!.body, headers)).toEqual(message!.event)
  })

  it('for a day after a secret is rotated, each message has two signatures', async () => {
    const endpoint = await h.endpoint()
    const next = (await h.call(endpoint, 'POST', 'rotate')).json()
    expect(next.former_secret_until).toBe('2026-07-02T20:00:00.000+08:00')
    const takenBy = async () => {
      await h.test(endpoint)
      await h.sendDue()
      const [{ id, body, headers }] = h.receiver.taken() as [Received]
      const signatures = headers['webhook-signature']!.split(' ')
      return [endpoint.secret, next.secret].map(secret => signatures.includes(new Webhook(secret).sign(id, h.now(), body)))
    }
    expect(await takenBy()).toEqual([true, true])
    h.pass(DAY)
    expect(await takenBy()).toEqual([false, true])
  })

  it('a message is tried ten times at growing intervals, then fails; a resend keeps its id', async () => {
    const endpoint = await h.endpoint()
    h.receiver.answers(response => void response.writeHead(500).end())
    const id = await h.test(endpoint)
    await h.sendDue()
    const gaps: number[] = []
    for (let [{ next_at: next }] = await h.deliveries(endpoint); next !== null; [{ next_at: next }] = await h.deliveries(endpoint)) {
      const wait = (Date.parse(next) - h.now().getTime()) / 1_000
      gaps.push(wait)
      h.pass(wait / 60 - 0.01)
      await h.sendDue()
      expect(h.receiver.messages).toHaveLength(gaps.length)
      h.pass(0.011)
      await h.sendDue()
    }
    expect(h.receiver.taken().map(one => one.id)).toEqual(Array.from({ length: 10 }, () => id))
    const planned = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
    expect(gaps.map((gap, at) => gap >= planned[at]! && gap <= planned[at]! * 1.1 + 1)).toEqual(planned.map(() => true))
    const [delivery] = await h.deliveries(endpoint)
    expect(delivery).toMatchObject({ message_id: id, type: 'webhook.test', status: 'failed', next_at: null })
    expect(delivery.attempts.map(({ status, error }: { status: number; error: null }) => [status, error])).toEqual(
      Array.from({ length: 10 }, () => [500, null]),
    )
    h.receiver.answers(response => void response.writeHead(204).end())
    expect((await h.call(endpoint, 'POST', `deliveries/${id}/resend`)).json()).toEqual({ webhook_id: endpoint.webhook_id, resent: 1 })
    await h.sendDue()
    expect(h.receiver.taken().map(one => one.id)).toEqual([id])
    expect(await h.deliveries(endpoint)).toMatchObject([{ message_id: id, status: 'delivered' }])
    expect(await h.seen(endpoint)).toMatchObject({ failing_since: null, waiting: 0 })
  })

  it('a failed message does not delay later messages; a resend since a time sends the failed message again without delay', async () => {
    const endpoint = await h.endpoint()
    let isDown = true
    h.receiver.answers(response => void response.writeHead(isDown ? 502 : 200).end())
    const first = await h.test(endpoint)
    await h.sendDue()
    isDown = false
    const [second, third] = [await h.test(endpoint), await h.test(endpoint)]
    await h.sendDue()
    expect(h.receiver.taken().map(({ id }) => id)).toEqual([first, second, third])
    const resend = (since: string) => h.call(endpoint, 'POST', 'resend', { since })
    expect((await resend('2026-07-01T20:00:01+08:00')).json().resent).toBe(0)
    expect((await resend('2026-07-01')).json().resent).toBe(1)
    await h.sendDue()
    expect(h.receiver.taken().map(({ id }) => id)).toEqual([first])
  })

  it.each([200, 500])('if a message is resent during its first attempt, it is sent again after the attempt gets %i', async status => {
    const endpoint = await h.endpoint()
    const id = await h.test(endpoint)
    h.pass(1)
    h.receiver.answers(response => {
      h.receiver.answers(next => void next.end())
      void h.call(endpoint, 'POST', `deliveries/${id}/resend`).then(() => response.writeHead(status).end())
    })
    await h.sendDue()
    expect(h.receiver.taken().map(one => one.id)).toEqual([id, id])
    expect(await h.deliveries(endpoint)).toMatchObject([{ message_id: id, status: 'delivered' }])
  })

  it('a message waits for Retry-After in seconds or as a date', async () => {
    const endpoint = await h.endpoint()
    h.receiver.answers(response => void response.writeHead(429, { 'retry-after': '3600' }).end())
    await h.test(endpoint)
    await h.sendDue()
    expect(await h.deliveries(endpoint)).toMatchObject([{ next_at: '2026-07-01T21:00:00.000+08:00' }])
    h.receiver.answers(response => void response.writeHead(503, { 'retry-after': 'Thu, 02 Jul 2026 00:00:00 GMT' }).end())
    h.pass(HOUR)
    await h.sendDue()
    expect(await h.deliveries(endpoint)).toMatchObject([{ next_at: '2026-07-02T08:00:00.000+08:00' }])
  })
})

describe('resends during Retry-After', () => {
  const deferred = async () => {
    const endpoint = await h.endpoint()
    h.receiver.answers(response => void response.writeHead(503, { 'retry-after': '86400' }).end())
    const id = await h.test(endpoint)
    await h.sendDue()
    h.pass(1)
    h.receiver.answers(response => void response.end())
    await h.sendDue()
    expect([h.receiver.taken().map(one => one.id), (await h.seen(endpoint)).held_until]).toEqual([[id], expect.any(String)])
    return { endpoint, id }
  }

  it('a resend by the owner ignores the Retry-After of the receiver', async () => {
    for (const [path, body] of [['deliveries/:id/resend'], ['resend', { since: '2026-07-01' }]] as const) {
      const { endpoint, id } = await deferred()
      expect((await h.call(endpoint, 'POST', path.replace(':id', id), body)).json()).toMatchObject({ resent: 1 })
      await h.sendDue()
      expect([h.receiver.taken().map(one => one.id), (await h.seen(endpoint)).held_until]).toEqual([[id], null])
      await h.call(endpoint, 'DELETE')
    }
  })

  it('a resend by the operator ignores the Retry-After of the receiver', async () => {
    const { endpoint, id } = await deferred()
    expect(h.control.webhooks.oversight.resend(endpoint.webhook_id, id, h.now())).toBe(1)
    await h.sendDue()
    expect(h.receiver.taken().map(one => one.id)).toEqual([id])
  })
})

describe('misbehaving receivers', () => {
  const outcomes = async (endpoint: Named) =>
    (await h.deliveries(endpoint))[0].attempts.map(({ status, error }: Record<string, unknown>) => status ?? error)

  it('redirects of a receiver are not followed', async () => {
    const endpoint = await h.endpoint()
    h.receiver.answers(response => void response.writeHead(307, { location: 'http://169.254.169.254/latest/meta-data/' }).end())
    await h.test(endpoint)
    await h.sendDue()
    expect(await outcomes(endpoint)).toEqual([307])
    expect(h.receiver.messages).toHaveLength(1)
  })

  it('a receiver that hangs times out and does not delay messages to others', async () => {
    const other = await h.signIn('other@example.test')
    const [endpoint] = [await h.endpoint(), await h.endpoint({ url: `${h.receiver.url}/other`, events: ['key.created'] }, other)]
    h.receiver.answers((response, { path }) => void (path === '/hook/other' && response.end()))
    await h.test(endpoint)
    await h.as(other, 'POST', 'api-keys')
    const impatient = h.open(300)
    await impatient.sendDue()
    await impatient.close()
    expect(await outcomes(endpoint)).toEqual(['timed_out'])
    expect(h.receiver.messages.map(({ path }) => path).toSorted()).toEqual(['/hook', '/hook/other'])
  })

  it('a receiver that switches protocols counts as failed', async () => {
    const endpoint = await h.endpoint()
    h.receiver.answers(
      response => void response.socket!.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
    )
    await h.test(endpoint)
    await h.sendDue()
    expect(await outcomes(endpoint)).toEqual([101])
  })

  it('an endless response is cut off and counts as delivered', async () => {
    const endpoint = await h.endpoint()
    h.receiver.answers(response => {
      const more = (error?: Error | null): void => {
        if (!error && !response.destroyed) setImmediate(() => response.write(Buffer.alloc(16_384), more))
      }
      more()
    })
    await h.test(endpoint)
    await h.sendDue()
    expect(await outcomes(endpoint)).toEqual([200])
  })

  it('endless informational responses end the attempt as a broken connection', async () => {
    const endpoint = await h.endpoint()
    let sent = (): number => 0
    h.receiver.answers(response => {
      sent = informWithoutEnd(response)
    })
    await h.test(endpoint)
    await h.sendDue()
    expect(await outcomes(endpoint)).toEqual(['connection_broken'])
    expect(sent()).toBeLessThan(10_000)
  })

  it('an endpoint may send early hints before its response', async () => {
    const endpoint = await h.endpoint()
    h.receiver.answers(response => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload' })
      response.end()
    })
    await h.test(endpoint)
    await h.sendDue()
    expect(await outcomes(endpoint)).toEqual([200])
  })

  it('a broken and a refused connection are reported as connection_broken and connection_refused', async () => {
    const unreliable = await receiver()
    const endpoint = await h.endpoint({ url: unreliable.url })
    unreliable.answers(response => void response.destroy())
    await h.test(endpoint)
    await h.sendDue()
    unreliable.close()
    h.pass(1)
    await h.sendDue()
    expect(await outcomes(endpoint)).toEqual(['connection_broken', 'connection_refused'])
  })

  it('if the URL of an endpoint is no longer allowed, the endpoint receives no message', async () => {
    const endpoint = await h.endpoint()
    await h.test(endpoint)
    const strict = h.open(15_000, false)
    await strict.sendDue()
    await strict.close()
    expect(await outcomes(endpoint)).toEqual(['url_not_allowed'])
    expect(h.receiver.messages).toEqual([])
  })

  it('a receiver that answers 410 is disabled and its owner gets a mail', async () => {
    const endpoint = await h.endpoint()
    h.receiver.answers(response => void response.writeHead(410).end())
    await h.test(endpoint)
    await h.test(endpoint)
    await h.sendDue()
    expect(h.receiver.messages).toHaveLength(1)
    expect(await h.seen(endpoint)).toMatchObject({ status: 'disabled', disabled_reason: 'gone', waiting: 0 })
    await h.deliver()
    expect(h.post.mails.at(-1)!.text).toContain(`${endpoint.webhook_id} at 127.0.0.1`)
    expect(h.post.mails.at(-1)!.text).toContain('410 Gone')
    expect(h.rows("SELECT actor FROM audit_log WHERE action = 'webhook disabled' AND target = ?", endpoint.webhook_id)).toHaveLength(1)
  })
})

it('if the service dies while it sends a message, the message is sent again under the same id', async () => {
  const endpoint = await h.endpoint()
  const { promise: arrived, resolve } = Promise.withResolvers<void>()
  h.receiver.answers(() => resolve())
  const id = await h.test(endpoint)
  const dying = h.open()
  void dying.sendDue()
  await arrived
  // A closed dispatcher records nothing of its attempt, like a killed process.
  await dying.close()
  h.receiver.answers(response => void response.end())
  await h.sendDue()
  expect(h.receiver.taken().map(message => message.id)).toEqual([id, id])
  expect(await h.deliveries(endpoint)).toMatchObject([{ message_id: id, status: 'delivered' }])
})
