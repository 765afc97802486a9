import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { NOW } from '../support.ts'
import { AMOUNTS, DAY_MS, type Member, PRICES, type Shop, shop } from './shop.ts'

let s: Shop
let member: Member
let id: string
/** Start of the subscription in milliseconds. */
let began: number
/** Length of the provider's month. */
const PERIOD_MS = 30 * DAY_MS
beforeAll(async () => {
  s = await shop()
})
afterAll(() => s.close())
beforeEach(async () => {
  member = s.member()
  id = await s.buy(member)
  began = Math.floor(s.now().getTime() / 1_000) * 1_000
})

const preview = async (window: string) =>
  (await s.call('GET', `/v2/account/billing-preview?window=${window}`, { 'x-api-key': member.key })).json
const base = async (window: string): Promise<number> => (await preview(window)).plan.base_amount
const then = async (work: Promise<unknown>): Promise<void> => {
  await work
  await s.settled()
}
const TAIPEI_MS = 8 * 3_600_000
const text = (ms: number): string => new Date(ms + TAIPEI_MS).toISOString()
const midnight = (day: string): number => Date.parse(`${day}T00:00:00+08:00`)
const monthOf = (ms: number): string => text(ms).slice(0, 7)
const share = (amount: number, ms: number): number => Math.round((amount * ms) / PERIOD_MS)
/** The first `count` months of the subscription. */
const months = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => {
    const [year, month] = monthOf(began).split('-').map(Number) as [number, number]
    return new Date(Date.UTC(year, month - 1 + index, 1)).toISOString().slice(0, 7)
  })
const sumOf = async (windows: readonly string[]): Promise<number> => {
  let sum = 0
  for (const window of windows) sum += await base(window)
  return sum
}

describe('base amount', () => {
  it('the base amount is the part of the price for the covered time, and zero outside the paid period', async () => {
    const dayEnds = midnight(text(began).slice(0, 10)) + DAY_MS
    expect(await base('today')).toBe(share(AMOUNTS.pro, dayEnds - began))
    expect(await base('7d')).toBe(await base('today'))
    expect([await base('last_month'), await base('2025-07'), await base('2099-12')]).toEqual([0, 0, 0])
    expect(await sumOf(months(3))).toBe(AMOUNTS.pro)
    s.pass(10 * DAY_MS)
    expect(await base('today')).toBe(share(AMOUNTS.pro, DAY_MS))
    expect(Math.abs((await base('7d')) - share(AMOUNTS.pro, 7 * DAY_MS))).toBeLessThanOrEqual(1)
  })

  it('the base amount equals the amount of the only invoice line, the subtotal and the total', async () => {
    const body = await preview('today')
    expect(body.plan.base_amount).toBeGreaterThan(0)
    expect(body.plan.base_amount).toBeLessThan(AMOUNTS.pro / 29)
    expect(body.lines[0]).toMatchObject({ kind: 'plan', quantity: 1, amount: body.plan.base_amount })
    expect([body.subtotal, body.total]).toEqual([body.plan.base_amount, body.plan.base_amount])
  })

  it('the base amounts of consecutive months add up to the price of each period once', async () => {
    for (let period = 1; period <= 2; period++) {
      s.pass(PERIOD_MS)
      await then(s.provider.recover(id))
    }
    expect(await sumOf(months(5))).toBe(3 * AMOUNTS.pro)
  })

  it('the base amount uses the former price until a plan change and the new price afterwards', async () => {
    s.pass(10 * DAY_MS)
    await then(s.provider.changePrice(id, PRICES.max))
    expect(await sumOf(months(3))).toBe(share(AMOUNTS.pro, 10 * DAY_MS) + share(AMOUNTS.max, 20 * DAY_MS))
    await then(s.provider.changePrice(id, PRICES.pro))
    expect(await sumOf(months(3))).toBe(AMOUNTS.pro)
  })

  it('the base amount uses the billed price even if that price has changed since', async () => {
    await s.provider.price({ id: PRICES.max, amount: 123_457 })
    await then(s.provider.changePrice(id, PRICES.max))
    await s.provider.price({ id: PRICES.max, amount: AMOUNTS.max })
    expect(await sumOf(months(3))).toBe(123_457)
  })

  it('the base amount excludes the days of a pause', async () => {
    s.pass(6 * DAY_MS)
    await then(s.provider.status(id, 'paused'))
    s.pass(4 * DAY_MS)
    expect(await base('today')).toBe(0)
    await then(s.provider.status(id, 'active'))
    expect(await sumOf(months(3))).toBe(share(AMOUNTS.pro, 26 * DAY_MS))
  })

  it('the base amount ends at the cancellation', async () => {
    s.pass(6 * DAY_MS)
    await then(s.provider.cancel(id))
    expect(await sumOf(months(3))).toBe(share(AMOUNTS.pro, 6 * DAY_MS))
    s.pass(DAY_MS)
    expect(await base('today')).toBe(0)
  })

  it('the base amount is never negative when the price changes after the period has ended', async () => {
    s.pass(PERIOD_MS + DAY_MS)
    await then(s.provider.changePrice(id, PRICES.max))
    expect(await sumOf(months(4))).toBe(AMOUNTS.pro)
    expect(await base('7d')).toBeGreaterThanOrEqual(0)
    expect(s.rows('SELECT 1 FROM billed_period WHERE until_at <= from_at')).toEqual([])
  })

  it('the base amount ignores a stored period that ends before it begins', async () => {
    s.pass(PERIOD_MS)
    s.service.control.db
      .prepare('UPDATE billed_period SET from_at = ? WHERE subscription_id = ?')
      .run(text(began + PERIOD_MS + DAY_MS).replace('Z', '+08:00'), id)
    s.pass(3 * DAY_MS)
    expect([await base('7d'), await sumOf(months(4))]).toEqual([0, 0])
  })

  it('the base amount includes a renewal that was missed before the cancellation', async () => {
    s.pass(PERIOD_MS)
    await s.provider.delivery({ drop: 'all' })
    await s.provider.recover(id)
    await s.provider.delivery({ drop: 0 })
    s.pass(6 * DAY_MS)
    await then(s.provider.cancel(id))
    expect(await sumOf(months(4))).toBe(AMOUNTS.pro + share(AMOUNTS.pro, 6 * DAY_MS))
  })

  it('the base amount includes a bill that was paid late and excludes a bill that was never paid', async () => {
    s.pass(10 * DAY_MS)
    await then(s.provider.status(id, 'unpaid'))
    expect(await sumOf(months(3))).toBe(share(AMOUNTS.pro, 10 * DAY_MS))
    s.pass(10 * DAY_MS)
    await then(s.provider.status(id, 'active'))
    expect(await sumOf(months(3))).toBe(AMOUNTS.pro)
    await then(s.provider.status(id, 'unpaid'))
    s.pass(DAY_MS)
    await then(s.provider.changePrice(id, PRICES.max))
    await then(s.provider.status(id, 'active'))
    expect(await sumOf(months(3))).toBe(share(AMOUNTS.pro, 20 * DAY_MS) + share(AMOUNTS.max, 9 * DAY_MS))
  })

  it('the base amount of a trial is zero until the first bill', async () => {
    const trier = s.member()
    const { json } = await s.checkout(trier)
    await then(s.provider.complete(json.session_id, 14))
    member = trier
    expect(await sumOf(months(3))).toBe(0)
    const [subscription] = (await s.provider.subscriptions()).slice(-1)
    s.pass(14 * DAY_MS)
    await then(s.provider.recover(subscription!.id))
    expect(await sumOf(months(4))).toBe(AMOUNTS.pro)
  })

  it('the base amount includes periods whose bills were missed, at the price of the next bill', async () => {
    s.service.control.db.prepare('DELETE FROM billed_period WHERE subscription_id = ?').run(id)
    const later = new Date(began)
    later.setUTCMonth(later.getUTCMonth() + 2)
    s.pass(later.getTime() - s.now().getTime())
    await then(s.provider.recover(id))
    expect(await sumOf(months(5))).toBe(3 * AMOUNTS.pro)
    expect(await base(months(2)[1]!)).toBeGreaterThan(AMOUNTS.pro * 0.9)
  })
})

describe('credits of a billing preview', () => {
  it('billing preview and usage summary include the credits that a closed account with the same address used', async () => {
    const owner = s.member()
    const [{ id: keyId }] = s.rows<{ id: string }>('SELECT id FROM api_key WHERE account_id = ?', owner.accountId) as [{ id: string }]
    const nowText = text(s.now().getTime())
    const { accountId } = owner
    await s.service.control.ledger.record({
      requestId: `req_of_${accountId}`,
      accountId,
      keyId,
      dataset: 'query',
      at: nowText,
      credits: 216,
      rows: 1,
    })
    await s.as(owner, 'DELETE', '/v2/self-serve/account')
    const again = s.member(owner.email)
    const creditsOf = async (what: string, window: string) =>
      (await s.call('GET', `/v2/account/${what}?window=${window}`, { 'x-api-key': again.key })).json.credits
    for (const window of ['today', '7d', '30d', 'month'])
      for (const what of ['usage-summary', 'billing-preview'])
        expect([what, window, await creditsOf(what, window)]).toMatchObject([what, window, { period: nowText.slice(0, 7), used: 216 }])
  })

  it('a billing preview reports the credits of the month in which its window ends', async () => {
    const { accountId } = member
    const keyId = (s.rows('SELECT id FROM api_key WHERE account_id = ?', accountId)[0] as { id: string }).id
    const [today, former] = [text(s.now().getTime()).slice(0, 10), `${monthOf(NOW.getTime() - 40 * DAY_MS)}-10`]
    for (const [day, credits] of [
      [today, 3],
      [former, 5],
    ] as const)
      await s.service.control.ledger.record({
        requestId: `req_${day}_${accountId}`,
        accountId,
        keyId,
        dataset: 'theme-taxonomy',
        at: `${day}T00:00:00.000+08:00`,
        credits,
        rows: 1,
      })
    const credits = async (window: string) => (await preview(window)).credits
    const included = 100_000
    for (const window of ['today', '7d', 'month', today.slice(0, 7)])
      expect([window, await credits(window)]).toEqual([
        window,
        { period: today.slice(0, 7), included, granted: 0, refunded: 0, used: 3, overage: 0 },
      ])
    expect(await credits(former.slice(0, 7))).toEqual({
      period: former.slice(0, 7),
      included,
      granted: 0,
      refunded: 0,
      used: 5,
      overage: 0,
    })
    expect(await credits('2025-02')).toEqual({ period: '2025-02', included, granted: 0, refunded: 0, used: 0, overage: 0 })
    const ofMonth = (await s.call('GET', '/v2/account/usage-summary', { 'x-api-key': member.key })).json.credits
    expect(await credits('month')).toMatchObject({ period: ofMonth.period, included: ofMonth.included, used: ofMonth.used })
  })
})
