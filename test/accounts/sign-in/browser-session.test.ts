import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Portal, portal, refused, type SignedIn } from '../portal.ts'

/** The service under test; a `describe` replaces it while its tests run. */
let p: Portal
function uses(options: NonNullable<Parameters<typeof portal>[0]>): void {
  let outer: Portal
  beforeAll(async () => {
    outer = p
    p = await portal({ examples: true, ...options })
  })
  afterAll(async () => {
    expect(p.leaked(), 'secrets of this run in log lines').toEqual([])
    await p.close()
    p = outer
  })
}
uses({})
/** A new account for each test. */
let owner: SignedIn
let email = ''
let people = 0
beforeEach(async () => {
  email = `owner${people++}@example.test`
  owner = await p.signIn(email)
})

const PATH = '/v2/self-serve/browser-session'
const READ = '/v2/datasets/securities-firm-master?limit=2'
const SIGNED_OUT = {
  signed_in: false,
  email: null,
  plan: null,
  credits_left: null,
  credits_reset_at: null,
  suspension: null,
  visitor: null,
}
type Headers = Readonly<Record<string, string>>

/** The cookie of a signed-in browser, as the browser sends it. */
async function cookieOf(who: SignedIn = owner): Promise<string> {
  const { headers } = await p.send('POST', PATH, { 'x-self-serve-token': who.token })
  return String(headers['set-cookie']).split(';')[0]!
}
/** Headers of a request from a page of the portal. */
const page = async (more: Headers = {}): Promise<Headers> => ({ cookie: await cookieOf(), 'x-portal': '1', ...more })
const sessionOf = async (headers: Headers) => (await p.send('GET', PATH, headers)).json()

describe('session cookie', () => {
  it('the session cookie is HttpOnly, SameSite=Strict and expires with the session', async () => {
    p.pass(30)
    const response = await p.as(owner, 'POST', 'browser-session')
    expect(response.headers['set-cookie']).toBe(
      `twmd-session=${owner.token}; Path=/; Max-Age=${7 * 86_400 - 30 * 60}; HttpOnly; SameSite=Strict`,
    )
    expect(response.headers['cache-control']).toBe('no-store')
    expect(response.body).not.toContain('sst_')
    expect(response.json()).toEqual({
      signed_in: true,
      email,
      plan: 'free',
      credits_left: 1_000,
      credits_reset_at: '2026-08-01T00:00:00.000+08:00',
      suspension: null,
      visitor: null,
    })
  })

  describe('https PUBLIC_URL', () => {
    uses({ publicUrl: 'https://data.example' })

    it('the session cookie is Secure and has the __Host- prefix if PUBLIC_URL is https', async () => {
      const { headers } = await p.as(owner, 'POST', 'browser-session')
      expect(headers['set-cookie']).toBe(`__Host-twmd-session=${owner.token}; Path=/; Max-Age=604800; HttpOnly; SameSite=Strict; Secure`)
      const cookie = String(headers['set-cookie']).split(';')[0]!
      expect(await sessionOf({ cookie, 'x-portal': '1' })).toMatchObject({ signed_in: true })
      expect(await sessionOf({ cookie: cookie.replace('__Host-', ''), 'x-portal': '1' })).toMatchObject({ signed_in: false })
    })

    it('the service ignores a cookie whose name only ends with the name of the session cookie', async () => {
      const own = await cookieOf()
      const foreign = await cookieOf(await p.signIn('neighbour@example.test'))
      for (const first of ['\u00a0', '\u00a0 ', '=', '"', 'a']) {
        const cookie = `${first}${foreign}`
        const prefix = `prefix ${JSON.stringify(first)}`
        expect.soft(await sessionOf({ cookie, 'x-portal': '1' }), prefix).toMatchObject({ signed_in: false })
        expect.soft(await sessionOf({ cookie: `${cookie}; \t${own} `, 'x-portal': '1' }), prefix).toMatchObject({ signed_in: true, email })
      }
    })

    it('the service refuses the cookie from a page served over http when PUBLIC_URL is https', async () => {
      const from = (origin: string) => page({ origin, host: 'www.data.example' })
      expect(refused(await p.send('GET', READ, await from('http://www.data.example')))).toEqual([403, 'foreign_origin'])
      expect((await p.send('GET', READ, await from('https://www.data.example'))).statusCode).toBe(200)
    })
  })

  it('the service sets no cookie without a valid session token', async () => {
    for (const headers of [{}, { 'x-self-serve-token': `sst_${'x'.repeat(43)}` }, { 'x-portal': '1' }]) {
      const response = await p.send('POST', PATH, headers as Headers)
      expect(refused(response)).toEqual([401, 'invalid_self_serve_token'])
      expect(response.headers).not.toHaveProperty('set-cookie')
    }
  })

  it('the service finds the session cookie among other cookies', async () => {
    const cookie = `theme=dark; not-twmd-session=x; ${await cookieOf()}; locale=zh`
    expect(await sessionOf({ cookie, 'x-portal': '1' })).toMatchObject({ signed_in: true })
  })
})

describe('signed-in portal pages', () => {
  it('the browser session reports the account while the session is valid, and no account afterwards', async () => {
    const headers = await page()
    expect(await sessionOf(headers)).toMatchObject({ signed_in: true, email })
    p.pass(12 * 60)
    const response = await p.send('GET', PATH, headers)
    expect([response.statusCode, response.json()]).toEqual([200, SIGNED_OUT])
    expect(response.headers['set-cookie']).toBe('twmd-session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict')
  })

  it('a signed-in page has the same access as a session token', async () => {
    const headers = await page()
    expect((await p.send('GET', '/v2/self-serve/account', headers)).json()).toMatchObject({ account_id: owner.accountId })
    const made = await p.send('POST', '/v2/self-serve/api-keys', headers, { name: 'notebook' })
    expect([made.statusCode, await p.tried(made.json().api_key)]).toEqual([200, [200]])
    expect((await p.send('DELETE', '/v2/self-serve/account', headers)).json()).toMatchObject({
      account_status: 'closed',
      api_keys_revoked: 2,
    })
  })

  it('the reads of a signed-in page are charged to its account', async () => {
    const response = await p.send('GET', READ, await page())
    expect(response.json().data).toHaveLength(2)
    expect(response.headers).toMatchObject({ 'x-credits-charged': '1', 'x-credits-remaining': '999', 'cache-control': 'private, no-cache' })
    expect((await p.send('GET', '/v2/account/entitlements', await page())).json()).toMatchObject({ account_id: owner.accountId })
  })

  it('the ledger and the usage show the reads of a browser under a separate key id', async () => {
    const headers = await page()
    const read = await p.send('GET', READ, headers)
    await p.send('GET', READ, { 'x-api-key': owner.apiKey!.api_key })
    const browser = owner.accountId.replace('acct_', 'browser_')
    const { data } = (await p.send('GET', '/v2/self-serve/usage-ledger?window=today', headers)).json()
    expect(data).toMatchObject([
      { key_id: owner.apiKey!.key_id },
      { request_id: read.headers['x-request-id'], key_id: browser, credits: 1, rows: 2 },
    ])
    const { by_key } = (await p.send('GET', '/v2/account/usage-summary?window=today', headers)).json()
    expect(by_key).toMatchObject([
      { key_id: browser, requests: 1, credits: 1 },
      { key_id: owner.apiKey!.key_id, requests: 1, credits: 1 },
    ])
    expect((await p.send('GET', `/v2/self-serve/usage-ledger?window=today&key_id=${browser}`, headers)).json().data).toHaveLength(1)
  })

  it('the key id of a browser session cannot be listed, revoked or revealed, and does not count as a key', async () => {
    const headers = await page()
    await p.send('GET', READ, headers)
    const keyId = owner.accountId.replace('acct_', 'browser_')
    expect((await p.as(owner, 'GET', 'api-keys')).json().data).toMatchObject([{ key_id: owner.apiKey!.key_id }])
    expect(refused(await p.as(owner, 'POST', `api-keys/${keyId}/revoke`))).toEqual([404, 'unknown_id'])
    expect(refused(await p.as(owner, 'GET', `api-keys/${keyId}/reveal`))).toEqual([404, 'unknown_id'])
    expect((await p.as(owner, 'DELETE', 'account')).json()).toMatchObject({ api_keys_revoked: 1 })
  })

  it('a signed-in page gets file lists with working URLs', async () => {
    const { headers, statusCode } = await p.send('GET', '/v2/datasets/securities-firm-master/parts', await page())
    expect([statusCode, headers['x-credits-charged']]).toEqual([200, '1'])
    const { data } = (await p.send('GET', '/v2/datasets/securities-firm-master/parts', await page())).json()
    expect((await p.send('GET', data[0].url.replace(/^https?:\/\/[^/]+/, ''))).statusCode).toBe(200)
  })

  it('a key or token in the request takes precedence over the cookie', async () => {
    const key = p.keyOn('max', `other-${email}`)
    const other = (await p.send('GET', '/v2/account/entitlements', await page({ 'x-api-key': key }))).json()
    expect(other).toMatchObject({ plan_id: 'max' })
    expect(refused(await p.send('GET', READ, await page({ 'x-api-key': 'sk_live_wrong' })))).toEqual([401, 'invalid_api_key'])
    const second = await p.signIn(`second-${email}`)
    const account = await p.send('GET', '/v2/self-serve/account', await page({ 'x-self-serve-token': second.token }))
    expect(account.json()).toMatchObject({ account_id: second.accountId })
  })
})

describe('cross-site requests', () => {
  it.each([
    ['no X-Portal header', {}],
    ['X-Portal: true', { 'x-portal': 'true' }],
    ['X-Portal twice', { 'x-portal': '1, 1' }],
  ])('the service ignores the session cookie of a request with %s', async (_, marked) => {
    const headers = { cookie: await cookieOf(), ...marked } as Headers
    expect(await sessionOf(headers)).toEqual(SIGNED_OUT)
    expect(refused(await p.send('GET', READ, headers))).toEqual([401, 'missing_api_key'])
    expect(refused(await p.send('GET', '/v2/self-serve/account', headers))).toEqual([401, 'invalid_self_serve_token'])
    expect(refused(await p.send('DELETE', PATH, headers))).toEqual([401, 'invalid_self_serve_token'])
    expect(refused(await p.send('DELETE', '/v2/self-serve/account', headers))).toEqual([401, 'invalid_self_serve_token'])
  })

  it.each([
    ['a foreign Origin', { origin: 'https://evil.example' }],
    ['Origin: null', { origin: 'null' }],
    ['an Origin on another port', { origin: 'http://127.0.0.1:9999' }],
    ['Sec-Fetch-Site: cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['Sec-Fetch-Site: same-site', { 'sec-fetch-site': 'same-site' }],
    ['a foreign Origin and Sec-Fetch-Site: same-origin', { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' }],
  ])('the service refuses the session cookie with %s', async (_, from) => {
    const headers = await page(from as Headers)
    for (const [method, url] of [
      ['GET', READ],
      ['GET', '/v2/self-serve/account'],
      ['POST', '/v2/self-serve/api-keys'],
      ['DELETE', PATH],
      ['DELETE', '/v2/self-serve/account'],
    ] as const)
      expect(refused(await p.send(method, url, headers))).toEqual([403, 'foreign_origin'])
    expect(await sessionOf(headers)).toEqual(SIGNED_OUT)
    expect((await p.as(owner, 'GET', 'account')).statusCode).toBe(200)
  })

  it.each([
    ['PUBLIC_URL', { origin: 'http://127.0.0.1', 'sec-fetch-site': 'same-origin' }],
    ['the requested host', { origin: 'http://localhost:8080', host: 'localhost:8080' }],
  ])('the service accepts the session cookie from an Origin that is %s', async (_, from) => {
    expect((await p.send('GET', READ, await page(from as Headers))).statusCode).toBe(200)
  })

  describe('CORS_ORIGINS', () => {
    uses({ corsOrigins: 'https://app.example' })

    it('an allowed CORS origin may send a key but neither the cookie nor X-Portal', async () => {
      const preflight = await p.app.inject({
        method: 'OPTIONS',
        url: READ,
        headers: { origin: 'https://app.example', 'access-control-request-method': 'GET', 'access-control-request-headers': 'x-portal' },
      })
      expect(preflight.headers['access-control-allow-headers']).toContain('X-API-Key')
      expect(preflight.headers['access-control-allow-headers']).not.toMatch(/portal/i)
      expect(preflight.headers).not.toHaveProperty('access-control-allow-credentials')
      expect(refused(await p.send('GET', READ, await page({ origin: 'https://app.example' })))).toEqual([403, 'foreign_origin'])
    })
  })
})

describe('ended browser sessions', () => {
  const ENDED = [401, 'invalid_self_serve_token'] as const
  const expectEnded = async (headers: Headers) => {
    expect(refused(await p.send('GET', READ, headers))).toEqual(ENDED)
    expect(refused(await p.send('GET', '/v2/self-serve/account', headers))).toEqual(ENDED)
    expect(await sessionOf(headers)).toEqual(SIGNED_OUT)
  }
  it('signing out invalidates the cookie and the session token, but API keys keep working', async () => {
    const headers = await page()
    const response = await p.send('DELETE', PATH, headers)
    expect([response.statusCode, response.json()]).toEqual([200, SIGNED_OUT])
    expect(response.headers['set-cookie']).toBe('twmd-session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict')
    await expectEnded(headers)
    expect(refused(await p.as(owner, 'GET', 'account'))).toEqual(ENDED)
    expect(await p.tried(owner.apiKey!.api_key)).toEqual([200])
  })
  it('the cookie is refused after 12 hours without use', async () => {
    const headers = await page()
    p.pass(12 * 60)
    await expectEnded(headers)
  })
  it('the cookie is refused after the account is closed', async () => {
    const headers = await page()
    expect((await p.as(owner, 'DELETE', 'account')).statusCode).toBe(200)
    await expectEnded(headers)
  })
  it('signing out does not end other sessions of the account', async () => {
    p.pass(2)
    const elsewhere = await p.signIn(email)
    await p.send('DELETE', PATH, await page())
    expect((await p.as(elsewhere, 'GET', 'account')).statusCode).toBe(200)
  })
})
