import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Portal, portal, refused, type SignedIn } from '../portal.ts'

let p: Portal
/** A new account for each test. */
let owner: SignedIn
let email = ''
let people = 0
beforeAll(async () => {
  p = await portal()
})
beforeEach(async () => {
  email = `owner${people++}@example.test`
  owner = await p.signIn(email)
})
afterAll(() => p.close())

const HOUR = 60
const OVER = [401, 'invalid_self_serve_token'] as const
const status = async (who: Pick<SignedIn, 'token'> = owner): Promise<number> => (await p.as(who, 'GET', 'account')).statusCode

describe('sessions', () => {
  it('the account endpoint describes the account of the session', async () => {
    const response = await p.as(owner, 'GET', 'account')
    expect(response.headers['cache-control']).toBe('no-store')
    expect(response.json()).toEqual({
      account_id: owner.accountId,
      email,
      account_status: 'active',
      suspension: null,
      plan_id: 'free',
      plan_source: 'free',
      created_at: '2026-07-01T20:00:00.000+08:00',
      row_limit: 1_000,
      rate_limits: { requests_per_minute: 60, requests_at_once: 2 },
      credits: {
        period: '2026-07',
        included: 1_000,
        granted: 0,
        refunded: 0,
        used: 0,
        remaining: 1_000,
        resets_at: '2026-08-01T00:00:00.000+08:00',
      },
      grant: null,
      settings: { credit_mails: true },
      subscription: null,
      subscriptions: [],
    })
  })

  it('a session ends 12 hours after its last use', async () => {
    p.pass(12 * HOUR - 1)
    expect(await status()).toBe(200)
    p.pass(12 * HOUR - 1)
    expect(await status()).toBe(200)
    p.pass(12 * HOUR)
    expect(refused(await p.as(owner, 'GET', 'account'))).toEqual(OVER)
  })

  it('using an ended session does not renew it', async () => {
    p.pass(12 * HOUR)
    expect(await status()).toBe(401)
    expect(await status()).toBe(401)
  })

  it('a session ends 7 days after sign-in, even if it is used', async () => {
    const days = 7 * 24
    for (let hour = 0; hour < days - 6; hour += 6) {
      p.pass(6 * HOUR)
      expect(await status(), `hour ${hour}`).toBe(200)
    }
    p.pass(6 * HOUR - 1)
    expect(await status()).toBe(200)
    p.pass(1)
    expect(refused(await p.as(owner, 'GET', 'account'))).toEqual(OVER)
    expect(Date.parse(String(owner.answer['expires_at']))).toBe(p.now().getTime())
  })

  it('each session of an account ends independently of the other sessions', async () => {
    p.pass(11 * HOUR)
    const second = await p.signIn(email)
    expect(await status()).toBe(200)
    p.pass(11 * HOUR)
    expect(await status(second)).toBe(200)
    p.pass(1.5 * HOUR)
    expect(await status()).toBe(401)
    expect(await status(second)).toBe(200)
  })
})

describe('stored sessions', () => {
  const DAY = 24 * HOUR
  beforeEach(() => p.tamper('DELETE FROM session WHERE account_id != ?', owner.accountId))
  const stored = () => p.rows('SELECT created_at FROM session ORDER BY created_at')

  it('a sign-in deletes sessions that ended 30 days ago', async () => {
    p.pass(37 * DAY)
    await p.signIn('second@example.test')
    expect(stored()).toHaveLength(2)
    p.pass(1)
    const third = await p.signIn('third@example.test')
    expect(stored()).toHaveLength(2)
    expect(await status(third)).toBe(200)
    expect(refused(await p.as(owner, 'GET', 'account'))).toEqual(OVER)
  })

  it('a sign-in deletes at most 50 ended sessions', async () => {
    const fill = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120)
      INSERT INTO session (id, account_id, token_hash, created_at, last_used_at, expires_at)
      SELECT 'ses_' || i, account_id, randomblob(32), created_at, last_used_at, expires_at FROM n, session`
    p.tamper(fill)
    p.pass(38 * DAY)
    for (const left of [72, 23, 3, 4]) {
      p.pass(15)
      await p.signIn(email)
      expect(stored()).toHaveLength(left)
    }
  })
})

describe('session tokens', () => {
  it('a session token is accepted only in its own header', async () => {
    const { token } = owner
    for (const headers of [
      { authorization: `Bearer ${token}` },
      { 'x-api-key': token },
      { cookie: `x-self-serve-token=${token}; token=${token}` },
      { 'x-admin-token': token },
      { 'self-serve-token': token },
    ] as Record<string, string>[])
      expect(refused(await p.send('GET', '/v2/self-serve/account', headers)), JSON.stringify(Object.keys(headers))).toEqual(OVER)
    expect(refused(await p.send('POST', '/v2/self-serve/api-keys', {}, { token, 'x-self-serve-token': token }))).toEqual(OVER)
    expect(refused(await p.send('GET', `/v2/self-serve/account?x-self-serve-token=${token}`))).toEqual(OVER)
    expect(refused(await p.send('GET', `/v2/self-serve/account?token=${token}`))).toEqual([400, 'key_in_url'])
  })

  it('a session token with one changed character is refused', async () => {
    const { token } = owner
    for (const position of [4, 20, 40]) {
      const changed = `${token.slice(0, position)}${token[position] === 'A' ? 'B' : 'A'}${token.slice(position + 1)}`
      expect(refused(await p.as({ token: changed }, 'GET', 'account'))).toEqual(OVER)
    }
    expect(refused(await p.as({ token: token.toLowerCase() }, 'GET', 'account'))).toEqual(OVER)
  })

  it('every sign-in gets a new session token', async () => {
    const tokens = new Set([owner.token])
    for (let count = 0; count < 5; count++) {
      p.pass(15)
      tokens.add((await p.signIn(email)).token)
    }
    expect(tokens.size).toBe(6)
  })
})

it('an address that sent 20 wrong session tokens gets 429 for further wrong tokens, but valid tokens still work', async () => {
  const limited = await portal({ limits: true })
  const { token } = await limited.signIn('owner@example.test')
  const knock = async (guess: string, ip: string) =>
    (await limited.send('GET', '/v2/self-serve/account', { 'x-self-serve-token': guess }, undefined, ip)).statusCode
  const guesses = []
  for (let count = 0; count < 21; count++) guesses.push(await knock(`sst_${String(count).padStart(43, 'x')}`, '203.0.113.1'))
  expect(guesses).toEqual([...Array(20).fill(401), 429])
  expect(await knock(token, '203.0.113.1')).toBe(200)
  expect(await knock(token, '203.0.113.2')).toBe(200)
  await limited.close()
})

it('S5: no log line of the session tests contains a key, code or token', () => expect(p.leaked()).toEqual([]))
