import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { meets, PLAN_IDS, PLANS, type PlanId, pathOf, served } from '../../catalog/index.ts'
import { type Portal, portal } from './portal.ts'

let p: Portal
beforeAll(async () => {
  p = await portal({ examples: true })
})
afterAll(() => p.close())

const get = (path: string, key: string) => p.send('GET', path, { 'x-api-key': key })
const accountIdOf = (key: string): string => p.control.keys.find(key, p.now())!.accountId

describe('entitlements', () => {
  it.each(PLAN_IDS)('entitlements of the %s plan state its limits, credits and datasets', async plan => {
    const key = p.keyOn(plan, `limits-${plan}@example.test`)
    const response = await get('/v2/account/entitlements', key)
    expect([response.statusCode, response.headers['cache-control']]).toEqual([200, 'no-store'])
    const { datasets, ...body } = response.json()
    const { rowLimit, requestsPerMinute, requestsAtOnce, creditsPerMonth, features } = PLANS[plan]
    expect(body).toMatchObject({
      account_id: accountIdOf(key),
      plan_id: plan,
      row_limit: rowLimit,
      rate_limits: { requests_per_minute: requestsPerMinute, requests_at_once: requestsAtOnce },
      credits: {
        period: '2026-07',
        included: creditsPerMonth,
        granted: 0,
        refunded: 0,
        used: 0,
        remaining: creditsPerMonth,
        resets_at: '2026-08-01T00:00:00.000+08:00',
      },
      formats: expect.arrayContaining(['json']),
      features,
    })
    expect(datasets).toEqual(
      served(p.catalog).map(({ id, slug, access }) => ({
        dataset: id,
        slug,
        minimum_plan: access!.plan,
        credits_per_call: access!.credits,
        allowed: meets(plan, access!.plan),
        reason: meets(plan, access!.plan) ? null : `requires the ${access!.plan} plan`,
      })),
    )
  })

  it.each(PLAN_IDS)('entitlements of the %s plan allow exactly the datasets that its key can read', async plan => {
    const key = p.keyOn(plan, `truth-${plan}@example.test`)
    const { datasets } = (await get('/v2/account/entitlements', key)).json()
    for (const dataset of served(p.catalog)) {
      const { allowed } = datasets.find((entry: { dataset: string }) => entry.dataset === dataset.id)
      const needed = Object.entries(dataset.filters).filter(([, { required }]) => required)
      const { statusCode } = await get(`${pathOf(dataset)}?${needed.map(([name, { example }]) => `${name}=${example}`).join('&')}`, key)
      expect.soft(statusCode === 200, `${dataset.id} on ${plan}: status ${statusCode}`).toBe(allowed)
    }
  })

  it('entitlements include the credits of a read immediately, and a request for entitlements is free', async () => {
    const key = p.keyOn('pro', 'counted@example.test')
    await get('/v2/datasets/institutional-positioning?symbol=2330', key)
    for (let count = 0; count < 3; count++) {
      const response = await get('/v2/account/entitlements', key)
      expect(response.json().credits).toMatchObject({ used: 2, remaining: 99_998 })
      expect(response.headers).toMatchObject({ 'x-credits-charged': '0', 'x-credits-remaining': '99998' })
    }
  })
})

describe('the billing preview', () => {
  const preview = async (key: string, query = '') => (await get(`/v2/account/billing-preview${query}`, key)).json()
  const plan = (id: PlanId, amount: number) => ({
    currency: 'TWD',
    is_estimate: true,
    plan: { id, base_amount: amount },
    subtotal: amount,
    tax: null,
    total: amount,
  })

  it('the billing preview of a granted plan bills nothing and lists the credits by dataset', async () => {
    const key = p.keyOn('pro', 'granted@example.test')
    for (let count = 0; count < 3; count++) await get('/v2/datasets/institutional-positioning?symbol=2330', key)
    await get('/v2/datasets/theme-taxonomy', key)
    const body = await preview(key)
    expect(body).toMatchObject({
      ...plan('pro', 0),
      window: { name: 'month', start: '2026-07-01', end: '2026-07-31', timezone: 'Asia/Taipei' },
      credits: { included: 100_000, used: 7 },
      next_invoice_at: null,
      subscription: null,
    })
    expect(body.lines).toEqual([
      { kind: 'plan', dataset: null, slug: null, quantity: 1, unit_credits: null, credits: null, amount: 0 },
      {
        kind: 'usage',
        dataset: 'institutional-positioning',
        slug: 'institutional-positioning',
        quantity: 3,
        unit_credits: 2,
        credits: 6,
        amount: 0,
      },
      { kind: 'usage', dataset: 'theme_taxonomy', slug: 'theme-taxonomy', quantity: 1, unit_credits: 1, credits: 1, amount: 0 },
    ])
  })

  it('the billing preview bills nothing for a free plan', async () => {
    expect(await preview(p.keyOn('free', 'free@example.test'))).toMatchObject(plan('free', 0))
  })

  it('the billing preview filters usage by window and dataset', async () => {
    const key = p.keyOn('pro', 'narrow@example.test')
    for (const url of ['/v2/datasets/theme-taxonomy', '/v2/datasets/institutional-positioning?symbol=2330']) await get(url, key)
    const usage = async (query: string) =>
      (await preview(key, query)).lines
        .filter(({ kind }: { kind: string }) => kind === 'usage')
        .map(({ dataset }: { dataset: string }) => dataset)
    expect(await usage('?dataset=theme_taxonomy')).toEqual(['theme_taxonomy'])
    expect(await usage('?window=last_month')).toEqual([])
    expect(await usage('?window=2026-07')).toHaveLength(2)
  })
})

it('S5: no log line contains a key, code or token', () => expect(p.leaked()).toEqual([]))
