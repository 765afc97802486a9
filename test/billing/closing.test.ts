import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Status } from '../fixtures/provider/book.ts'
import { type Member, READS, refused, type Shop, shop } from './shop.ts'

const PORTAL = '/v2/self-serve/billing/portal-session'

let s: Shop
let member: Member
beforeAll(async () => {
  s = await shop()
})
afterAll(() => s.close())
beforeEach(() => {
  member = s.member()
})

const close = (who: Member) => s.as(who, 'DELETE', '/v2/self-serve/account')
const atProvider = async (id: string) => (await s.provider.subscriptions()).find(subscription => subscription.id === id)
const LIVE = {
  action_required: true,
  reason: 'subscription_still_live',
  portal_path: PORTAL,
  portal_url: expect.stringMatching(/^http:.*\/p\/session\//),
  sign_in_path: '/v2/self-serve/onboarding/start',
  next_step: expect.stringMatching(/Open portal_url .* portal_path/),
  subscriptions: [expect.objectContaining({ plan_id: 'pro', portal_url: expect.stringMatching(/\/p\/session\//) })],
}
const NONE = {
  action_required: false,
  reason: null,
  portal_path: null,
  portal_url: null,
  sign_in_path: null,
  next_step: null,
  subscriptions: [],
}

describe('closing an account with payments', () => {
  it('P9: closing an account with a live subscription reports the subscription, revokes every key and leaves the subscription unchanged', async () => {
    const id = await s.buy(member)
    const paid = (await s.keyFor(member, id)).json.api_key
    const there = await atProvider(id)
    const calls = (await s.provider.calls()).length
    const answer = await close(member)
    expect(answer.status).toBe(200)
    expect(answer.json).toEqual({
      account_id: member.accountId,
      account_status: 'closed',
      closed_at: expect.stringMatching(/\+08:00$/),
      api_keys_revoked: 2,
      portal_access_invalidated: true,
      profile_redacted: true,
      billing_records_retained: true,
      usage_records_retained: true,
      billing: LIVE,
    })
    for (const key of [member.key, paid]) {
      const read = await s.call('GET', READS.pro, { 'x-api-key': key })
      expect(read.status).toBeGreaterThanOrEqual(401)
      expect(read.json.data).toBeUndefined()
    }
    expect(await atProvider(id)).toEqual(there)
    expect((await s.provider.calls()).slice(calls).filter(({ method }) => method !== 'GET')).toMatchObject([
      { path: '/v1/billing_portal/sessions', form: { customer: there!['customer'] } },
    ])
    expect(s.service.control.subscriptions.byAccount(member.accountId)).toMatchObject([{ id, status: 'active' }])
  })

  it('P9: a closed account’s session is refused on every path', async () => {
    const id = await s.buy(member)
    await close(member)
    expect(refused(await close(member))).toEqual([401, 'invalid_self_serve_token'])
    for (const [method, path] of [
      ['GET', '/v2/self-serve/account'],
      ['POST', PORTAL],
      ['POST', '/v2/billing/checkout-session'],
      ['POST', `/v2/billing/subscriptions/${id}/api-key`],
    ] as const)
      expect.soft(refused(await s.as(member, method, path)), path).toEqual([401, 'invalid_self_serve_token'])
  })

  it('P9: closing an account reports a required action for every subscription that has not ended, and for no other', async () => {
    const cases: readonly (readonly [Status, object])[] = [
      ['trialing', LIVE],
      ['past_due', LIVE],
      ['unpaid', LIVE],
      ['incomplete', LIVE],
      ['paused', LIVE],
      ['canceled', NONE],
      ['incomplete_expired', NONE],
    ]
    for (const [status, billing] of cases) {
      const subscriber = s.member()
      const id = await s.buy(subscriber)
      await s.provider.status(id, status)
      await s.settled()
      expect.soft((await close(subscriber)).json.billing, status).toEqual(billing)
    }
  })

  it('P9: closing an account states that a cancelled subscription ends with its period', async () => {
    const id = await s.buy(member)
    await s.provider.cancel(id, true)
    await s.settled()
    const { billing } = (await close(member)).json
    expect(billing).toMatchObject({
      ...{
        action_required: true,
        reason: 'subscription_still_live',
        portal_path: PORTAL,
        next_step: expect.stringContaining('until the end of the paid period'),
      },
      subscriptions: [{ subscription_id: id, cancel_at_period_end: true }],
    })
  })

  it('P9: closing an account states the next step in the requested language', async () => {
    await s.buy(member)
    const headers = { 'x-self-serve-token': member.token, 'accept-language': 'zh-TW' }
    const { billing } = (await s.call('DELETE', '/v2/self-serve/account', headers)).json
    expect(billing.next_step).toMatch(/請立即以瀏覽器開啟 portal_url/)
  })

  it('P9: closing an account without a subscription reports no required action', async () =>
    expect((await close(member)).json.billing).toEqual(NONE))

  it('P9: closing an account expires its open checkouts at the provider, but not those of other accounts', async () => {
    const session = async (who: Member) => (await s.checkout(who)).json.session_id as string
    const [customer, other] = [s.member(), s.member()]
    await s.provider.cancel(await s.buy(customer))
    await s.settled()
    const [first, again, foreign] = [await session(member), await session(customer), await session(other)]
    for (const who of [member, customer]) expect((await close(who)).json.billing).toEqual(NONE)
    const statusOf = async (id: string) => (await s.provider.sessions()).find(one => one.id === id)!['status']
    expect([await statusOf(first), await statusOf(again), await statusOf(foreign)]).toEqual(['expired', 'expired', 'open'])
    await expect(s.provider.complete(first)).rejects.toThrow()
  })

  it.each([
    ['list', '/v1/checkout/sessions'],
    ['expire', '/v1/checkout/sessions/cs_'],
  ])('P9: if the provider cannot %s the checkouts of an account, closing the account succeeds and logs the failure', async (_, path) => {
    await s.checkout(member)
    const failures = s.logged('failed').length
    await s.provider.trouble({ times: 'until told', path, status: 503 })
    const answer = await close(member)
    await s.provider.trouble(null)
    expect([answer.status, answer.json.account_status]).toEqual([200, 'closed'])
    expect(s.logged('failed').slice(failures)).toMatchObject([{ during: 'calling the payment provider' }])
    s.lines.length = 0
  })

  it('P9: after an account is closed, events update its subscription but restore no keys; its address can sign in again', async () => {
    const id = await s.buy(member)
    await close(member)
    await s.provider.failPayment(id)
    await s.provider.recover(id)
    await s.settled()
    await s.provider.cancel(id)
    await s.settled()
    expect(s.service.control.subscriptions.byAccount(member.accountId)).toMatchObject([{ id, status: 'canceled' }])
    expect(s.rows("SELECT * FROM api_key WHERE account_id = ? AND status = 'active'", member.accountId)).toEqual([])
    expect(s.logged('failed')).toEqual([])
    const again = s.member(member.email)
    expect(again.accountId).not.toBe(member.accountId)
    expect(await s.planOf(again)).toBe('free')
    const second = await s.buy(again)
    expect(second).not.toBe(id)
    expect(await s.planOf(again)).toBe('pro')
  })
})
