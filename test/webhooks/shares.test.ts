import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { refused } from '../accounts/portal.ts'
import { type Hooks, hooks } from './hooks.ts'

let h: Hooks
beforeAll(async () => {
  h = await hooks()
})
beforeEach(() => h.reset())
afterAll(() => h.close())

const test = (endpoint: { readonly webhook_id: string }) => h.call(endpoint, 'POST', 'test')

it('the service sends four messages of an account at a time, so hanging receivers do not delay other accounts', async () => {
  h.control.accounts.grantPlan(h.owner.accountId, 'max', {}, h.now())
  const hanging: ServerResponse[] = []
  h.receiver.answers((response, { path }) => void (path === '/hook/other' ? response.end() : hanging.push(response)))
  for (let made = 0; made < 20; made++) await test(await h.endpoint())
  const sent = h.sendDue()
  await vi.waitUntil(() => hanging.length === 4, { timeout: 30_000 })
  const other = await h.signIn('other@example.test')
  await h.endpoint({ url: `${h.receiver.url}/other`, events: ['key.created'] }, other)
  await h.as(other, 'POST', 'api-keys')
  void h.sendDue()
  await vi.waitUntil(() => h.receiver.messages.some(({ path }) => path === '/hook/other'), { timeout: 30_000 })
  expect(hanging).toHaveLength(4)
  h.receiver.answers(response => void response.end())
  for (const response of hanging) response.end()
  await sent
  expect(new Set(h.receiver.messages.map(({ id }) => id)).size).toBe(21)
})

it('the service refuses a test event for an endpoint with 20 waiting messages', async () => {
  const endpoint = await h.endpoint()
  h.receiver.answers(response => void response.writeHead(500).end())
  for (let sent = 0; sent < 20; sent++) expect((await test(endpoint)).statusCode).toBe(200)
  await h.sendDue()
  const answer = await test(endpoint)
  expect(refused(answer)).toEqual([409, 'conflict'])
  expect(answer.json().error).toMatchObject({ waiting: 20, allowed: 20 })
  expect(answer.body).toContain('Check its deliveries')
  h.receiver.answers(response => void response.end())
  await h.call(endpoint, 'POST', 'resend', { since: '2026-07-01' })
  await h.sendDue()
  expect((await test(endpoint)).statusCode).toBe(200)
})

it('one resend request sends the 500 oldest messages and reports has_more', async () => {
  const endpoint = await h.endpoint()
  const ids = h.control.transaction(() => Array.from({ length: 501 }, () => h.control.webhooks.test(endpoint.webhook_id, h.now())))
  h.tamper("UPDATE webhook_delivery SET state = 'failed'")
  const resend = async () => (await h.call(endpoint, 'POST', 'resend', { since: '2026-07-01' })).json()
  expect(await resend()).toEqual({ webhook_id: endpoint.webhook_id, resent: 500, has_more: true })
  expect(h.rows("SELECT event_id FROM webhook_delivery WHERE state = 'failed'")).toEqual([{ event_id: ids.at(-1) }])
  expect(await resend()).toEqual({ webhook_id: endpoint.webhook_id, resent: 1, has_more: false })
  expect(await resend()).toMatchObject({ resent: 0, has_more: false })
})

it('an endpoint with one message gets the message before 70 older endpoints get their second message', async () => {
  const { endpoints } = h.control.webhooks
  const made = (path: string) =>
    endpoints.create(
      h.owner.accountId,
      { url: `${h.receiver.url}/${path}`, description: '', events: [], datasets: [], symbols: [] },
      h.now(),
    ).id
  const put = (id: string) => h.control.transaction(() => h.control.webhooks.test(id, h.now()))
  const long = Array.from({ length: 70 }, (_, index) => made(`long/${index}`))
  for (let written = 0; written < 3; written++) long.forEach(put)
  h.pass(1)
  put(made('late'))
  await h.sendDue()
  const paths = h.receiver.messages.map(({ path }) => path)
  expect(paths).toHaveLength(211)
  // Four messages are sent concurrently and may arrive in any order.
  expect(paths.indexOf('/hook/late')).toBeLessThan(75)
})
