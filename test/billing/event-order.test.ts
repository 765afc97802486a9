import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Manner } from '../fixtures/provider/delivery.ts'
import { type Member, PRICES, type Shop, shop, until } from './shop.ts'

let s: Shop
beforeAll(async () => {
  s = await shop()
})
afterAll(() => s.close())

interface StoredEvent {
  readonly id: string
  readonly type: string
  readonly state: string
  readonly attempts: number
}
const stored = (ids: readonly string[]): readonly StoredEvent[] =>
  s.rows<StoredEvent>('SELECT id, type, state, attempts FROM payment_event').filter(({ id }) => ids.includes(id))

/**
 * Runs `work` while the provider drops events.
 * @returns their ids, oldest first
 */
async function undelivered(work: () => Promise<unknown>): Promise<readonly string[]> {
  const before = (await s.provider.events()).length
  await s.provider.delivery({ drop: 'all' })
  await work()
  await s.provider.delivery({})
  return (await s.provider.events()).slice(before).map(({ id }) => id)
}

const order = async (member: Member): Promise<string> => (await s.checkout(member)).json.session_id
const only = async (ids: readonly string[], type: string): Promise<string> =>
  (await s.provider.events()).find(event => ids.includes(event.id) && event.type === type)!.id

describe('repeated events', () => {
  it('P4: an event sent fifty times in parallel is acknowledged fifty times and applied once', async () => {
    const member = s.member()
    const session = await order(member)
    const ids = await undelivered(() => s.provider.complete(session))
    const id = await only(ids, 'customer.subscription.created')
    await s.provider.delivery({ copies: 50, parallel: true })
    const { deliveries } = await s.provider.sendAgain(id)
    await s.settled()
    expect(deliveries.map(({ status }) => status)).toEqual(Array(50).fill(200))
    expect(deliveries.filter(({ answer }) => JSON.parse(answer).duplicate === false)).toHaveLength(1)
    expect(stored(ids)).toEqual([{ id, type: 'customer.subscription.created', state: 'done', attempts: 1 }])
    expect(await s.planOf(member)).toBe('pro')
    expect(s.logged('paid').filter(({ account }) => account === member.accountId)).toHaveLength(1)
  })

  it('P4: an event sent again after three days is a duplicate', async () => {
    const { deliveries } = await s.provider.send({ type: 'invoice.paid', object: {} })
    s.pass(3 * 86_400_000)
    await s.provider.delivery({})
    const again = await s.provider.sendAgain(deliveries[0]!.event)
    expect(again.deliveries.map(({ status, answer }) => [status, JSON.parse(answer)])).toEqual([[200, { received: true, duplicate: true }]])
  })
})

describe('events out of order', () => {
  const ORDERS: readonly Partial<Manner>[] = [
    { order: 'reversed' },
    { order: 'shuffled' },
    { order: 'reversed', copies: 2 },
    { order: 'shuffled', parallel: true, copies: 3 },
  ]

  it.each(ORDERS)('P5: a changed and then cancelled subscription ends as cancelled if its events are delivered as %j', async manner => {
    const member = s.member()
    const session = await order(member)
    const ids = await undelivered(async () => {
      const id = (await s.provider.complete(session)).result['subscription'] as string
      await s.provider.changePrice(id, PRICES.max)
      await s.provider.failPayment(id)
      await s.provider.recover(id)
      await s.provider.cancel(id)
    })
    await s.provider.delivery({ ...manner, held: true })
    for (const id of ids) await s.provider.sendAgain(id)
    await s.provider.delivery(manner)
    await s.provider.sendAgain(ids[0]!)
    await s.settled()
    expect(await s.planOf(member)).toBe('free')
    expect(s.service.control.subscriptions.byAccount(member.accountId).map(({ status }) => status)).toEqual(['canceled'])
    expect(new Set(stored(ids).map(({ id }) => id))).toEqual(new Set(ids))
    expect(stored(ids)).toHaveLength(ids.length)
  })

  it.each([
    ['customer.subscription.updated', 'customer.subscription.created'],
    ['invoice.paid', 'checkout.session.completed'],
    ['checkout.session.completed', 'customer.subscription.created'],
  ])('P5: if the event %s is delivered before %s, the account has the plan that the provider reports', async (first, second) => {
    const member = s.member()
    const session = await order(member)
    const ids = await undelivered(async () => {
      const id = (await s.provider.complete(session)).result['subscription'] as string
      await s.provider.changePrice(id, PRICES.max)
    })
    for (const type of [first, second]) {
      await s.provider.sendAgain(await only(ids, type))
      await s.settled()
      expect(await s.planOf(member), type).toBe('max')
    }
  })

  it('P5: if the cancellation of a subscription is delivered before its creation, the account never gets the plan', async () => {
    const member = s.member()
    const session = await order(member)
    const ids = await undelivered(async () => s.provider.cancel((await s.provider.complete(session)).result['subscription'] as string))
    for (const type of ['customer.subscription.deleted', 'customer.subscription.created', 'invoice.paid', 'checkout.session.completed']) {
      await s.provider.sendAgain(await only(ids, type))
      await s.settled()
      expect(await s.planOf(member)).toBe('free')
    }
  })

  it('P5: a slow response of the provider does not overwrite a newer state', async () => {
    const member = s.member()
    const id = await s.buy(member)
    await s.provider.trouble({ times: 1, slowMs: 400, late: true, path: '/v1/subscriptions/' })
    const calls = (await s.provider.calls()).length
    const slow = s.keyFor(member, id)
    await until('the provider receives the call', async () => (await s.provider.calls()).length > calls)
    await s.provider.cancel(id)
    await s.settled()
    await slow
    expect(await s.planOf(member)).toBe('free')
  })
})

it('P4: every event was applied once, at the first attempt', async () => {
  await s.settled()
  const rows = s.rows<StoredEvent>('SELECT id, type, state, attempts FROM payment_event')
  const applied = rows.filter(({ state }) => state === 'done')
  expect(new Set(rows.map(({ attempts }) => attempts))).toEqual(new Set([1]))
  expect(applied.length).toBeGreaterThan(40)
  expect(s.logged('paid')).toHaveLength(applied.length)
  expect(s.logged('failed')).toEqual([])
})
