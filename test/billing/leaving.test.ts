import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Member, refused, type Shop, shop, until } from './shop.ts'

const PORTAL = '/v2/self-serve/billing/portal-session'

let s: Shop
let email: string
let people = 0
let networks = 0
beforeAll(async () => {
  s = await shop({ env: { TRUST_PROXY: '127.0.0.1' } })
})
afterAll(() => s.close())
beforeEach(() => {
  email = `leaver${++people}@example.test`
})

const codes = (): readonly string[] =>
  (readdirSync(s.dir).includes('mail') ? readdirSync(join(s.dir, 'mail')) : [])
    .map(name => readFileSync(join(s.dir, 'mail', name), 'utf8'))
    .filter(mail => mail.includes(`To: ${email}`))
    .map(mail => /\b\d{8}\b/.exec(mail.split('\r\n\r\n')[1]!)![0])

/** Signs in with a mailed code, in any case of the address. */
async function signIn(): Promise<Member> {
  const before = codes()
  const from = { 'x-forwarded-for': `10.1.${networks++}.1` }
  const { json: started } = await s.call('POST', '/v2/self-serve/onboarding/start', from, { email })
  await until('a code is mailed', () => codes().length > before.length)
  const code = codes().find(one => !before.includes(one))!
  const { json } = await s.call('POST', '/v2/self-serve/onboarding/complete', from, { flow_id: started.flow_id, code })
  return { email, accountId: json.account.account_id, token: json.self_serve_token, key: json.api_key?.api_key ?? '' }
}

const close = (who: Member) => s.as(who, 'DELETE', '/v2/self-serve/account')
/** Closes an account while the provider cannot expire its checkouts. */
async function closeWithOpenCheckout(who: Member): Promise<void> {
  await s.provider.trouble({ times: 'until told', path: '/v1/checkout', status: 503 })
  expect((await close(who)).status).toBe(200)
  await s.provider.trouble(null)
}
const account = async (who: Member) => (await s.as(who, 'GET', '/v2/self-serve/account')).json
const there = async (url: string) => (await s.provider.visit(url)).result as unknown as readonly { id: string; status: string }[]
const statusOf = async (id: string) => (await s.provider.subscriptions()).find(subscription => subscription.id === id)!['status']

describe('a closed account with a subscription', () => {
  it('closing a paying account returns a portal link, where the subscription can be cancelled without signing in', async () => {
    const member = await signIn()
    const id = await s.buy(member)
    const { billing } = (await close(member)).json
    expect(billing).toMatchObject({ action_required: true, portal_path: PORTAL })
    expect(refused(await s.as(member, 'POST', PORTAL, {}))).toEqual([401, 'invalid_self_serve_token'])
    expect(await there(billing.portal_url)).toMatchObject([{ id, status: 'active' }])
    await s.provider.cancelThere(billing.portal_url)
    await s.settled()
    expect(await statusOf(id)).toBe('canceled')
    expect(s.service.control.subscriptions.get(id)).toMatchObject({ status: 'canceled' })
  })

  it('a new sign-in after closing a paying account recovers its subscription, plan and portal', async () => {
    const former = await signIn()
    const id = await s.buy(former)
    await close(former)
    const member = await signIn()
    expect(member.accountId).not.toBe(former.accountId)
    expect(await account(member)).toMatchObject({
      plan_id: 'pro',
      plan_source: 'subscription',
      subscription: { subscription_id: id, status: 'active' },
    })
    expect(await s.planOf(member)).toBe('pro')
    expect((await s.keyFor(member, id)).status).toBe(200)
    expect(refused(await s.checkout(member))).toEqual([409, 'conflict'])
    const portal = await s.as(member, 'POST', PORTAL, {})
    expect(await there(portal.json.url)).toMatchObject([{ id, status: 'active' }])
    await s.provider.cancelThere(portal.json.url)
    await s.settled()
    expect(await account(member)).toMatchObject({ plan_id: 'free', subscription: { subscription_id: id, status: 'canceled' } })
    expect((await s.as(member, 'POST', PORTAL, {})).status).toBe(200)
  })

  it('if an account is closed several times, each new account of the owner gets the subscription; no other account does', async () => {
    const id = await s.buy(await signIn())
    const stranger = s.member()
    for (let round = 0; round < 2; round++) {
      const member = await signIn()
      const { billing } = (await close(member)).json
      expect(await there(billing.portal_url)).toMatchObject([{ id }])
    }
    expect(refused(await s.as(stranger, 'POST', PORTAL, {}))).toEqual([409, 'no_customer'])
    expect((await account(stranger)).subscription).toBeNull()
  })

  it('while the provider is down, closing a paying account returns no portal link; a new sign-in can open the portal', async () => {
    const member = await signIn()
    const id = await s.buy(member)
    await s.provider.trouble({ times: 'until told', path: '/v1/billing_portal', status: 503 })
    const answer = await close(member)
    await s.provider.trouble(null)
    expect(answer.status).toBe(200)
    expect(answer.json).toMatchObject({
      account_status: 'closed',
      billing: { action_required: true, portal_path: PORTAL, portal_url: null },
    })
    expect(answer.json.billing.next_step).toMatch(/returns no link.*sign_in_path.*portal_path/)
    expect(answer.body).not.toContain('503')
    const again = await signIn()
    expect(await there((await s.as(again, 'POST', PORTAL, {})).json.url)).toMatchObject([{ id, status: 'active' }])
  })

  it('two concurrent calls close a paying account once', async () => {
    const member = await signIn()
    await s.buy(member)
    const answers = await Promise.all([close(member), close(member)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403])
    expect(s.rows("SELECT 1 FROM audit_log WHERE account_id = ? AND action = 'account closed'", member.accountId)).toHaveLength(1)
  })

  it('if a checkout is paid after its account was closed, it belongs to the new account that the owner already has', async () => {
    const former = await signIn()
    const { json } = await s.checkout(former)
    await closeWithOpenCheckout(former)
    const member = await signIn()
    expect((await account(member)).subscription).toBeNull()
    const { result } = await s.provider.complete(json.session_id)
    await s.settled()
    expect(await account(member)).toMatchObject({ plan_id: 'pro', subscription: { subscription_id: result['subscription'] } })
    expect(await s.planOf(member)).toBe('pro')
    expect(refused(await s.checkout(member))).toEqual([409, 'conflict'])
    expect(s.rows('SELECT 1 FROM paid_plan WHERE account_id = ?', former.accountId)).toEqual([])
    const portal = await s.as(member, 'POST', PORTAL, {})
    expect(await there(portal.json.url)).toMatchObject([{ id: result['subscription'], status: 'active' }])
  })

  it('if a checkout is paid after its account was closed, it belongs to the new account that the owner opens later', async () => {
    const former = await signIn()
    const { json } = await s.checkout(former)
    await closeWithOpenCheckout(former)
    const { result } = await s.provider.complete(json.session_id)
    await s.settled()
    const member = await signIn()
    expect(await account(member)).toMatchObject({ plan_id: 'pro', subscription: { subscription_id: result['subscription'] } })
  })

  it('the audit log records that a new account takes over a customer, without the e-mail address', async () => {
    const former = await signIn()
    const id = await s.buy(former)
    await close(former)
    const member = await signIn()
    const [entry] = s.rows<{ facts: string }>(
      "SELECT facts FROM audit_log WHERE account_id = ? AND action = 'customer taken over'",
      member.accountId,
    )
    expect(JSON.parse(entry!.facts)).toEqual({ from: former.accountId, subscriptions: [id], customer: true })
  })
})
