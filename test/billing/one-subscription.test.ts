import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { AMOUNTS, type Member, PRICES, refused, type Shop, shop, until } from './shop.ts'

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

const page = async (plan: 'pro' | 'max'): Promise<string> => (await s.checkout(member, { plan_id: plan })).json.session_id
const session = async (id: string) => (await s.provider.sessions()).find(one => one.id === id)!
const account = async () => (await s.as(member, 'GET', '/v2/self-serve/account')).json
const there = async (url: string) => (await s.provider.visit(url)).result as unknown as readonly { readonly id: string }[]

/**
 * Pays two checkouts while the provider fails to expire either and events are delayed.
 * @returns the subscriptions, pro and max
 */
async function payTwice(): Promise<readonly [string, string]> {
  const [pro, max] = [await page('pro'), await page('max')]
  await s.provider.trouble({ times: 'until told', path: '/v1/subscriptions', status: 503 })
  const paid = [(await s.provider.complete(pro)).result['subscription'], (await s.provider.complete(max)).result['subscription']]
  await s.provider.trouble(null)
  s.pass(60_000)
  await s.settled()
  s.lines.length = 0
  return paid as unknown as readonly [string, string]
}

/**
 * Pays as two customers of one account: the second subscription is created at the provider.
 * @returns the subscriptions, pro and max
 */
async function payAsTwo(): Promise<readonly [string, string]> {
  const pro = await s.buy(member)
  const response = await fetch(`${s.provider.url}/v1/customers`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk_test_provider_key_of_the_tests', 'content-type': 'application/x-www-form-urlencoded' },
    body: 'email=other@example.test',
  })
  const { id: customer } = (await response.json()) as { readonly id: string }
  const { result } = await s.provider.subscribe(customer, PRICES.max)
  const max = result['id'] as string
  const completed = { object: 'checkout.session', client_reference_id: member.accountId, subscription: max }
  await s.provider.send({ type: 'checkout.session.completed', object: completed })
  await s.settled()
  return [pro, max]
}

describe('two checkout pages', () => {
  it('two checkouts of an account have the same customer', async () => {
    const [pro, max] = [await session(await page('pro')), await session(await page('max'))]
    expect(pro['customer']).toMatch(/^cus_/)
    expect(max['customer']).toBe(pro['customer'])
  })

  it('paying one checkout expires the other checkout of the account', async () => {
    const [pro, max] = [await page('pro'), await page('max')]
    await s.provider.complete(pro)
    await s.settled()
    expect([(await session(pro))['status'], (await session(max))['status']]).toEqual(['complete', 'expired'])
    await expect(s.provider.complete(max)).rejects.toThrow()
    expect((await account()).subscriptions).toMatchObject([{ plan_id: 'pro' }])
  })

  it('paying a checkout leaves another account’s checkout open', async () => {
    const other = s.member()
    const foreign = (await s.checkout(other)).json.session_id
    await s.buy(member)
    expect((await session(foreign))['status']).toBe('open')
  })

  it('if the provider fails to expire a checkout, a retry expires the checkout', async () => {
    const [pro, max] = [await page('pro'), await page('max')]
    await s.provider.trouble({ times: 'until told', path: '/v1/checkout/sessions', status: 503 })
    await s.provider.complete(pro)
    await until('the plan is applied and the failure is logged', () => s.keptPlan(member) === 'pro' && s.logged('failed').length > 0)
    expect((await session(max))['status']).toBe('open')
    await s.provider.trouble(null)
    s.pass(60_000)
    await s.settled()
    expect((await session(max))['status']).toBe('expired')
    s.lines.length = 0
  })
})

describe('two paid subscriptions', () => {
  it('an account with two subscriptions shows both, and the preview bills each', async () => {
    const [pro, max] = await payTwice()
    const shown = await account()
    expect(shown.subscription).toMatchObject({ subscription_id: max })
    expect(shown.subscriptions.map((one: { subscription_id: string }) => one.subscription_id).toSorted()).toEqual([pro, max].toSorted())
    let costs = 0
    for (const window of ['2026-07', '2026-08', '2026-09']) {
      const { json } = await s.call('GET', `/v2/account/billing-preview?window=${window}`, { 'x-api-key': member.key })
      const listed = json.subscriptions as readonly { readonly subscription_id: string; readonly amount: number }[]
      expect(listed.map(one => one.subscription_id).toSorted()).toEqual([pro, max].toSorted())
      expect(listed.reduce((sum, { amount }) => sum + amount, 0)).toBe(json.total)
      costs += json.total
    }
    expect(costs).toBe(AMOUNTS.pro + AMOUNTS.max)
  })

  it('closing an account with two subscriptions lists both, and one portal link reaches both', async () => {
    const both = (await payTwice()).toSorted()
    const { billing } = (await s.as(member, 'DELETE', '/v2/self-serve/account')).json
    expect(billing.subscriptions.map((one: { subscription_id: string }) => one.subscription_id).toSorted()).toEqual(both)
    expect((await there(billing.portal_url)).map(({ id }) => id).toSorted()).toEqual(both)
  })

  it('closing an account with two customers returns a portal link for each', async () => {
    const both = await payAsTwo()
    const { billing } = (await s.as(member, 'DELETE', '/v2/self-serve/account')).json
    expect(billing.next_step).toContain('each one in subscriptions')
    const reached = []
    for (const { portal_url: url } of billing.subscriptions) reached.push(...(await there(url)).map(({ id }) => id))
    expect(reached.toSorted()).toEqual(both.toSorted())
  })

  it('an account with two customers can open the portal of either; the default is the customer who is billed next', async () => {
    const [pro, max] = await payAsTwo()
    const portalOf = async (body: object) => there((await s.as(member, 'POST', PORTAL, body)).json.url)
    expect(await portalOf({ subscription_id: pro })).toMatchObject([{ id: pro }])
    expect(await portalOf({ subscription_id: max })).toMatchObject([{ id: max }])
    expect(await portalOf({})).toMatchObject([{ id: max }])
    await s.provider.cancel(max, true)
    await s.settled()
    expect(await portalOf({})).toMatchObject([{ id: pro }])
    expect(refused(await s.as(s.member(), 'POST', PORTAL, { subscription_id: pro }))).toEqual([404, 'unknown_id'])
  })
})
