import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
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
const checkoutCalls = async () => (await s.provider.calls()).filter(({ path }) => path === '/v1/checkout/sessions').length

it('a repeated checkout calls the provider once and returns the first response; its Idempotency-Key is refused with another body', async () => {
  const before = await checkoutCalls()
  const [first, again] = [await checkout('one'), await checkout('one')]
  expect([first.status, again.json]).toEqual([200, first.json])
  expect(await checkoutCalls()).toBe(before + 1)
  expect(refused(await checkout('one', 'max'))).toEqual([422, 'invalid_parameter'])
})

it('a repeated checkout gets 409 while the first checkout is in progress', async () => {
  await s.provider.trouble({ times: 1, path: '/v1/checkout', slowMs: 300 })
  const first = checkout('one')
  const second = await checkout('one')
  const both = [await first, second].sort((a, b) => a.status - b.status)
  expect(both.map(({ status }) => status)).toEqual([200, 409])
  expect(refused(both[1]!)).toEqual([409, 'conflict'])
  expect(both[1]!.headers.get('retry-after')).toBe('1')
  expect((await checkout('one')).json).toEqual(both[0]!.json)
})

it('a checkout that failed at the provider can be repeated with its Idempotency-Key', async () => {
  await s.provider.trouble({ times: 'until told', path: '/v1/checkout', status: 503 })
  expect(refused(await checkout('one'))).toEqual([503, 'billing_unavailable'])
  await s.provider.trouble(null)
  expect((await checkout('one')).status).toBe(200)
})

describe('repeated checkout of an ended session', () => {
  it('a repeated checkout of a paid session is refused, and the error names the subscription and the portal', async () => {
    const { session_id: session } = (await checkout('one')).json
    const { result } = await s.provider.complete(session)
    const again = await checkout('one')
    expect(refused(again)).toEqual([409, 'conflict'])
    expect(again.json.error).toMatchObject({ session_id: session, session_status: 'complete', subscription_id: result['subscription'] })
    expect(again.json.error.error_message).toMatch(/completed/)
    expect((await s.as(member, 'POST', again.json.error.portal_path, {})).status).toBe(200)
  })

  it('a repeated checkout of an expired session is refused, and another Idempotency-Key opens a new session', async () => {
    const { session_id: first } = (await checkout('one')).json
    await s.provider.expire(first)
    const ended = await checkout('one')
    expect(refused(ended)).toEqual([409, 'conflict'])
    expect(ended.json.error).toMatchObject({ session_id: first, session_status: 'expired' })
    expect(ended.json.error.error_message).toMatch(/another Idempotency-Key/)
    const other = await checkout('two')
    expect(other.status).toBe(200)
    expect((await s.provider.sessions()).find(({ id }) => id === other.json.session_id)).toMatchObject({ status: 'open' })
    expect((await checkout('two')).json).toEqual(other.json)
    expect(refused(await checkout('one'))).toEqual([409, 'conflict'])
  })

  it('a repeated checkout gets 503 while the provider cannot report the session', async () => {
    const first = await checkout('one')
    await s.provider.trouble({ times: 'until told', path: '/v1/checkout', status: 503 })
    expect(refused(await checkout('one'))).toEqual([503, 'billing_unavailable'])
    await s.provider.trouble(null)
    expect((await checkout('one')).json).toEqual(first.json)
  })
})

it('a checkout without an Idempotency-Key replaces an expired session of the day and is refused after a completed session', async () => {
  const first = (await s.checkout(member)).json.session_id
  await s.provider.expire(first)
  const second = await s.checkout(member)
  expect(second.json.session_id).not.toBe(first)
  expect((await s.checkout(member)).json).toEqual(second.json)
  await s.provider.delivery({ held: true })
  await s.provider.complete(second.json.session_id)
  expect((await s.checkout(member)).json.error).toMatchObject({ error_code: 'conflict', session_status: 'complete' })
  expect(await s.planOf(member)).toBe('pro')
  await s.provider.delivery({})
})
