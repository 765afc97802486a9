import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { fieldsOf, PLANS } from '../../catalog/index.ts'
import { type Grant, Refusal, stopwatch } from '../../src/core/index.ts'
import {
  type Call,
  createQueryFields,
  createReadDataset,
  createSearch,
  type QueryFields,
  type ReadAnswer,
  type ReadDataset,
  type RunSearch,
} from '../../src/operations/index.ts'
import { NOW, service, type TestService } from '../support.ts'
import { balanced, type Holder, holder, usageOf } from '../usage/ledger.ts'

let s: TestService
let readDataset: ReadDataset
let queryFields: QueryFields
let search: RunSearch
beforeAll(async () => {
  s = await service()
  const lines: unknown[] = []
  const deps = { ...s, clock: s.now, slowReads: { record: () => {} }, log: (...line: unknown[]) => void lines.push(line) }
  readDataset = createReadDataset(deps)
  queryFields = createQueryFields(deps, fieldsOf(s.catalog.values()))
  search = createSearch(deps)
})
afterAll(() => s.close())

/** An authenticated caller with a new account. */
function caller(plan: 'free' | 'pro' | 'max', email: string): { readonly grant: Grant; readonly account: Holder } {
  const account = holder(s, plan, email, NOW)
  return { grant: s.gate.authenticate(account.key, '203.0.113.7'), account }
}

let calls = 0
const call = (isDisconnected = () => false): Call & { readonly language: 'en' } => ({
  requestId: `req_operation_${++calls}`,
  isDisconnected,
  time: stopwatch(),
  language: 'en',
})
const textOf = (body: ReadAnswer['body']): string => String(body)
const codeOf = (error: unknown): unknown => (error instanceof Refusal ? error.code : error)

const firms = () => ({ dataset: s.dataset('securities-firm-master'), params: { limit: '1' } })
const company: Parameters<QueryFields>[1] = {
  entity_type: 'company',
  entity_id: '2330',
  entity_ids: null,
  'entity_ids[]': [],
  fields: 'industry',
  'fields[]': [],
  as_of_date: null,
  minimal_fields: false,
}

it('readDataset returns the rows of the HTTP response and records its charge in the ledger', async () => {
  const { grant, account } = caller('pro', 'read@example.test')
  const answer = call()
  const { meta, body } = await readDataset(grant, firms(), answer)
  const { data } = JSON.parse(textOf(body))
  expect(data).toEqual((await s.get('/v2/datasets/securities-firm-master?limit=1', s.keyOn('pro'))).json().data)
  expect(meta).toMatchObject({
    rows: 1,
    release: { id: '20260701T120000000Z' },
    lastModified: NOW,
    rowLimit: PLANS.pro.rowLimit,
    limited: false,
    next: 'limit=1&offset=1&release=20260701T120000000Z',
    charge: { credits: 1, quota: { balance: { used: 1, remaining: PLANS.pro.creditsPerMonth - 1 } } },
  })
  expect(Object.keys(meta.timings)).toEqual(['plan', 'hold', 'fetch', 'encode', 'settle'])
  expect(usageOf(s.dir, account.accountId).entries).toMatchObject([
    { request_id: answer.requestId, key_id: account.keyId, dataset: 'securities-firm-master', credits: 1, rows: 1 },
  ])
  expect(balanced(s.dir, account.accountId)).toEqual({ requests: 1, credits: 1 })
})

it('readDataset returns no rows and charges nothing when the caller already has the current answer', async () => {
  const { grant, account } = caller('pro', 'again@example.test')
  const { meta } = await readDataset(grant, firms(), call())
  const again = await readDataset(grant, { ...firms(), isKnown: (etag: string) => etag === meta.etag }, call())
  expect(again).toMatchObject({ body: null, meta: { etag: meta.etag, rows: 0, charge: { credits: 0 } } })
  expect(balanced(s.dir, account.accountId)).toEqual({ requests: 1, credits: 1 })
})

it('if a use cannot be recorded, readDataset sends no answer and charges nothing', async () => {
  const { grant, account } = caller('pro', 'unrecorded@example.test')
  const record = vi.spyOn(s.control.ledger, 'record').mockRejectedValueOnce(new Error('no room'))
  await expect(readDataset(grant, firms(), call())).rejects.toThrow('no room')
  record.mockRestore()
  expect(balanced(s.dir, account.accountId)).toEqual({ requests: 0, credits: 0 })
  expect((await readDataset(grant, firms(), call())).meta.charge.quota.balance.used).toBe(1)
})

it('readDataset charges nothing and counts one error when the caller has disconnected', async () => {
  const { grant, account } = caller('pro', 'gone@example.test')
  expect(
    await readDataset(
      grant,
      firms(),
      call(() => true),
    ).catch(codeOf),
  ).toBe('concurrency_limited')
  await expect.poll(() => usageOf(s.dir, account.accountId).errors).toBe(1)
  expect(balanced(s.dir, account.accountId)).toEqual({ requests: 0, credits: 0 })
})

it.each([
  ['plan_required', 'free', 'bond-yield-curve', { limit: '0' }],
  ['invalid_parameter', 'max', 'securities-firm-master', { limit: '0' }],
  ['unknown_id', 'max', 'securities-firm-master', { release: 'x' }],
] as const)('readDataset refuses with %s, charges nothing and counts one error', async (code, plan, slug, params) => {
  const { grant, account } = caller(plan, `${code}@example.test`)
  expect(await readDataset(grant, { dataset: s.dataset(slug), params }, call()).catch(codeOf)).toBe(code)
  await expect.poll(() => usageOf(s.dir, account.accountId).errors).toBe(1)
  expect(balanced(s.dir, account.accountId)).toEqual({ requests: 0, credits: 0 })
})

/** Calls whose answers the test sends later, and the names of the answered calls in order. */
function unread(grant: Grant) {
  const answered: string[] = []
  const leaves = new Map<string, () => void>()
  const note = (who: string) => (): void => void answered.push(who)
  const callOf = (who: string) => ({ ...call(), onSent: (then: () => void) => void leaves.set(who, then) })
  return {
    answered,
    read: (who: string) => readDataset(grant, firms(), callOf(who)).then(note(who)),
    query: (who: string, as_of_date: string | null) => queryFields(grant, { ...company, as_of_date }, callOf(who)).then(note(who)),
    leave: (who: string) => leaves.get(who)!(),
  }
}

it('an answer occupies its slot until it is sent, so further reads of the account wait and reads of other accounts do not', async () => {
  const { answered, read, leave } = unread(caller('free', 'unread@example.test').grant)
  await Promise.all([read('a'), read('b')])
  const waiting = [read('c'), read('d')]
  await readDataset(caller('free', 'other@example.test').grant, firms(), call())
  expect(answered.toSorted()).toEqual(['a', 'b'])
  leave('b')
  leave('b')
  await waiting[0]
  await readDataset(caller('free', 'other@example.test').grant, firms(), call())
  expect(answered.toSorted()).toEqual(['a', 'b', 'c'])
  leave('a')
  await waiting[1]
})

it('an unsent answer to a field query as of an earlier day occupies three slots', async () => {
  const { answered, read, query, leave } = unread(caller('pro', 'past@example.test').grant)
  expect(PLANS.pro.requestsAtOnce).toBe(6)
  await Promise.all([query('a', '2026-06-30'), read('b'), query('c', null)])
  const waiting = [query('d', '2026-06-30'), read('e')]
  await readDataset(caller('free', 'other@example.test').grant, firms(), call())
  expect(answered.toSorted()).toEqual(['a', 'b', 'c'])
  leave('a')
  await Promise.all(waiting)
})

it('queryFields returns the values of the HTTP response and records its charge in the ledger', async () => {
  const { grant, account } = caller('free', 'fields@example.test')
  const pending = call()
  const { meta, body } = await queryFields(grant, company, pending)
  const { request_id, ...answer } = JSON.parse(String(body))
  const { request_id: _, ...overHttp } = (
    await s.get('/v2/query?entity_type=company&entity_id=2330&fields=industry', s.keyOn('free'))
  ).json()
  expect([request_id, answer]).toEqual([pending.requestId, overHttp])
  expect(meta).toMatchObject({ rows: 1, charge: { credits: 1 } })
  expect(usageOf(s.dir, account.accountId).entries).toMatchObject([
    { request_id: pending.requestId, dataset: 'query', credits: 1, rows: meta.rows },
  ])
})

it('queryFields refuses fields above the plan before it checks other parameters', async () => {
  const { grant, account } = caller('free', 'above@example.test')
  const above = { ...company, entity_id: '', fields: 'earnings.eps' }
  expect(await queryFields(grant, above, call()).catch(codeOf)).toBe('plan_required')
  await expect.poll(() => usageOf(s.dir, account.accountId).errors).toBe(1)
})

it('search returns the hits of the HTTP response and records its charge in the ledger', async () => {
  const { grant, account } = caller('free', 'search@example.test')
  const answer = call()
  const { meta, body } = await search(grant, { q: '2', type: 'all', limit: 1, offset: 0 }, answer)
  expect(body).toEqual((await s.get('/v2/search?q=2&limit=1', s.keyOn('free'))).json())
  expect(meta).toMatchObject({ rows: 1, next: 1, charge: { credits: 1 } })
  expect(usageOf(s.dir, account.accountId).entries).toMatchObject([
    { request_id: answer.requestId, dataset: 'search', credits: 1, rows: 1 },
  ])
})
