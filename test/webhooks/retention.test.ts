import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type Hooks, hooks, type Named } from './hooks.ts'

let h: Hooks
beforeAll(async () => {
  h = await hooks()
})
beforeEach(() => h.reset())
afterAll(async () => {
  expect(h.leaked(), 'secrets of this run in log lines').toEqual([])
  await h.close()
})

const DAY = 24 * 60

it('messages and attempts are deleted after 30 days, but waiting messages are not', async () => {
  const endpoint = await h.endpoint()
  await h.test(endpoint)
  await h.sendDue()
  h.pass(29 * DAY)
  h.control.webhooks.deliveries.deleteOld(h.now())
  expect(await h.deliveries(endpoint)).toHaveLength(1)
  const late = await h.test(endpoint)
  h.pass(31 * DAY)
  h.control.webhooks.deliveries.deleteOld(h.now())
  expect((await h.deliveries(endpoint)).map(({ message_id: id }: { message_id: string }) => id)).toEqual([late])
  expect(h.rows('SELECT id FROM webhook_event')).toEqual([{ id: late }])
  expect(h.rows('SELECT id FROM webhook_attempt')).toEqual([])
})

it('old messages are deleted a thousand at a time, with their events', async () => {
  const endpoint = await h.endpoint()
  h.control.transaction(() => {
    for (let made = 0; made < 1_500; made++) h.control.webhooks.test(endpoint.webhook_id, h.now())
  })
  h.tamper("UPDATE webhook_delivery SET state = 'failed'")
  h.pass(31 * DAY)
  const left = () => h.rows('SELECT count(*) AS n FROM webhook_event')
  expect([h.control.webhooks.deliveries.deleteOld(h.now()), left()]).toEqual([true, [{ n: 500 }]])
  expect([h.control.webhooks.deliveries.deleteOld(h.now()), left()]).toEqual([false, [{ n: 0 }]])
})

it.each([
  ['an endpoint is deleted', (made: Named) => h.call(made, 'DELETE')],
  ['an account is closed', () => h.as(h.owner, 'DELETE', 'account')],
])('when %s, events that have no other messages are deleted, and the other events stay', async (_, gone) => {
  const other = await h.signIn('other@example.test')
  const [endpoint] = [await h.endpoint({ events: ['key.created'] }), await h.endpoint({ events: ['dataset.late'] }, other)]
  await h.as(h.owner, 'POST', 'api-keys')
  h.control.transaction(() => {
    const event = { type: 'dataset.late', at: '2026-07-01T20:00:00.000+08:00', data: {}, slug: 'earnings', concerns: () => true } as const
    h.control.webhooks.announce(event, h.now())
  })
  expect((await gone(endpoint)).statusCode).toBe(200)
  expect(h.rows('SELECT type FROM webhook_event')).toEqual([{ type: 'dataset.late' }])
})

it('if a message is resent during its last attempt, it is sent again', async () => {
  const endpoint = await h.endpoint()
  h.receiver.answers(response => void response.writeHead(500).end())
  const id = await h.test(endpoint)
  const again = () => h.call(endpoint, 'POST', `deliveries/${id}/resend`)
  for (let attempt = 1; attempt < 10; attempt++) {
    await h.sendDue()
    h.pass(2 * DAY)
  }
  let pending: Promise<unknown> | undefined
  h.receiver.answers(response => {
    const first = pending === undefined
    pending ??= again()
    void pending.then(() => response.writeHead(first ? 500 : 200).end())
  })
  h.receiver.taken()
  await h.sendDue()
  expect(h.receiver.taken().map(message => message.id)).toEqual([id, id])
  expect(await h.deliveries(endpoint)).toMatchObject([{ message_id: id, status: 'delivered' }])
})
