import { afterAll, beforeAll, expect, it } from 'vitest'
import { PLANS } from '../../catalog/index.ts'
import { NOW, service, type TestService } from '../support.ts'
import { balanced, holder, spend, usageOf } from '../usage/ledger.ts'

let s: TestService
beforeAll(async () => {
  s = await service()
})
afterAll(() => s.close())

const URL = '/v2/search?q=2330'

it.each([
  ['with hits', URL, 1],
  ['without hits', '/v2/search?q=zzzzzz', 0],
  ['beyond its last page', `${URL}&offset=50`, 0],
])('a search %s costs one credit, recorded under its request id', async (name, url, rows) => {
  const account = holder(s, 'free', `${name.replaceAll(' ', '-')}@example.test`, NOW)
  const { statusCode, headers } = await s.get(url, account.key)
  const left = PLANS.free.creditsPerMonth - 1
  expect([statusCode, headers['x-credits-charged'], headers['x-credits-remaining']]).toEqual([200, '1', String(left)])
  expect(headers['x-row-count']).toBe(String(rows))
  expect(usageOf(s.dir, account.accountId).entries).toMatchObject([
    { request_id: headers['x-request-id'], dataset: 'search', credits: 1, rows },
  ])
  expect(balanced(s.dir, account.accountId)).toEqual({ requests: 1, credits: 1 })
})

it('the usage summary lists searches as dataset "search"', async () => {
  const { key } = holder(s, 'free', 'usage@example.test', NOW)
  await s.get(URL, key)
  await s.get('/v2/datasets/securities-firm-master', key)
  const all = (await s.get('/v2/account/usage-summary', key)).json()
  expect(all.by_dataset).toMatchObject([
    { dataset: 'search', requests: 1, credits: 1, rows: 1 },
    { dataset: 'securities_firm_master', slug: 'securities-firm-master', requests: 1 },
  ])
  const summary = (await s.get('/v2/account/usage-summary?dataset=search', key)).json()
  expect(summary.totals).toMatchObject({ requests: 1, credits: 1, errors: 0 })
})

it('a refused search costs nothing and counts as an error', async () => {
  const account = holder(s, 'free', 'refused@example.test', NOW)
  for (const url of ['/v2/search', '/v2/search?q=a&limit=0']) {
    const { statusCode, headers } = await s.get(url, account.key)
    expect([statusCode, headers['x-credits-charged']]).toEqual([422, '0'])
  }
  await expect.poll(() => usageOf(s.dir, account.accountId).errors).toBe(2)
  expect(balanced(s.dir, account.accountId)).toEqual({ requests: 0, credits: 0 })
})

it('only one of ten searches on the last credit succeeds; the others get 402', async () => {
  const account = holder(s, 'free', 'last@example.test', NOW)
  await spend(s, account, PLANS.free.creditsPerMonth, 1, NOW)
  const answers = await Promise.all(Array.from({ length: 10 }, () => s.get(URL, account.key)))
  expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1)
  const refused = answers.find(({ statusCode }) => statusCode !== 200)!
  expect([refused.statusCode, refused.json().error.error_code]).toEqual([402, 'credits_exhausted'])
})

it('a search without a key is refused with missing_api_key', async () => {
  expect((await s.get(URL)).json().error.error_code).toBe('missing_api_key')
  expect((await s.get(URL, undefined, { authorization: `Bearer ${s.keyOn('free')}` })).statusCode).toBe(200)
})

it('the log does not contain the words of a search', async () => {
  await s.get('/v2/search?q=confidential', s.keyOn('free'))
  expect(s.lines.filter(line => line.includes('"dataset":"search"')).at(-1)).toContain('"event":"read"')
  expect(s.lines.join()).not.toContain('confidential')
})
