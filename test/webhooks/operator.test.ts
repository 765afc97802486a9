import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type Hooks, hooks } from './hooks.ts'

let h: Hooks
beforeAll(async () => {
  h = await hooks()
})
beforeEach(() => h.reset())
afterAll(() => h.close())

/** Dependencies of `twmd webhooks`. */
const oversight = () => h.control.webhooks.oversight
/** Audit log entries of the operator about an endpoint. */
const audited = (id: string) => h.rows("SELECT action FROM audit_log WHERE actor = 'operator' AND target = ? ORDER BY rowid", id)

it('the operator lists endpoints of all accounts, failing endpoints first, without queries of URLs', async () => {
  const other = await h.signIn('other@example.test')
  const working = await h.endpoint({ url: `${h.receiver.url}/b` }, other)
  const failing = await h.endpoint({ url: `${h.receiver.url}/a?token=planted-token` })
  h.receiver.answers(response => void response.writeHead(500).end())
  await h.test(failing)
  await h.sendDue()
  expect(oversight().list()).toMatchObject([
    { id: failing.webhook_id, url: `${h.receiver.url}/a`, failingSince: '2026-07-01T20:00:00.000+08:00', waiting: 1 },
    { id: working.webhook_id, email: 'other@example.test', failingSince: null, waiting: 0, nextAt: null },
  ])
})

it('the operator sees the attempts of a message and resends it', async () => {
  const endpoint = await h.endpoint()
  const id = await h.test(endpoint)
  await h.sendDue()
  h.receiver.taken()
  const list = (state: 'waiting' | 'delivered') => oversight().deliveries(endpoint.webhook_id, { state, most: 10 })
  expect(list('waiting')).toEqual([])
  expect(list('delivered')).toMatchObject([{ attempts: [{ status: 200, error: null }] }])
  expect(oversight().resend(endpoint.webhook_id, id, h.now())).toBe(1)
  expect(oversight().resendSince(endpoint.webhook_id, '2026-07-01T00:00:00.000+08:00', h.now())).toBe(0)
  await h.sendDue()
  expect(h.receiver.taken().map(message => message.id)).toEqual([id])
  expect(audited(endpoint.webhook_id)).toEqual([{ action: 'webhook resent' }, { action: 'webhook resent' }])
})

it('an endpoint disabled by the operator receives no message until the operator enables it', async () => {
  const endpoint = await h.endpoint()
  const id = await h.test(endpoint)
  expect([1, 2].map(() => oversight().disable(endpoint.webhook_id, h.now()))).toEqual([true, false])
  await h.sendDue()
  expect(h.receiver.taken()).toEqual([])
  const own = await h.call(endpoint, 'POST', '', { enabled: true })
  expect([own.statusCode, own.json().error.error_message]).toEqual([409, expect.stringContaining('operator')])
  expect(await h.seen(endpoint)).toMatchObject({ status: 'disabled', disabled_reason: 'operator', waiting: 0 })
  await h.deliver()
  expect(h.post.mails.at(-1)!.text).toContain('the operator of the service disabled it')
  expect(() => oversight().resend(endpoint.webhook_id, id, h.now())).toThrow(`twmd webhooks enable ${endpoint.webhook_id}`)
  expect([1, 2].map(() => oversight().enable(endpoint.webhook_id, h.now()))).toEqual([true, false])
  expect(oversight().resendSince(endpoint.webhook_id, '2026-06-30T00:00:00.000+08:00', h.now())).toBe(1)
  await h.sendDue()
  expect(h.receiver.taken().map(message => message.id)).toEqual([id])
  expect(audited(endpoint.webhook_id)).toEqual(['webhook disabled', 'webhook enabled', 'webhook resent'].map(action => ({ action })))
})

it('the operator can neither enable an endpoint beyond the plan nor resend to such an endpoint, and gets an error for an unknown endpoint', async () => {
  h.control.accounts.grantPlan(h.owner.accountId, 'pro', {}, h.now())
  const oldest = await h.endpoint()
  h.pass(1)
  const newest = await h.endpoint({ url: `${h.receiver.url}/newest` })
  const id = await h.test(newest)
  h.control.accounts.grantPlan(h.owner.accountId, 'free', {}, h.now())
  const resends = [
    () => oversight().resend(newest.webhook_id, id, h.now()),
    () => oversight().resendSince(newest.webhook_id, '2026-06-30T00:00:00.000+08:00', h.now()),
  ]
  for (const resend of resends)
    expect(resend).toThrow('has 2 enabled endpoints, its plan allows 1, and the newest ones receive no new messages')
  oversight().disable(newest.webhook_id, h.now())
  expect(() => oversight().enable(newest.webhook_id, h.now())).toThrow('Disable another endpoint first, or grant a higher plan')
  expect(() => oversight().resend(oldest.webhook_id, 'msg_none', h.now())).toThrow(`twmd webhooks deliveries ${oldest.webhook_id}`)
  expect(() => oversight().disable('we_none', h.now())).toThrow('Webhook endpoint we_none does not exist')
})

it('if the operator disables an endpoint that its owner had disabled, it counts as disabled by the operator', async () => {
  const endpoint = await h.endpoint()
  await h.call(endpoint, 'POST', '', { enabled: false })
  expect(oversight().disable(endpoint.webhook_id, h.now())).toBe(true)
  expect((await h.call(endpoint, 'POST', '', { enabled: true })).statusCode).toBe(409)
})

it('the owner cannot create, move or delete an endpoint whose URL the operator disabled', async () => {
  const disabled = await h.endpoint({ url: `${h.receiver.url}/disabled?token=one` })
  oversight().disable(disabled.webhook_id, h.now())
  const elsewhere = await h.endpoint({ url: `${h.receiver.url}/elsewhere` })
  const sameUrl = `${h.receiver.url}/disabled?token=two`
  const create = (who = h.owner) => h.as(who, 'POST', 'webhooks', { url: sameUrl })
  const tries = {
    create: await create(),
    'move another there': await h.call(elsewhere, 'POST', '', { url: sameUrl }),
    'move it away': await h.call(disabled, 'POST', '', { url: `${h.receiver.url}/other` }),
    delete: await h.call(disabled, 'DELETE'),
  }
  for (const [what, response] of Object.entries(tries)) {
    expect.soft([response.statusCode, response.json().error?.error_code], what).toEqual([409, 'conflict'])
    expect.soft(response.json().error?.error_message, what).toContain('operator')
  }
  expect((await h.call(disabled, 'POST', '', { description: 'was ours' })).statusCode).toBe(200)
  expect((await create(await h.signIn('second@example.test'))).statusCode).toBe(200)
  await h.call(elsewhere, 'DELETE')
  oversight().enable(disabled.webhook_id, h.now())
  expect((await h.call(disabled, 'DELETE')).statusCode).toBe(200)
  expect((await create()).statusCode).toBe(200)
})

it('an endpoint that the operator enabled again gets subsequent events', async () => {
  const endpoint = await h.endpoint({ events: ['credits.low'] })
  oversight().disable(endpoint.webhook_id, h.now())
  await h.spend(450)
  oversight().enable(endpoint.webhook_id, h.now())
  await h.spend(450)
  await h.sendDue()
  expect(h.receiver.taken().map(({ event }) => event.type)).toEqual(['credits.low'])
})
