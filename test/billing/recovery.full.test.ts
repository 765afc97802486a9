import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { environment } from '../fixtures/cli/twmd.ts'
import { buyUndelivered, replay, SINCE, writeSecrets } from './replay.ts'
import { DAY_MS, type Member, PRICES, type Shop, shop } from './shop.ts'

let s: Shop
let member: Member
beforeAll(async () => {
  s = await shop()
  writeSecrets(s)
})
afterAll(() => s.close())
beforeEach(() => {
  member = s.member()
})
afterEach(async () => {
  await s.provider.trouble(null)
  await s.provider.delivery({})
})

/** Event types that the service requests. */
const OURS = /^(checkout\.session\.completed|customer\.subscription\.(created|updated|deleted)|invoice\.(paid|payment_failed))$/

describe('lost webhooks', () => {
  it('a second twmd billing replay finds nothing and changes nothing', async () => {
    await buyUndelivered(s, member)
    await replay(s, SINCE)
    const before = s.rows('SELECT id, type, state FROM payment_event ORDER BY id')
    const { code, stdout } = await replay(s, SINCE)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Since 2026-06-30: \d+ events applied again, 0 missed events found, \d+ subscriptions read\.\n$/)
    expect(s.rows('SELECT id, type, state FROM payment_event ORDER BY id')).toEqual(before)
    expect(await s.planOf(member)).toBe('pro')
  })

  it('twmd billing replay re-reads known subscriptions, even if their events have expired at the provider', async () => {
    const id = await s.buy(member)
    await s.provider.delivery({ drop: 'all' })
    await s.provider.changePrice(id, PRICES.max)
    await s.provider.delivery({})
    s.pass(2 * DAY_MS)
    const { code } = await replay(s, ['--since', '2026-12-31'])
    expect([code, await s.planOf(member)]).toEqual([0, 'max'])
  })

  it('twmd billing replay finds and applies more than a hundred events over several pages', async () => {
    const crowd = Array.from({ length: 45 }, () => s.member())
    for (const member of crowd) await buyUndelivered(s, member)
    const stored = new Set(s.rows<{ id: string }>('SELECT id FROM payment_event').map(({ id }) => id))
    const missed = (await s.provider.events()).filter(({ id, type }) => OURS.test(type) && !stored.has(id))
    expect(missed.length).toBeGreaterThanOrEqual(45 * 3)
    const { stdout } = await replay(s, [...SINCE, '--json'])
    expect(JSON.parse(stdout).events_found).toBe(missed.length)
    expect(s.rows("SELECT 1 FROM payment_event WHERE state = 'new'")).toEqual([])
    for (const member of crowd) expect(s.keptPlan(member)).toBe('pro')
  })
})

describe('failures of twmd billing replay', () => {
  it('twmd billing replay exits with code 1 and changes nothing while the provider is down', async () => {
    await buyUndelivered(s, member)
    const before = s.rows('SELECT * FROM payment_event').length
    await s.provider.trouble({ times: 'until told', status: 503 })
    const { code, stdout, stderr } = await replay(s, [...SINCE, '--json'])
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^The payment provider failed .*\.\n$/)
    expect(s.rows('SELECT * FROM payment_event')).toHaveLength(before)
    await s.provider.trouble(null)
    expect((await replay(s, SINCE)).code).toBe(0)
    expect(await s.planOf(member)).toBe('pro')
  })

  it('twmd billing replay reports the events it could not apply, and applies them on the next run', async () => {
    const id = await buyUndelivered(s, member)
    await s.provider.trouble({ times: 'until told', status: 503, path: `/v1/subscriptions/${id}` })
    const { code, stdout, stderr } = await replay(s, SINCE)
    expect([code, stderr]).toEqual([1, '3 events could not be applied; the service retries them.\n'])
    expect(stdout).toMatch(/3 missed events found/)
    expect(await s.planOf(member)).toBe('free')
    await s.provider.trouble(null)
    expect((await replay(s, SINCE)).code).toBe(0)
    expect(await s.planOf(member)).toBe('pro')
  })

  it('twmd billing replay reports the subscriptions it could not read, and reads the others', async () => {
    const [unread, read] = [s.member(), s.member()]
    const [first, second] = [await s.buy(unread), await s.buy(read)]
    await s.provider.delivery({ drop: 'all' })
    for (const id of [first, second]) await s.provider.changePrice(id, PRICES.max)
    await s.provider.delivery({})
    await s.provider.trouble({ times: 'until told', status: 503, path: `/v1/subscriptions/${first}` })
    const { code, stderr } = await replay(s, ['--since', '2026-12-31'])
    expect([code, stderr]).toEqual([1, 'Subscriptions that could not be read: 1. Run the command again.\n'])
    expect([await s.planOf(unread), await s.planOf(read)]).toEqual(['pro', 'max'])
    await s.provider.trouble(null)
    await replay(s, ['--since', '2026-12-31'])
    expect(await s.planOf(unread)).toBe('max')
  })

  it('twmd billing replay exits with code 2 for invalid arguments or a missing configuration', async () => {
    const cases: readonly (readonly [readonly string[], Record<string, string>, RegExp])[] = [
      [['--since', 'yesterday'], {}, /YYYY-MM-DD/],
      [['--since', '2026-02-30'], {}, /YYYY-MM-DD/],
      [[], { STRIPE_SECRET_KEY: '' }, /STRIPE_SECRET_KEY/],
      [[], { STRIPE_PRICE_MAX: '' }, /STRIPE_PRICE_MAX/],
      [['now'], {}, /too many arguments/],
    ]
    for (const [args, env, message] of cases) {
      const { code, stdout, stderr } = await replay(s, args, env)
      const what = JSON.stringify([args, env])
      expect.soft([code, stdout], what).toEqual([2, ''])
      expect.soft(stderr, what).toMatch(message)
      expect.soft(stderr, what).not.toMatch(/\n\s+at /)
    }
  })

  it('twmd billing replay prints no part of the provider’s key', async () => {
    const { code, stdout, stderr } = await replay(s, SINCE, { STRIPE_SECRET_KEY: 'sk_test_wrong_one_of_the_tests' })
    expect(code).toBe(1)
    expect(stdout + stderr).not.toContain('wrong_one_of_the_tests')
    expect(environment(s.dir)).not.toHaveProperty('STRIPE_SECRET_KEY')
  })
})
