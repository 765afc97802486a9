import { afterAll, beforeAll, expect, it } from 'vitest'
import { SECRETS } from '../support.ts'
import { type Portal, portal, refused, type SignedIn } from './portal.ts'

let p: Portal
beforeAll(async () => {
  p = await portal()
})
afterAll(() => p.close())

const PATH = '/v2/account/summary'
const service = { authorization: `Bearer ${SECRETS.SERVICE_TOKEN}` }
const summary = (email: string, headers: Record<string, string> = service) => p.send('GET', PATH, { ...headers, 'x-account-email': email })
const CREDITS = { period: '2026-07', granted: 0, refunded: 0, used: 0, resets_at: '2026-08-01T00:00:00.000+08:00' }
const FREE = {
  plan_id: 'free',
  account_status: 'active',
  source: 'default',
  row_limit: 1_000,
  credits: { ...CREDITS, included: 1_000, remaining: 1_000 },
}

it('the account summary refuses every wrong service token with the same response for known and unknown addresses', async () => {
  const key = p.keyOn('max', 'known@example.test')
  const credentials: Readonly<Record<string, Record<string, string>>> = {
    'no token': {},
    'another token': { authorization: 'Bearer service-token-for-tests-0123456780' },
    'a prefix of the token': { authorization: `Bearer ${SECRETS.SERVICE_TOKEN.slice(0, -1)}` },
    'the token and one more character': { authorization: `Bearer ${SECRETS.SERVICE_TOKEN}0` },
    'the token in upper case': { authorization: `Bearer ${SECRETS.SERVICE_TOKEN.toUpperCase()}` },
    'the token without a scheme': { authorization: SECRETS.SERVICE_TOKEN },
    'the token with the Basic scheme': { authorization: `Basic ${SECRETS.SERVICE_TOKEN}` },
    'an empty token': { authorization: 'Bearer ' },
    'the token in other headers': { 'x-api-key': SECRETS.SERVICE_TOKEN, 'x-admin-token': SECRETS.SERVICE_TOKEN },
    'the admin token': { authorization: `Bearer ${SECRETS.ADMIN_TOKEN}` },
    'an API key': { 'x-api-key': key },
  }
  for (const [credential, headers] of Object.entries(credentials)) {
    const answers = [await summary('known@example.test', headers), await summary('unknown@example.test', headers)]
    for (const answer of answers) expect.soft(refused(answer), credential).toEqual([401, 'invalid_service_token'])
    const [existing, unknown] = answers.map(({ body }) => body.replace(/req_[0-9a-z]{26}/g, 'req'))
    expect.soft(existing, credential).toBe(unknown)
  }
})

it('the account summary forbids caching', async () => {
  expect((await summary('known@example.test')).headers['cache-control']).toBe('no-store')
})

it('the account summary reports the free plan for an unknown or malformed address, and creates no account', async () => {
  const accounts = () => p.rows('SELECT id FROM account ORDER BY id')
  const before = accounts()
  for (const address of [
    'unknown@example.test',
    '',
    'nobody',
    '@',
    'a@b@c',
    'a@x.test, b@x.test',
    '"quoted"@x.test',
    "' OR 1=1--",
    '%00',
    '__proto__',
    'null',
    'ä@x.test',
    '\u00ff\u00fe@\u00ff.test',
    'a@127.0.0.1',
    'a'.repeat(321),
    `${'a'.repeat(8_000)}@x.test`,
  ]) {
    const response = await summary(address)
    expect.soft([response.statusCode, response.json()], address).toEqual([200, { email: address, ...FREE }])
  }
  expect(accounts()).toEqual(before)
})

it('the account summary rejects a request without X-Account-Email', async () => {
  const response = await p.send('GET', PATH, service)
  expect(refused(response)).toEqual([422, 'invalid_parameter'])
  expect(response.json().detail).toMatchObject([{ loc: ['header', 'x-account-email'] }])
})

it('the account summary finds an account by its address in any letter case', async () => {
  p.keyOn('pro', 'Known.Pro@example.test')
  for (const email of ['Known.Pro@example.test', 'known.pro@EXAMPLE.test', ' KNOWN.PRO@example.test '])
    expect((await summary(email)).json()).toMatchObject({
      plan_id: 'pro',
      account_status: 'active',
      source: 'account',
      row_limit: 20_000,
      credits: { ...CREDITS, included: 100_000, remaining: 100_000 },
    })
})

it('the account summary reports a closed account as closed, on the free plan, with the credits that the account used', async () => {
  const email = 'leaving@example.test'
  const use = (owner: SignedIn, keyId: string, credits: number) =>
    p.control.ledger.record({
      requestId: `req_${keyId}`,
      accountId: owner.accountId,
      keyId,
      dataset: 'theme-taxonomy',
      at: '2026-07-01T10:00:00.000+08:00',
      credits,
      rows: 1,
    })
  const owner = await p.signIn(email)
  expect((await summary(email)).json().source).toBe('account')
  await use(owner, owner.apiKey!.key_id, 200)
  await p.as(owner, 'DELETE', 'account')
  const left = { ...CREDITS, included: 1_000 }
  const closed = (used: number) => ({ ...FREE, email, account_status: 'closed', credits: { ...left, used, remaining: 1_000 - used } })
  expect((await summary(email)).json()).toEqual(closed(200))
  p.pass(2)
  const again = await p.signIn(email)
  expect((await summary(email)).json()).toMatchObject({ account_status: 'active', credits: { used: 200, remaining: 800 } })
  await use(again, again.apiKey!.key_id, 16)
  await p.as(again, 'DELETE', 'account')
  expect((await summary(email)).json()).toEqual(closed(216))
})

it('the account summary charges no credits', async () => {
  const key = p.keyOn('free', 'watched@example.test')
  for (let count = 0; count < 5; count++) await summary('watched@example.test')
  const { headers } = await p.send('GET', '/v2/account/entitlements', { 'x-api-key': key })
  expect(headers['x-credits-remaining']).toBe('1000')
})

it('S5: no log line contains a key, code or token', () => expect(p.leaked()).toEqual([]))
