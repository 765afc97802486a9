import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { BUILT_IN_PLANS, PLANS, setPlans } from '../../catalog/index.ts'
import { createLog, readConfig, readPlans } from '../../src/core/index.ts'
import { openService } from '../../src/main.ts'
import { dataFolder, SECRETS, service, type TestService } from '../support.ts'

let s: TestService
let file: string
beforeAll(async () => {
  s = await service({ examples: false })
  file = join(s.dir, 'plans.json')
})
afterEach(() => {
  rmSync(file, { force: true })
  s.plans.refresh()
})
afterAll(() => s.close())

const write = (content: unknown): void => writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
const put = (content: unknown): void => {
  write(content)
  s.plans.refresh()
}
const tier = async (plan: string) =>
  (await s.get('/v2/product/tiers')).json().data.find(({ plan_id }: { readonly plan_id: string }) => plan_id === plan)
const events = (name: string) => s.lines.map(line => JSON.parse(line)).filter(({ event }) => event === name)
const faultsOf = (content: unknown): readonly string[] => {
  write(content)
  try {
    readPlans(s.dir)
    return []
  } catch (error) {
    return (error as Error).message.split(/(?<=\.) (?=plans\.json)/)
  }
}

describe('plans.json', () => {
  it('a changed plans.json takes effect while the service runs: prices, limits, credits and pages', async () => {
    const key = s.keyOn('pro', 'plans@example.test')
    const before = (await s.get('/v2/account/entitlements', key)).json()
    put({ pro: { name: 'Team', price: { amount: 129_000 }, credits_per_month: 150_000, row_limit: 30_000, requests_at_once: 8 } })
    expect(await tier('pro')).toMatchObject({
      name: 'Team',
      price: { amount: 129_000, currency: 'TWD', period: 'month' },
      included_credits: 150_000,
      row_limit: 30_000,
      rate_limits: { requests_per_minute: BUILT_IN_PLANS.pro.requestsPerMinute, requests_at_once: 8 },
    })
    const after = await s.get('/v2/account/entitlements', key)
    expect(after.json()).toMatchObject({ row_limit: 30_000, credits: { included: 150_000 } })
    expect([before.credits.included, after.headers['x-credits-limit']]).toEqual([100_000, '150000'])
    expect((await s.get('/')).body).toContain('TWD 1,290')
    expect((await s.get('/docs/accounts-and-limits')).body).toContain('1290 TWD')
  })

  it('a plan or field absent from plans.json keeps its built-in value, and deleting the file restores all built-in values', async () => {
    put({ max: { webhook_endpoints: 50 } })
    expect(PLANS).toEqual({ ...BUILT_IN_PLANS, max: { ...BUILT_IN_PLANS.max, webhookEndpoints: 50 } })
    rmSync(file)
    s.plans.refresh()
    expect(PLANS).toEqual(BUILT_IN_PLANS)
  })

  it('a changed plans.json is logged and audited with its old and new values, but an unchanged file is not', async () => {
    const logged = events('plans changed').length
    const audited = () =>
      s.control.audit.page({ accountId: null, action: 'plans changed', actor: null, from: null, to: null, before: null, limit: 9 }).entries
    const former = audited().length
    put({ pro: { price: { amount: 100_000 } } })
    const changes = [{ field: 'pro.price', from: { amount: 99_000, currency: 'TWD' }, to: { amount: 100_000, currency: 'TWD' } }]
    expect(events('plans changed').slice(logged)).toMatchObject([{ changes }])
    expect(audited()).toHaveLength(former + 1)
    expect(audited()[0]).toMatchObject({ actor: 'operator', accountId: null })
    expect(JSON.parse(audited()[0]!.facts)).toMatchObject({ changes, plans: { pro: { price: { amount: 100_000 } } } })
    put({ pro: { price: { amount: 100_000, currency: 'TWD' } } })
    expect([events('plans changed').length, audited().length]).toEqual([logged + 1, former + 1])
  })

  it('an invalid plans.json keeps the previous plans and is logged once with its faults', async () => {
    put({ pro: { credits_per_month: 120_000 } })
    const refused = events('plans refused').length
    put('{"pro": {"credits_per_month": ')
    s.plans.refresh()
    s.plans.refresh()
    expect(await tier('pro')).toMatchObject({ included_credits: 120_000 })
    expect(events('plans refused').slice(refused)).toMatchObject([{ error: expect.stringMatching(/^plans\.json: .*not valid JSON/) }])
    put({ pro: { credits_per_month: 0 } })
    expect(await tier('pro')).toMatchObject({ included_credits: 120_000 })
    expect(events('plans refused')).toHaveLength(refused + 2)
  })

  it('each fault of plans.json is reported in one sentence with the field and the accepted values', () => {
    for (const [content, ...faults] of [
      ['{', expect.stringMatching(/^plans\.json: the content is not valid JSON \(.*\)\.$/)],
      ['[]', 'plans.json: the content must be an object.'],
      [{ gold: {} }, 'plans.json: gold is not a plan; use free, pro, max.'],
      [{ pro: 5 }, 'plans.json: pro must be an object.'],
      [{ pro: { row_limits: 5 } }, 'plans.json: pro.row_limits is not a field; use row_limit.'],
      [{ pro: { price: { amount: 1, vat: 5 } } }, 'plans.json: pro.price.vat is not a field; use amount, currency.'],
      [{ pro: { price: { amount: 9.5 } } }, 'plans.json: pro.price.amount must be a whole number from 0 to 1000000000.'],
      [{ pro: { price: { amount: 1, currency: 'USD' } } }, 'plans.json: pro.price.currency must be TWD.'],
      [{ max: { row_limit: 100_001 } }, 'plans.json: max.row_limit must be a whole number from 1 to 100000.'],
      [{ max: { name: '' } }, 'plans.json: max.name must be a text of 1 to 40 characters.'],
      [{ max: { features: ['Not Snake'] } }, 'plans.json: max.features.0 must be a list of at most 50 snake_case words.'],
      [{ free: { price: { amount: 5 } } }, 'plans.json: free.price.amount must be 0.'],
      [{ pro: { row_limit: 500 } }, 'plans.json: pro.row_limit (500) must be at least free.row_limit (1000).'],
      [
        { free: { requests_at_once: '2' }, pro: { webhook_endpoints: -1 } },
        'plans.json: free.requests_at_once must be a whole number from 1 to 1000.',
        'plans.json: pro.webhook_endpoints must be a whole number from 0 to 1000.',
      ],
    ] as readonly (readonly [unknown, ...unknown[]])[])
      expect.soft(faultsOf(content), JSON.stringify(content)).toEqual(faults)
  })
})

it('a service with an invalid plans.json does not start and names the fault', async () => {
  const { dir, remove } = await dataFolder()
  writeFileSync(join(dir, 'plans.json'), '{"pro": {"row_limit": "many"}}')
  const start = openService({ config: readConfig({ DATA_DIR: dir }), secrets: SECRETS, log: createLog('silent') })
  await expect(start).rejects.toThrow('plans.json: pro.row_limit must be a whole number from 1 to 100000.')
  setPlans(BUILT_IN_PLANS)
  await remove()
})

it('if the plans change while no service runs, the next start audits the change', async () => {
  const { dir, remove } = await dataFolder()
  const changes = async () => {
    const { control, close } = await openService({
      config: readConfig({ DATA_DIR: dir, DUCKDB_THREADS: '1', DUCKDB_MEMORY_LIMIT: '1GB' }),
      secrets: SECRETS,
      log: createLog('silent'),
    })
    const { entries } = control.audit.page({
      accountId: null,
      action: 'plans changed',
      actor: null,
      from: null,
      to: null,
      before: null,
      limit: 9,
    } as const)
    await close()
    return entries.map(({ facts }) => JSON.parse(facts).changes)
  }
  expect(await changes()).toEqual([])
  writeFileSync(join(dir, 'plans.json'), '{"max": {"credits_per_month": 2000000}}')
  const change = { field: 'max.credits_per_month', from: 1_000_000, to: 2_000_000 }
  expect(await changes()).toEqual([[change]])
  expect(await changes()).toEqual([[change]])
  rmSync(join(dir, 'plans.json'))
  expect(await changes()).toEqual([[{ ...change, from: 2_000_000, to: 1_000_000 }], [change]])
  await remove()
})
