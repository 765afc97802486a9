import { afterAll, beforeAll, expect, it } from 'vitest'
import { PLANS } from '../../catalog/index.ts'
import { findBookFaults } from '../../src/state/index.ts'
import { refused } from '../accounts/portal.ts'
import { SECRETS, service, type TestService } from '../support.ts'
import { balanced, type Holder, holder, spend } from './ledger.ts'

const FIRST = new Date('2026-07-01T12:00:00+08:00')
const FREE = PLANS.free.creditsPerMonth
const READ = '/v2/datasets/securities-firm-master'

let s: TestService
let at = FIRST
let people = 0
beforeAll(async () => {
  s = await service({ now: () => at })
})
afterAll(() => s.close())

const someone = (plan: 'free' | 'pro' | 'max' = 'free'): Holder => holder(s, plan, `credits${++people}@example.test`, at)
const post = (path: string, payload: object, headers: Record<string, string> = {}) =>
  s.app.inject({
    method: 'POST',
    url: `/v2/admin/credits/${path}`,
    headers: { 'x-admin-token': SECRETS.ADMIN_TOKEN, ...headers },
    payload,
  })
const grant = (account: string, credits: number, reason = 'pilot') => post('grant', { account, credits, reason })
const refund = (requestId: string, reason = 'outage') => post('refund', { request_id: requestId, reason })
const json = async (path: string, { key }: Holder) => (await s.get(path, key)).json()
const read = async ({ key }: Holder): Promise<string> => {
  const { statusCode, headers } = await s.get(READ, key)
  expect(statusCode).toBe(200)
  return String(headers['x-request-id'])
}
const audited = (accountId: string) =>
  s.control.audit.page({ accountId, action: null, actor: null, from: null, to: null, before: null, limit: 10 }).entries

it('granted credits immediately allow reads beyond the plan, up to the number of granted credits', async () => {
  const owner = someone()
  await spend(s, owner, FREE, 0, at)
  expect(refused(await s.get(READ, owner.key))).toEqual([402, 'credits_exhausted'])
  const granted = await grant(owner.accountId, 2)
  expect([granted.statusCode, granted.json()]).toEqual([
    200,
    {
      entry_id: granted.headers['x-request-id'],
      kind: 'grant',
      account_id: owner.accountId,
      at: '2026-07-01T12:00:00.000+08:00',
      credited: 2,
      reason: 'pilot',
      refunded_request_id: null,
      credits: {
        period: '2026-07',
        included: FREE,
        granted: 2,
        refunded: 0,
        used: FREE,
        remaining: 2,
        resets_at: '2026-08-01T00:00:00.000+08:00',
      },
    },
  ])
  const { headers } = await s.get(READ, owner.key)
  expect([headers['x-credits-limit'], headers['x-credits-remaining']]).toEqual([String(FREE + 2), '1'])
  await read(owner)
  expect(refused(await s.get(READ, owner.key))).toEqual([402, 'credits_exhausted'])
  expect(balanced(s.dir, owner.accountId)).toEqual({ requests: 3, credits: FREE + 2 })
})

it('granted and refunded credits add to the limit that the operator set for an account', async () => {
  const owner = someone()
  const admin = { 'x-admin-token': SECRETS.ADMIN_TOKEN }
  const url = `/v2/admin/accounts/${owner.accountId}`
  await s.app.inject({ method: 'POST', url: `${url}/limits`, headers: admin, payload: { credits_per_month: 1 } })
  const use = await read(owner)
  expect(refused(await s.get(READ, owner.key))).toEqual([402, 'credits_exhausted'])
  await grant(owner.accountId, 3)
  await refund(use)
  const shown = (await s.app.inject({ url, headers: admin })).json()
  const credits = { included: 1, granted: 3, refunded: 1, used: 1, remaining: 4 }
  expect(shown).toMatchObject({ credits, usage: { totals: { credits: 1, granted: 3, refunded: 1 } } })
  const summary = await json('/v2/account/usage-summary', owner)
  const preview = await json('/v2/account/billing-preview', owner)
  const account = await json('/v2/account/entitlements', owner)
  expect([summary.credits, account.credits]).toMatchObject([credits, credits])
  expect(preview.credits).toMatchObject({ included: 1, granted: 3, refunded: 1, used: 1 })
  expect((await s.get(READ, owner.key)).headers['x-credits-limit']).toBe('5')
})

it('a grant names its account by id or by e-mail address, and creates no account', async () => {
  const owner = someone()
  expect((await grant(`CREDITS${people}@example.test`, 5)).json()).toMatchObject({ account_id: owner.accountId })
  expect(refused(await grant('nobody@example.test', 5))).toEqual([404, 'unknown_id'])
  expect(refused(await grant('acct_unknown', 5))).toEqual([404, 'unknown_id'])
})

it('a refund gives back the price of a read once, even in two concurrent calls', async () => {
  const owner = someone()
  const use = await read(owner)
  const answers = await Promise.all([refund(use), refund(use)])
  expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 409])
  const given = answers.find(({ statusCode }) => statusCode === 200)!.json()
  expect(given).toMatchObject({ kind: 'refund', credited: 1, refunded_request_id: use, credits: { used: 1, refunded: 1, remaining: FREE } })
  const again = await refund(use)
  expect(refused(again)).toEqual([409, 'already_refunded'])
  expect(again.json().error).toMatchObject({ refund_id: given.entry_id, refunded_at: given.at })
  expect(refused(await refund('req_unknown'))).toEqual([404, 'unknown_id'])
  // A refund is not a charged read.
  expect(refused(await refund(given.entry_id))).toEqual([404, 'unknown_id'])
})

it('a refund of a read of an earlier month counts in the current month', async () => {
  const owner = someone()
  const use = await read(owner)
  at = new Date('2026-08-01T00:00:00+08:00')
  await refund(use)
  expect((await json('/v2/account/entitlements', owner)).credits).toMatchObject({
    period: '2026-08',
    used: 0,
    refunded: 1,
    remaining: FREE + 1,
  })
  expect((await json('/v2/account/usage-summary?window=2026-07', owner)).credits).toMatchObject({ used: 1, refunded: 0, remaining: 0 })
  at = FIRST
})

it('granted credits expire with their month', async () => {
  const owner = someone()
  await grant(owner.accountId, 7)
  at = new Date('2026-08-01T00:00:00+08:00')
  expect((await json('/v2/account/entitlements', owner)).credits).toMatchObject({ granted: 0, remaining: FREE })
  at = FIRST
})

it('the usage ledger lists grants and refunds with their reason, and its columns add up to the summary', async () => {
  const owner = someone()
  const [kept, given] = [await read(owner), await read(owner)]
  const [granted, refunded] = [await grant(owner.accountId, 50, '  early  adopter '), await refund(given, 'wrong rows on 1 July')]
  const entries = (await json('/v2/account/usage-ledger?window=today', owner)).data as readonly Record<string, unknown>[]
  const names = { dataset: 'securities_firm_master', slug: 'securities-firm-master' }
  expect(entries).toEqual([
    {
      request_id: refunded.json().entry_id,
      at: '2026-07-01T12:00:00+08:00',
      ...names,
      key_id: owner.keyId,
      credits: 0,
      rows: 0,
      kind: 'refund',
      credited: 1,
      reason: 'wrong rows on 1 July',
      refunded_request_id: given,
    },
    {
      request_id: granted.json().entry_id,
      at: '2026-07-01T12:00:00+08:00',
      dataset: 'credits',
      slug: 'credits',
      key_id: null,
      credits: 0,
      rows: 0,
      kind: 'grant',
      credited: 50,
      reason: 'early  adopter',
      refunded_request_id: null,
    },
    expect.objectContaining({ request_id: given, kind: 'use', credits: 1, credited: 0, reason: null, refunded_request_id: null }),
    expect.objectContaining({ request_id: kept, kind: 'use', credits: 1, credited: 0, reason: null, refunded_request_id: null }),
  ])
  const { totals, credits } = await json('/v2/account/usage-summary?window=today', owner)
  expect(totals).toMatchObject({ requests: 2, credits: 2, granted: 50, refunded: 1 })
  expect(credits).toMatchObject({ included: FREE, granted: 50, refunded: 1, used: 2, remaining: FREE + 49 })
  expect((await json('/v2/account/billing-preview', owner)).credits).toMatchObject({ granted: 50, refunded: 1, used: 2 })
  const pages = []
  for (let before = ''; ; ) {
    const { data, next_before: next } = await json(`/v2/account/usage-ledger?window=today&limit=1${before}`, owner)
    pages.push(...data)
    if (next === null) break
    before = `&before=${next}`
  }
  expect(pages).toEqual(entries)
  const csv = (await s.get('/v2/account/usage-ledger?window=today&format=csv', owner.key)).body.trimEnd().split('\r\n')
  expect(csv[0]).toMatch(/,kind,credited,reason,refunded_request_id$/)
  expect(csv[1]).toMatch(new RegExp(`,refund,1,wrong rows on 1 July,${given}$`))
  expect(csv.slice(2)).toEqual([
    expect.stringMatching(/,credits,credits,,0,0,grant,50,early {2}adopter,$/),
    expect.stringMatching(/,use,0,,$/),
    expect.stringMatching(/,use,0,,$/),
  ])
})

it('a filter by dataset or key selects the refunds of matching reads, but no grants', async () => {
  const owner = someone()
  const use = await read(owner)
  await grant(owner.accountId, 3)
  await refund(use)
  const kinds = async (query: string) =>
    (await json(`/v2/account/usage-ledger?${query}`, owner)).data.map(({ kind }: { readonly kind: string }) => kind)
  expect(await kinds('dataset=securities-firm-master')).toEqual(['refund', 'use'])
  expect(await kinds(`key_id=${owner.keyId}`)).toEqual(['refund', 'use'])
  expect(await kinds('dataset=earnings')).toEqual([])
  const { totals } = await json('/v2/account/usage-summary?dataset=securities-firm-master', owner)
  expect(totals).toMatchObject({ granted: 0, refunded: 1 })
})

it('grants and refunds are in the audit log, but refused grants and refunds are not', async () => {
  const owner = someone()
  const use = await read(owner)
  const [granted, refunded] = [await grant(owner.accountId, 9), await refund(use)]
  await refund(use)
  const common = { actor: 'admin', accountId: owner.accountId, at: '2026-07-01T12:00:00.000+08:00' }
  const entry = (answer: typeof granted) => ({ target: answer.headers['x-request-id'], requestId: answer.headers['x-request-id'] })
  const entries = audited(owner.accountId)
  expect(entries).toMatchObject([
    { ...common, ...entry(refunded), action: 'credits refunded' },
    { ...common, ...entry(granted), action: 'credits granted' },
  ])
  expect(entries.map(({ facts }) => JSON.parse(facts))).toEqual([
    { credits: 1, reason: 'outage', refunded_request_id: use },
    { credits: 9, reason: 'pilot' },
  ])
})

it('a grant repeated with its Idempotency-Key adds credits once', async () => {
  const owner = someone()
  const body = { account: owner.accountId, credits: 4, reason: 'pilot' }
  const first = await post('grant', body, { 'idempotency-key': 'grant-1' })
  const second = await post('grant', body, { 'idempotency-key': 'grant-1' })
  expect([second.statusCode, second.json()]).toEqual([200, first.json()])
  expect((await json('/v2/account/entitlements', owner)).credits).toMatchObject({ granted: 4 })
})

it('credits of a closed account are neither granted nor refunded', async () => {
  const owner = someone()
  const use = await read(owner)
  s.control.accounts.close(owner.accountId, at)
  expect(refused(await grant(owner.accountId, 4))).toEqual([409, 'conflict'])
  expect(refused(await refund(use))).toEqual([409, 'conflict'])
})

it('a reopened account starts with the used credits of the closed account, minus granted and refunded credits', async () => {
  const owner = someone()
  const [use] = [await read(owner), await read(owner)]
  await refund(use)
  s.control.accounts.close(owner.accountId, at)
  const next = holder(s, 'free', `credits${people}@example.test`, at)
  expect((await json('/v2/account/entitlements', next)).credits).toMatchObject({ used: 1, remaining: FREE - 1 })
})

it('a grant or refund without a valid reason, number or account is refused, and the error names the field', async () => {
  const good = { account: 'acct_x', credits: 1, reason: 'pilot' }
  for (const [body, field] of [
    [{ ...good, reason: ' ' }, 'reason'],
    [{ ...good, reason: 'r'.repeat(501) }, 'reason'],
    [{ ...good, reason: 'two\nlines' }, 'reason'],
    [{ ...good, credits: 0 }, 'credits'],
    [{ ...good, credits: 1.5 }, 'credits'],
    [{ ...good, credits: -5 }, 'credits'],
    [{ ...good, credits: 1_000_000_001 }, 'credits'],
    [{ credits: 1, reason: 'pilot' }, 'account'],
    [{ ...good, expires_at: '2027-01-01' }, 'expires_at'],
  ] as const) {
    const answer = await post('grant', body)
    expect.soft(refused(answer), field).toEqual([422, 'invalid_parameter'])
    expect.soft(answer.json().detail[0]?.loc, field).toEqual(['body', field])
  }
})

it('credit entries can be neither changed nor deleted, and findBookFaults reports entries that do not match', async () => {
  const owner = someone()
  await refund(await read(owner))
  const { db } = s.control
  expect(() => db.prepare('UPDATE credit_entry SET credits = 5').run()).toThrow('append-only')
  expect(() => db.prepare('DELETE FROM credit_entry').run()).toThrow('append-only')
  expect(findBookFaults(db)).toEqual([])
  const insert = db.prepare(
    "INSERT INTO credit_entry (id, kind, account_id, at, credits, reason, use_id) VALUES (?, ?, ?, '2026-07-01', ?, 'x', ?)",
  )
  expect(() => insert.run('req_x', 'refund', owner.accountId, 1, null)).toThrow('CHECK')
  const use = await read(owner)
  insert.run('req_y', 'refund', owner.accountId, 50, use)
  expect(findBookFaults(db)).toEqual([
    expect.stringMatching(/^1 refunds do not match/),
    expect.stringMatching(/^1 grants or refunds .* audit log/),
  ])
})

it('if credits are granted after the event credits.low, the event can be sent again for the larger amount', async () => {
  const owner = someone()
  s.control.webhooks.endpoints.create(
    owner.accountId,
    { url: 'https://hooks.example.test/low', description: '', events: ['credits.low'], datasets: [], symbols: [] },
    at,
  )
  const events = () =>
    s.control.db.prepare("SELECT json_extract(body, '$.data.remaining') AS remaining FROM webhook_event WHERE type = 'credits.low'").all()
  await spend(s, owner, FREE, FREE / 5, at)
  expect(events()).toHaveLength(1)
  await grant(owner.accountId, FREE)
  await read(owner)
  expect(events()).toHaveLength(1)
  const { accountId, keyId } = owner
  const use = { accountId, keyId, dataset: 'events', at: '2026-07-01T12:00:00.000+08:00', rows: 0 }
  await s.control.ledger.record({ ...use, requestId: 'req_low', credits: FREE * 0.8 })
  expect(events()).toEqual([{ remaining: FREE / 5 }, { remaining: FREE * 0.4 - 1 }])
})
