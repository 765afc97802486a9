import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ended, environment, startTwmd } from '../../fixtures/cli/twmd.ts'
import { SECRETS } from '../../support.ts'
import { DAY_MS, type Member, PRICES, paidEnvironment, type Shop, shop } from './shop.ts'

let s: Shop
let member: Member
beforeAll(async () => {
  s = await shop()
  // The command reads the same state file, so it needs the same secrets.
  writeFileSync(join(s.dir, 'secrets.json'), JSON.stringify(SECRETS), { mode: 0o600 })
})
afterAll(() => s.close())
beforeEach(() => {
  member = s.member()
})
afterEach(async () => {
  await s.provider.trouble(null)
  await s.provider.delivery({})
})

const twmd = (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
  const { DATA_DIR, ...rest } = paidEnvironment(s.dir, s.provider.url)
  return ended(startTwmd(DATA_DIR!, ['billing', 'replay', ...args], { ...rest, ...env }))
}
/** Types that are asked for. */
const OURS = /^(checkout\.session\.completed|customer\.subscription\.(created|updated|deleted)|invoice\.(paid|payment_failed))$/
const SINCE = ['--since', '2026-06-30']
/** Buys with every webhook lost. @returns the subscription's id */
async function buyUnheard(who: Member, then: (id: string) => Promise<unknown> = async () => {}): Promise<string> {
  await s.provider.delivery({ drop: 'all' })
  const { done } = await s.provider.complete((await s.checkout(who)).json.session_id)
  await then(done['subscription'] as string)
  await s.provider.delivery({})
  return done['subscription'] as string
}

describe('when every webhook is lost', () => {
  it('twmd billing replay brings the plan, to a service that runs', async () => {
    const id = await buyUnheard(member)
    expect(await s.planOf(member)).toBe('free')
    const { code, stdout, stderr } = await twmd([...SINCE, '--json'])
    expect([code, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout)).toEqual({
      ...{ since: '2026-06-30', events_replayed: 0, events_found: 3, subscriptions_read: 0, subscriptions_unread: 0, events_waiting: 0 },
    })
    expect(await s.planOf(member)).toBe('pro')
    expect(s.service.control.subscriptions.byAccount(member.accountId).map(subscription => subscription.id)).toEqual([id])
  })

  it('a second time finds nothing more and changes nothing', async () => {
    await buyUnheard(member)
    await twmd(SINCE)
    const before = s.rows('SELECT id, type, state FROM payment_event ORDER BY id')
    const { code, stdout } = await twmd(SINCE)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Since 2026-06-30: \d+ events applied again, 0 missed ones found, \d+ subscriptions read\.\n$/)
    expect(s.rows('SELECT id, type, state FROM payment_event ORDER BY id')).toEqual(before)
    expect(await s.planOf(member)).toBe('pro')
  })

  it('and the event has since expired at the provider, a subscription already known is read anew', async () => {
    const id = await s.buy(member)
    await s.provider.delivery({ drop: 'all' })
    await s.provider.changePrice(id, PRICES.max)
    await s.provider.delivery({})
    s.pass(2 * DAY_MS)
    const { code } = await twmd(['--since', '2026-12-31'])
    expect([code, await s.planOf(member)]).toEqual([0, 'max'])
  })

  it('more than a hundred of them are found and applied, page by page', async () => {
    const crowd = Array.from({ length: 45 }, () => s.member())
    for (const one of crowd) await buyUnheard(one)
    const stored = new Set(s.rows<{ id: string }>('SELECT id FROM payment_event').map(({ id }) => id))
    const missed = (await s.provider.events()).filter(({ id, type }) => OURS.test(type) && !stored.has(id))
    expect(missed.length).toBeGreaterThanOrEqual(45 * 3)
    const { stdout } = await twmd([...SINCE, '--json'])
    expect(JSON.parse(stdout).events_found).toBe(missed.length)
    expect(s.rows("SELECT 1 FROM payment_event WHERE state = 'new'")).toEqual([])
    for (const one of crowd) expect(s.keptPlan(one)).toBe('pro')
  })

  it('the events that come late after all are duplicates', async () => {
    await buyUnheard(member)
    await twmd(SINCE)
    const { id } = (await s.provider.events()).findLast(({ type }) => type === 'checkout.session.completed')!
    const { deliveries } = await s.provider.sendAgain(id)
    expect(JSON.parse(deliveries[0]!.answer)).toEqual({ received: true, duplicate: true })
  })
})

describe('twmd billing replay', () => {
  it('says that the provider does not answer, and changes nothing', async () => {
    await buyUnheard(member)
    const before = s.rows('SELECT * FROM payment_event').length
    await s.provider.trouble({ times: 'until told', status: 503 })
    const { code, stdout, stderr } = await twmd([...SINCE, '--json'])
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^The payment provider did not answer .*\.\n$/)
    expect(s.rows('SELECT * FROM payment_event')).toHaveLength(before)
    await s.provider.trouble(null)
    expect((await twmd(SINCE)).code).toBe(0)
    expect(await s.planOf(member)).toBe('pro')
  })

  it('says how many events it could not apply, and applies them when it is run again', async () => {
    const id = await buyUnheard(member)
    await s.provider.trouble({ times: 'until told', status: 503, path: `/v1/subscriptions/${id}` })
    const { code, stdout, stderr } = await twmd(SINCE)
    expect([code, stderr]).toEqual([1, '3 events could not be applied; the service tries them again by itself.\n'])
    expect(stdout).toMatch(/3 missed ones found/)
    expect(await s.planOf(member)).toBe('free')
    await s.provider.trouble(null)
    expect((await twmd(SINCE)).code).toBe(0)
    expect(await s.planOf(member)).toBe('pro')
  })

  it('says how many subscriptions it could not read, and reads the others', async () => {
    const [deaf, heard] = [s.member(), s.member()]
    const [first, second] = [await s.buy(deaf), await s.buy(heard)]
    await s.provider.delivery({ drop: 'all' })
    for (const id of [first, second]) await s.provider.changePrice(id, PRICES.max)
    await s.provider.delivery({})
    await s.provider.trouble({ times: 'until told', status: 503, path: `/v1/subscriptions/${first}` })
    const { code, stderr } = await twmd(['--since', '2026-12-31'])
    expect([code, stderr]).toEqual([1, '1 subscriptions could not be read; run this again.\n'])
    expect([await s.planOf(deaf), await s.planOf(heard)]).toEqual(['pro', 'max'])
    await s.provider.trouble(null)
    await twmd(['--since', '2026-12-31'])
    expect(await s.planOf(deaf)).toBe('max')
  })

  it.each([
    [['--since', 'yesterday'], {}, /YYYY-MM-DD/],
    [['--since', '2026-02-30'], {}, /YYYY-MM-DD/],
    [[], { STRIPE_SECRET_KEY: '' }, /STRIPE_SECRET_KEY/],
    [[], { STRIPE_PRICE_MAX: '' }, /STRIPE_PRICE_MAX/],
    [['now'], {}, /too many arguments/],
  ])('%j %j is refused as misused', async (args, env, message) => {
    const { code, stdout, stderr } = await twmd(args, env)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(message)
    expect(stderr).not.toMatch(/\n\s+at /)
  })

  it('leaves nothing of a key in what it prints', async () => {
    const { code, stdout, stderr } = await twmd(SINCE, { STRIPE_SECRET_KEY: 'sk_test_wrong_one_of_the_tests' })
    expect(code).toBe(1)
    expect(stdout + stderr).not.toContain('wrong_one_of_the_tests')
    expect(environment(s.dir)).not.toHaveProperty('STRIPE_SECRET_KEY')
  })
})
