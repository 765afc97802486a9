import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type Member, refused, type Shop, shop } from './shop.ts'

let s: Shop
let member: Member
beforeAll(async () => {
  s = await shop()
})
afterAll(() => s.close())
beforeEach(() => {
  member = s.member()
})

const checkout = (name: string, plan_id = 'pro') =>
  s.call('POST', '/v2/billing/checkout-session', { 'x-self-serve-token': member.token, 'idempotency-key': name }, { plan_id })
const asked = async () => (await s.provider.calls()).filter(({ path }) => path === '/v1/checkout/sessions').length

it('a checkout under a name is asked for once and answered as before, with another body refused', async () => {
  const before = await asked()
  const [first, again] = [await checkout('one'), await checkout('one')]
  expect([first.status, again.json]).toEqual([200, first.json])
  expect(await asked()).toBe(before + 1)
  expect(refused(await checkout('one', 'max'))).toEqual([422, 'invalid_parameter'])
})

it('a checkout under a name is refused while the first one is in progress, which is answered', async () => {
  await s.provider.trouble({ times: 1, path: '/v1/checkout', slowMs: 300 })
  const first = checkout('one')
  const second = await checkout('one')
  const both = [await first, second].sort((a, b) => a.status - b.status)
  expect(both.map(({ status }) => status)).toEqual([200, 409])
  expect(refused(both[1]!)).toEqual([409, 'conflict'])
  expect(both[1]!.headers.get('retry-after')).toBe('1')
  expect((await checkout('one')).json).toEqual(both[0]!.json)
})

it('a checkout the provider did not answer may be repeated under its name', async () => {
  await s.provider.trouble({ times: 'until told', path: '/v1/checkout', status: 503 })
  expect(refused(await checkout('one'))).toEqual([503, 'billing_unavailable'])
  await s.provider.trouble(null)
  expect((await checkout('one')).status).toBe(200)
})
