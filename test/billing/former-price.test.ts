import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../src/core/index.ts'
import { PRICES, paidEnvironment, type Shop, shop } from './shop.ts'

const NEWER = { pro: 'price_pro_that_is_sold_now', max: 'price_max_that_is_sold_now' } as const
const ENV = { STRIPE_PRICE_PRO: `${NEWER.pro},${PRICES.pro}`, STRIPE_PRICE_MAX: ` ${NEWER.max} , price_max_of_long_ago, ${PRICES.max}` }

let s: Shop
beforeAll(async () => {
  s = await shop({ env: ENV })
  for (const plan of ['pro', 'max'] as const) await s.provider.price({ id: NEWER[plan], amount: 1 })
})
afterAll(() => s.close())

const priceOf = async (id: string) => {
  const { items } = (await s.provider.subscriptions()).find(subscription => subscription.id === id) as never as {
    readonly items: { readonly data: readonly { readonly price: { readonly id: string } }[] }
  }
  return items.data[0]!.price.id
}

describe.each(['pro', 'max'] as const)('price change of %s', plan => {
  it(`the ${plan} plan is sold at the first configured price`, async () => {
    const member = s.member()
    expect([await priceOf(await s.buy(member, plan)), await s.planOf(member)]).toEqual([NEWER[plan], plan])
  })

  it(`a subscription at a former price keeps the ${plan} plan`, async () => {
    const member = s.member()
    const id = await s.buy(member, plan)
    await s.provider.changePrice(id, PRICES[plan])
    await s.settled()
    expect([await priceOf(id), await s.planOf(member)]).toEqual([PRICES[plan], plan])
  })
})

it('a price id must match completely, and an unlisted price id grants no plan', async () => {
  const member = s.member()
  const id = await s.buy(member)
  await s.provider.price({ id: `${NEWER.pro},${PRICES.pro}`, amount: 1 })
  await s.provider.changePrice(id, `${NEWER.pro},${PRICES.pro}`)
  await s.settled()
  expect(await s.planOf(member)).toBe('free')
})

describe('configured prices', () => {
  const read = (env: Record<string, string>) => () => readConfig({ ...paidEnvironment('/tmp', 'http://127.0.0.1:1'), ...env })
  it('STRIPE_PRICE_PRO and STRIPE_PRICE_MAX can list several prices, which keep their order', () => {
    expect(read(ENV)().stripe!.prices).toEqual({
      pro: [NEWER.pro, PRICES.pro],
      max: [NEWER.max, 'price_max_of_long_ago', PRICES.max],
    })
  })
  it('a price listed twice, for one plan or for both, is refused', () => {
    for (const second of [PRICES.max, PRICES.pro])
      expect
        .soft(read({ STRIPE_PRICE_PRO: `${PRICES.pro},${second}` }), second)
        .toThrow('STRIPE_PRICE_PRO and STRIPE_PRICE_MAX contain the same price')
  })
  it('an empty list of prices is refused', () => {
    expect(read({ STRIPE_PRICE_MAX: ' , ' })).toThrow(
      'STRIPE_SECRET_KEY requires STRIPE_WEBHOOK_SECRET, STRIPE_PRICE_PRO and STRIPE_PRICE_MAX',
    )
  })
})
