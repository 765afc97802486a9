import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Status } from '../fixtures/provider/book.ts'
import { SECRETS } from '../support.ts'
import { DAY_MS, type Member, PRICES, READS, refused, SECOND_MS, type Shop, STRIPE_KEY, shop, until } from './shop.ts'

let s: Shop
let member: Member
beforeAll(async () => {
  s = await shop()
})
afterAll(() => s.close())
beforeEach(() => {
  member = s.member()
})

const reads = async (plan: keyof typeof READS): Promise<number> => (await s.call('GET', READS[plan], { 'x-api-key': member.key })).status
const account = async () => (await s.call('GET', '/v2/self-serve/account', { 'x-self-serve-token': s.signIn(member.accountId) })).json
const entitlements = async () => (await s.call('GET', '/v2/account/entitlements', { 'x-api-key': member.key })).json
const preview = async () => (await s.call('GET', '/v2/account/billing-preview', { 'x-api-key': member.key })).json
const grant = (plan_id: string, expires_at?: string) =>
  s.call('POST', '/v2/admin/grant-plan', { 'x-admin-token': SECRETS.ADMIN_TOKEN }, { email: member.email, plan_id, expires_at })
/** Waits for a change at the provider and until the service has applied its events. */
const then = async (work: Promise<unknown>): Promise<void> => {
  await work
  await s.settled()
}

describe('price changes', () => {
  it('if a subscription changes to another price, the existing keys of the account get the plan of the new price', async () => {
    const id = await s.buy(member)
    expect([await reads('pro'), await reads('max')]).toEqual([200, 403])
    await then(s.provider.changePrice(id, PRICES.max))
    expect([await reads('pro'), await reads('max')]).toEqual([200, 200])
    expect(await entitlements()).toMatchObject({ plan_id: 'max', row_limit: 100_000, credits: { included: 1_000_000 } })
    expect(await preview()).toMatchObject({ plan: { id: 'max' }, subscription: { plan_id: 'max' } })
    expect(await s.billed(member)).toBe(299_000)
    await then(s.provider.changePrice(id, PRICES.pro))
    expect([await reads('pro'), await reads('max')]).toEqual([200, 403])
    expect((await account()).subscription).toMatchObject({ plan_id: 'pro' })
  })

  it('a plan change does not reset the used credits', async () => {
    const id = await s.buy(member)
    for (let count = 0; count < 3; count++) await reads('pro')
    await then(s.provider.changePrice(id, PRICES.max))
    expect((await entitlements()).credits).toMatchObject({ used: 9, remaining: 999_991 })
    await then(s.provider.cancel(id))
    expect((await entitlements()).credits).toMatchObject({ used: 9, remaining: 991 })
  })

  it('a subscription with an unknown price has no plan', async () => {
    await s.provider.price({ id: 'price_of_something_else', amount: 1 })
    const id = await s.buy(member)
    await then(s.provider.changePrice(id, 'price_of_something_else'))
    expect(await s.planOf(member)).toBe('free')
  })
})

describe('trials', () => {
  it('a trial grants the plan from its first day', async () => {
    const { json } = await s.checkout(member)
    await then(s.provider.complete(json.session_id, 14))
    expect(await reads('pro')).toBe(200)
    const end = s.now().getTime() + 14 * DAY_MS
    const { subscription } = await account()
    expect([subscription.status, Date.parse(subscription.current_period_end)]).toEqual(['trialing', end])
    expect(Date.parse((await preview()).next_invoice_at)).toBe(end)
  })

  it('an active subscription that enters a trial keeps its plan', async () => {
    const id = await s.buy(member)
    await then(s.provider.trial(id, 30))
    expect([(await account()).subscription.status, await s.planOf(member)]).toEqual(['trialing', 'pro'])
  })
})

describe('failed payments', () => {
  it('an account keeps its plan for seven days after a failed payment, then loses it without a further event', async () => {
    const id = await s.buy(member)
    await then(s.provider.failPayment(id))
    const ends = new Date(s.now().getTime() + 7 * DAY_MS + 8 * 3_600_000).toISOString().slice(0, 10)
    expect((await account()).subscription).toMatchObject({
      subscription_id: id,
      status: 'past_due',
      grace_ends_at: expect.stringContaining(ends),
    })
    s.pass(7 * DAY_MS - SECOND_MS)
    expect([await s.planOf(member), await reads('pro')]).toEqual(['pro', 200])
    s.pass(SECOND_MS)
    expect([await s.planOf(member), await reads('pro')]).toEqual(['free', 403])
    expect(await account()).toMatchObject({ plan_id: 'free', plan_source: 'free', subscription: { status: 'past_due' } })
    member = { ...member, token: s.signIn(member.accountId) }
    expect(refused(await s.keyFor(member, id))).toEqual([409, 'subscription_not_active'])
    expect(refused(await s.checkout(member)), 'the unpaid subscription is paid in the portal').toEqual([409, 'conflict'])
  })

  it('a second failed payment does not extend the seven days', async () => {
    const id = await s.buy(member)
    await then(s.provider.failPayment(id))
    s.pass(5 * DAY_MS)
    await then(s.provider.failPayment(id))
    s.pass(2 * DAY_MS - SECOND_MS)
    expect(await s.planOf(member)).toBe('pro')
    s.pass(SECOND_MS)
    expect(await s.planOf(member)).toBe('free')
  })

  it.each([3, 30])('a failed payment recovered after %i days restores the plan and resets the grace period', async days => {
    const id = await s.buy(member)
    await then(s.provider.failPayment(id))
    s.pass(days * DAY_MS)
    await then(s.provider.recover(id))
    expect(await account()).toMatchObject({ plan_id: 'pro', subscription: { status: 'active' } })
    s.pass(8 * DAY_MS)
    expect(await s.planOf(member)).toBe('pro')
    await then(s.provider.failPayment(id))
    s.pass(7 * DAY_MS - SECOND_MS)
    expect(await s.planOf(member), 'the next failure has its own seven days').toBe('pro')
    s.pass(SECOND_MS)
    expect(await s.planOf(member)).toBe('free')
  })

  it('a failed payment of a Max subscription keeps Max during the grace period', async () => {
    const id = await s.buy(member, 'max')
    await then(s.provider.failPayment(id))
    expect([await s.planOf(member), await reads('max')]).toEqual(['max', 200])
  })
})

describe('subscription states', () => {
  const WITHOUT: readonly Status[] = ['unpaid', 'canceled', 'incomplete_expired', 'incomplete', 'paused']

  it('a subscription grants no plan while its status is other than active, trialing or past_due', async () => {
    const id = await s.buy(member)
    for (const status of WITHOUT) {
      const hasEnded = status === 'canceled' || status === 'incomplete_expired'
      await then(s.provider.status(id, status))
      expect.soft([await s.planOf(member), await reads('pro')], status).toEqual(['free', 403])
      expect.soft(await account(), status).toMatchObject({
        plan_id: 'free',
        plan_source: 'free',
        subscription: { subscription_id: id, status, current_period_end: hasEnded ? null : expect.any(String), grace_ends_at: null },
      })
      expect.soft(await preview(), status).toMatchObject({ total: 0, next_invoice_at: null, subscription: null })
      await then(s.provider.status(id, 'active'))
      expect.soft([await s.planOf(member), await reads('pro')], `active after ${status}`).toEqual(['pro', 200])
    }
  })

  it('a subscription created at the provider is assigned to the account of its customer', async () => {
    const first = await s.buy(member)
    await then(s.provider.cancel(first))
    const [there] = (await s.provider.subscriptions()).filter(({ id }) => id === first)
    await then(s.provider.subscribe(there!['customer'] as string, PRICES.max))
    expect(await s.planOf(member)).toBe('max')
    expect(await account()).toMatchObject({ subscription: { status: 'active', plan_id: 'max' } })
  })

  it.each([
    ['by its reference', (id: string) => ({ client_reference_id: id, metadata: {} })],
    ['by its metadata', (id: string) => ({ client_reference_id: null, metadata: { account_id: id } })],
  ])('if the customer is unknown, a subscription is assigned to the account that its checkout names %s', async (_, named) => {
    const headers = { authorization: `Bearer ${STRIPE_KEY}`, 'content-type': 'application/x-www-form-urlencoded' }
    const response = await fetch(`${s.provider.url}/v1/customers`, { method: 'POST', headers, body: 'email=payer@example.test' })
    const { id: customer } = (await response.json()) as { id: string }
    const { result } = await s.provider.subscribe(customer, PRICES.pro)
    await s.settled()
    expect(await s.planOf(member), 'the account is not known yet').toBe('free')
    const object = { mode: 'subscription', subscription: result['id'], customer, ...named(member.accountId) }
    await then(s.provider.send({ type: 'checkout.session.completed', object }))
    expect(await s.planOf(member)).toBe('pro')
    await then(s.provider.cancel(result['id'] as string))
    expect(await s.planOf(member)).toBe('free')
  })

  it('the service ignores an event for an unknown subscription', async () => {
    const before = s.rows('SELECT * FROM subscription').length
    const other = await s.provider.send({ type: 'customer.subscription.created', object: { id: 'sub_of_nobody' } })
    await s.settled()
    expect(other.deliveries[0]!.status).toBe(200)
    expect(s.rows('SELECT state FROM payment_event WHERE id = ?', other.deliveries[0]!.event)).toEqual([{ state: 'ignored' }])
    expect(s.rows('SELECT * FROM subscription')).toHaveLength(before)
  })
})

describe('two subscriptions', () => {
  it('an account with two subscriptions has the higher plan, and the lower plan after the higher subscription ends', async () => {
    const first = await s.buy(member)
    const [there] = (await s.provider.subscriptions()).filter(({ id }) => id === first)
    const { result } = await s.provider.subscribe(there!['customer'] as string, PRICES.max)
    await s.settled()
    expect(await account()).toMatchObject({ plan_id: 'max', subscription: { subscription_id: result['id'], plan_id: 'max' } })
    expect(await preview()).toMatchObject({ subscription: { plan_id: 'max' } })
    expect(await s.billed(member)).toBe(99_000 + 299_000)
    await then(s.provider.cancel(result['id'] as string))
    expect(await account()).toMatchObject({ plan_id: 'pro', subscription: { subscription_id: first, plan_id: 'pro' } })
    expect(await preview()).toMatchObject({ subscription: { plan_id: 'pro' } })
    expect(await s.billed(member)).toBe(99_000)
  })

  it('an account falls back to its lower subscription when the grace period of the higher one ends', async () => {
    const first = await s.buy(member, 'max')
    const [there] = (await s.provider.subscriptions()).filter(({ id }) => id === first)
    await then(s.provider.subscribe(there!['customer'] as string, PRICES.pro))
    await then(s.provider.failPayment(first))
    expect(await s.planOf(member)).toBe('max')
    s.pass(7 * DAY_MS)
    await until('the lower plan applies', () => s.keptPlan(member) === 'pro')
    expect(await reads('pro')).toBe(200)
    await then(s.provider.recover(first))
    expect(await s.planOf(member)).toBe('max')
  })

  it('an account with consecutive subscriptions shows the newest subscription', async () => {
    for (let count = 0; count < 4; count++) {
      const id = await s.buy(member)
      expect((await account()).subscription).toMatchObject({ subscription_id: id, status: 'active' })
      s.pass(DAY_MS)
      member = { ...member, token: s.signIn(member.accountId) }
      await then(s.provider.cancel(id))
      expect((await account()).subscription).toMatchObject({ subscription_id: id, status: 'canceled' })
    }
  })
})

describe('grants and subscriptions', () => {
  it('if a granted plan is above the subscribed plan, the granted plan applies; the subscription is still shown and billed', async () => {
    const id = await s.buy(member, 'pro')
    await grant('max')
    expect(await account()).toMatchObject({ plan_id: 'max', plan_source: 'grant', subscription: { subscription_id: id, plan_id: 'pro' } })
    expect(await reads('max')).toBe(200)
    expect(await preview()).toMatchObject({ plan: { id: 'max' }, subscription: { plan_id: 'pro' } })
    expect(await s.billed(member)).toBe(99_000)
    expect((await preview()).next_invoice_at).not.toBeNull()
    await then(s.provider.cancel(id))
    expect(await account()).toMatchObject({ plan_id: 'max', plan_source: 'grant', subscription: { status: 'canceled' } })
    expect(await preview()).toMatchObject({ plan: { id: 'max', base_amount: 0 }, total: 0 })
  })

  it('a grant of a plan below the subscribed plan applies once the subscription ends', async () => {
    await grant('pro')
    const id = await s.buy(member, 'max')
    expect(await account()).toMatchObject({ plan_id: 'max', plan_source: 'subscription' })
    await grant('pro')
    expect(await s.planOf(member), 'granted again').toBe('max')
    await then(s.provider.cancel(id))
    expect(await account()).toMatchObject({ plan_id: 'pro', plan_source: 'grant' })
    expect([await reads('pro'), await reads('max')]).toEqual([200, 403])
  })

  it('a grant of the subscribed plan applies once the subscription’s grace period ends', async () => {
    await grant('pro')
    const id = await s.buy(member, 'pro')
    expect(await account()).toMatchObject({ plan_id: 'pro', plan_source: 'subscription' })
    await then(s.provider.failPayment(id))
    s.pass(8 * DAY_MS)
    expect(await account()).toMatchObject({ plan_id: 'pro', plan_source: 'grant' })
  })

  it('an account returns to its subscribed plan when its grant expires', async () => {
    await s.buy(member, 'pro')
    await grant('max', new Date(s.now().getTime() + DAY_MS).toISOString())
    expect(await s.planOf(member)).toBe('max')
    s.pass(DAY_MS)
    expect(await account()).toMatchObject({ plan_id: 'pro', plan_source: 'subscription' })
  })
})

it('the account summary reflects the start and the end of a subscription', async () => {
  const summary = async () =>
    (await s.call('GET', '/v2/account/summary', { authorization: `Bearer ${SECRETS.SERVICE_TOKEN}`, 'x-account-email': member.email })).json
  const id = await s.buy(member)
  expect(await summary()).toMatchObject({ plan_id: 'pro', account_status: 'active', row_limit: 20_000 })
  await then(s.provider.cancel(id))
  expect(await summary()).toMatchObject({ plan_id: 'free', row_limit: 1_000 })
})
