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
const there = async (url: string) => (await s.provider.visit(url)).done as unknown as readonly { readonly id: string }[]

/** Pays on two pages while the provider expires none and its events are on their way. @returns the subscriptions, pro and max */
async function payTwice(): Promise<readonly [string, string]> {
  const [pro, max] = [await page('pro'), await page('max')]
  await s.provider.trouble({ times: 'until told', path: '/v1/subscriptions', status: 503 })
  const paid = [(await s.provider.complete(pro)).done['subscription'], (await s.provider.complete(max)).done['subscription']]
  await s.provider.trouble(null)
  s.pass(60_000)
  await s.settled()
  s.lines.length = 0
  return paid as unknown as readonly [string, string]
}

/** Somebody who pays as two customers: the second subscription was made by hand, for the same account. */
async function payAsTwo(): Promise<readonly [string, string]> {
  const pro = await s.buy(member)
  const response = await fetch(`${s.provider.url}/v1/customers`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk_test_provider_key_of_the_tests', 'content-type': 'application/x-www-form-urlencoded' },
    body: 'email=other@example.test',
  })
  const { id: customer } = (await response.json()) as { readonly id: string }
  const { done } = await s.provider.subscribe(customer, PRICES.max)
  const max = done['id'] as string
  const completed = { object: 'checkout.session', client_reference_id: member.accountId, subscription: max }
  await s.provider.send({ type: 'checkout.session.completed', object: completed })
  await s.settled()
  return [pro, max]
}

describe('an account with two checkout pages', () => {
  it('is one customer at the provider on both', async () => {
    const [pro, max] = [await session(await page('pro')), await session(await page('max'))]
    expect(pro['customer']).toMatch(/^cus_/)
    expect(max['customer']).toBe(pro['customer'])
  })

  it('can pay on one of them: the other ends', async () => {
    const [pro, max] = [await page('pro'), await page('max')]
    await s.provider.complete(pro)
    await s.settled()
    expect([(await session(pro))['status'], (await session(max))['status']]).toEqual(['complete', 'expired'])
    await expect(s.provider.complete(max)).rejects.toThrow()
    expect((await account()).subscriptions).toMatchObject([{ plan_id: 'pro' }])
  })

  it('and nobody else’s page ends', async () => {
    const other = s.member()
    const kept = (await s.checkout(other)).json.session_id
    await s.buy(member)
    expect((await session(kept))['status']).toBe('open')
  })

  it('has the other ended later, where the provider did not do so at first', async () => {
    const [pro, max] = [await page('pro'), await page('max')]
    await s.provider.trouble({ times: 'until told', path: '/v1/checkout/sessions', status: 503 })
    await s.provider.complete(pro)
    await until('the event is applied but for the pages', () => s.keptPlan(member) === 'pro' && s.logged('failed').length > 0)
    expect((await session(max))['status']).toBe('open')
    await s.provider.trouble(null)
    s.pass(60_000)
    await s.settled()
    expect((await session(max))['status']).toBe('expired')
    s.lines.length = 0
  })
})

describe('an account that pays for two subscriptions nevertheless', () => {
  it('shows both, and what each costs', async () => {
    const [pro, max] = await payTwice()
    const shown = await account()
    expect(shown.subscription).toMatchObject({ subscription_id: max })
    expect(shown.subscriptions.map((one: { subscription_id: string }) => one.subscription_id).toSorted()).toEqual([pro, max].toSorted())
    let costs = 0
    for (const window of ['2026-07', '2026-08', '2026-09']) {
      const { json } = await s.call('GET', `/v2/account/billing-preview?window=${window}`, { 'x-api-key': member.key })
      const each = json.subscriptions as readonly { readonly subscription_id: string; readonly amount: number }[]
      expect(each.map(one => one.subscription_id).toSorted()).toEqual([pro, max].toSorted())
      expect(each.reduce((sum, { amount }) => sum + amount, 0)).toBe(json.total)
      costs += json.total
    }
    expect(costs).toBe(AMOUNTS.pro + AMOUNTS.max)
  })

  it('is told of both when it closes, and one link leads to both', async () => {
    const both = (await payTwice()).toSorted()
    const { billing } = (await s.as(member, 'DELETE', '/v2/self-serve/account')).json
    expect(billing.subscriptions.map((one: { subscription_id: string }) => one.subscription_id).toSorted()).toEqual(both)
    expect((await there(billing.portal_url)).map(({ id }) => id).toSorted()).toEqual(both)
  })

  it('as two customers is given a link for each when it closes', async () => {
    const both = await payAsTwo()
    const { billing } = (await s.as(member, 'DELETE', '/v2/self-serve/account')).json
    expect(billing.next_step).toContain('every one in subscriptions')
    const reached = []
    for (const { portal_url: url } of billing.subscriptions) reached.push(...(await there(url)).map(({ id }) => id))
    expect(reached.toSorted()).toEqual(both.toSorted())
  })

  it('as two customers opens the portal of either, first that of the one that will be billed', async () => {
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
