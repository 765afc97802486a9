import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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
const CREDITS = { period: '2026-07', used: 0, resets_at: '2026-08-01T00:00:00.000+08:00' }
const FREE = {
  plan_id: 'free',
  account_status: 'active',
  source: 'default',
  row_limit: 1_000,
  credits: { ...CREDITS, included: 1_000, remaining: 1_000 },
}

describe('rule 1: the summary of an account', () => {
  it.each<[string, Record<string, string>]>([
    ['no token', {}],
    ['another token', { authorization: 'Bearer service-token-for-tests-0123456780' }],
    ['the beginning of the token', { authorization: `Bearer ${SECRETS.SERVICE_TOKEN.slice(0, -1)}` }],
    ['the token and more', { authorization: `Bearer ${SECRETS.SERVICE_TOKEN}0` }],
    ['the token in capitals', { authorization: `Bearer ${SECRETS.SERVICE_TOKEN.toUpperCase()}` }],
    ['the token without a scheme', { authorization: SECRETS.SERVICE_TOKEN }],
    ['the token under another scheme', { authorization: `Basic ${SECRETS.SERVICE_TOKEN}` }],
    ['an empty token', { authorization: 'Bearer ' }],
    ['the token in another header', { 'x-api-key': SECRETS.SERVICE_TOKEN, 'x-admin-token': SECRETS.SERVICE_TOKEN }],
    ['the admin token', { authorization: `Bearer ${SECRETS.ADMIN_TOKEN}` }],
  ])('is refused to whoever sends %s, for known and unknown addresses alike', async (_, headers) => {
    p.keyOn('max', 'known@example.test')
    const answers = [await summary('known@example.test', headers), await summary('unknown@example.test', headers)]
    for (const answer of answers) expect(refused(answer)).toEqual([401, 'invalid_service_token'])
    const [known, unknown] = answers.map(({ body }) => body.replace(/req_[0-9a-z]{26}/g, 'req'))
    expect(known).toBe(unknown)
  })

  it('is refused to an API key', async () => {
    expect(refused(await summary('known@example.test', { 'x-api-key': p.keyOn('max') }))).toEqual([401, 'invalid_service_token'])
  })

  it('is stored by no cache', async () => {
    expect((await summary('known@example.test')).headers['cache-control']).toBe('no-store')
  })
})

describe('rule 2: an address without an account', () => {
  it('has the free default', async () => {
    expect((await summary('unknown@example.test')).json()).toEqual({ email: 'unknown@example.test', ...FREE })
  })

  it.each([
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
  ])('has it too where the address is odd: %j', async text => {
    const response = await summary(text)
    expect(response.statusCode, response.body).toBe(200)
    expect(response.json()).toEqual({ email: text, ...FREE })
  })

  it('and no header at all is a mistake of the caller', async () => {
    const response = await p.send('GET', PATH, service)
    expect(refused(response)).toEqual([422, 'invalid_parameter'])
    expect(response.json().detail).toMatchObject([{ loc: ['header', 'x-account-email'] }])
  })

  it('makes no account', () => {
    expect(p.rows("SELECT id FROM account WHERE email <> 'known@example.test' AND email NOT LIKE 'max@%'")).toEqual([])
  })
})

describe('an address with an account', () => {
  it('has its plan, whatever the case it is asked in', async () => {
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

  it('is closed, on the free default, once its account is, and the credits it used stay used', async () => {
    const email = 'leaving@example.test'
    const use = (owner: SignedIn, keyId: string, credits: number) =>
      p.control.ledger.record({
        ...{ requestId: `req_${keyId}`, accountId: owner.accountId, keyId, dataset: 'theme-taxonomy' },
        ...{ at: '2026-07-01T10:00:00.000+08:00', credits, rows: 1 },
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

  it('is not charged for requests about it', async () => {
    const key = p.keyOn('free', 'watched@example.test')
    for (let count = 0; count < 5; count++) await summary('watched@example.test')
    const { headers } = await p.send('GET', '/v2/account/entitlements', { 'x-api-key': key })
    expect(headers['x-credits-remaining']).toBe('1000')
  })
})

it('S5: no log line holds a key, code or token of this run', () => expect(p.leaked()).toEqual([]))
