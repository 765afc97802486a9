import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Portal, portal, refused, type SignedIn } from '../portal.ts'

let p: Portal
let owner: SignedIn
let email = ''
let people = 0
const signIn = async (): Promise<void> => {
  email = `owner${people++}@example.test`
  owner = await p.signIn(email)
}
beforeAll(async () => {
  p = await portal({ examples: true })
})
beforeEach(signIn)
afterAll(async () => {
  expect(p.leaked(), 'secrets of this run in log lines').toEqual([])
  await p.close()
})
/** Another service for as long as the work takes. */
async function on(options: NonNullable<Parameters<typeof portal>[0]>, work: () => Promise<void>): Promise<void> {
  const usual = p
  p = await portal({ examples: true, ...options })
  try {
    await signIn()
    await work()
  } finally {
    await p.close()
    p = usual
  }
}

const PATH = '/v2/self-serve/browser-session'
const READ = '/v2/datasets/securities-firm-master?limit=2'
const NOBODY = { signed_in: false, email: null, plan: null, credits_left: null, credits_reset_at: null, visitor: null }
type Headers = Readonly<Record<string, string>>

/** The cookie of a signed-in browser, as the browser sends it. */
async function cookieOf(who: SignedIn = owner): Promise<string> {
  const { headers } = await p.send('POST', PATH, { 'x-self-serve-token': who.token })
  return String(headers['set-cookie']).split(';')[0]!
}
/** What a page of the portal sends. */
const page = async (more: Headers = {}): Promise<Headers> => ({ cookie: await cookieOf(), 'x-portal': '1', ...more })
const looks = async (headers: Headers) => (await p.send('GET', PATH, headers)).json()

describe('the cookie of a browser', () => {
  it('holds the token where no script reads it and no other site sends it, as long as the session lasts', async () => {
    p.pass(30)
    const response = await p.as(owner, 'POST', 'browser-session')
    expect(response.headers['set-cookie']).toBe(
      `twmd-session=${owner.token}; Path=/; Max-Age=${7 * 86_400 - 30 * 60}; HttpOnly; SameSite=Strict`,
    )
    expect(response.headers['cache-control']).toBe('no-store')
    expect(response.body).not.toContain('sst_')
    expect(response.json()).toEqual({
      ...{ signed_in: true, email, plan: 'free' },
      ...{ credits_left: 1_000, credits_reset_at: '2026-08-01T00:00:00.000+08:00', visitor: null },
    })
  })

  it('is kept to https and to this very host where that is the address', async () => {
    await on({ publicUrl: 'https://data.example' }, async () => {
      const { headers } = await p.as(owner, 'POST', 'browser-session')
      expect(headers['set-cookie']).toBe(`__Host-twmd-session=${owner.token}; Path=/; Max-Age=604800; HttpOnly; SameSite=Strict; Secure`)
      const cookie = String(headers['set-cookie']).split(';')[0]!
      expect(await looks({ cookie, 'x-portal': '1' })).toMatchObject({ signed_in: true })
      expect(await looks({ cookie: cookie.replace('__Host-', ''), 'x-portal': '1' })).toMatchObject({ signed_in: false })
    })
  })

  it.each(['\u00a0', '\u00a0 ', '=', '"', 'a'])('is none that a neighbouring host set under a name that begins with %j', async first => {
    await on({ publicUrl: 'https://data.example' }, async () => {
      const own = await cookieOf()
      const neighbour = `${first}${await cookieOf(await p.signIn('neighbour@example.test'))}`
      expect(await looks({ cookie: neighbour, 'x-portal': '1' })).toMatchObject({ signed_in: false })
      expect(await looks({ cookie: `${neighbour}; \t${own} `, 'x-portal': '1' })).toMatchObject({ signed_in: true, email })
    })
  })

  it('is not taken from a page that came without https where the service has it', async () => {
    await on({ publicUrl: 'https://data.example' }, async () => {
      const from = (origin: string) => page({ origin, host: 'www.data.example' })
      expect(refused(await p.send('GET', READ, await from('http://www.data.example')))).toEqual([403, 'foreign_origin'])
      expect((await p.send('GET', READ, await from('https://www.data.example'))).statusCode).toBe(200)
    })
  })

  it('is not given to who sends no good token', async () => {
    for (const headers of [{}, { 'x-self-serve-token': `sst_${'x'.repeat(43)}` }, { 'x-portal': '1' }]) {
      const response = await p.send('POST', PATH, headers as Headers)
      expect(refused(response)).toEqual([401, 'invalid_self_serve_token'])
      expect(response.headers).not.toHaveProperty('set-cookie')
    }
  })

  it('is found among others', async () => {
    const cookie = `theme=dark; not-twmd-session=x; ${await cookieOf()}; locale=zh`
    expect(await looks({ cookie, 'x-portal': '1' })).toMatchObject({ signed_in: true })
  })
})

describe('a page of the portal, signed in', () => {
  it('is told who is looking, and that nobody is once the session is over', async () => {
    const headers = await page()
    expect(await looks(headers)).toMatchObject({ signed_in: true, email })
    p.pass(12 * 60)
    const response = await p.send('GET', PATH, headers)
    expect([response.statusCode, response.json()]).toEqual([200, NOBODY])
    expect(response.headers['set-cookie']).toBe('twmd-session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict')
  })

  it('does what a token does', async () => {
    const headers = await page()
    expect((await p.send('GET', '/v2/self-serve/account', headers)).json()).toMatchObject({ account_id: owner.accountId })
    const made = await p.send('POST', '/v2/self-serve/api-keys', headers, { name: 'notebook' })
    expect([made.statusCode, await p.tried(made.json().api_key)]).toEqual([200, [200]])
    expect((await p.send('DELETE', '/v2/self-serve/account', headers)).json()).toMatchObject({
      account_status: 'closed',
      api_keys_revoked: 2,
    })
  })

  it('reads as the account, and is told so', async () => {
    const response = await p.send('GET', READ, await page())
    expect(response.json().data).toHaveLength(2)
    expect(response.headers).toMatchObject({ 'x-credits-charged': '1', 'x-credits-remaining': '999', 'cache-control': 'private, no-cache' })
    expect((await p.send('GET', '/v2/account/entitlements', await page())).json()).toMatchObject({ account_id: owner.accountId })
  })

  it('finds its reads in ledger and usage under an id of their own, beside those of keys', async () => {
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

  it('has that id neither among the keys nor revoked, revealed or counted as one', async () => {
    const headers = await page()
    await p.send('GET', READ, headers)
    const keyId = owner.accountId.replace('acct_', 'browser_')
    expect((await p.as(owner, 'GET', 'api-keys')).json().data).toMatchObject([{ key_id: owner.apiKey!.key_id }])
    expect(refused(await p.as(owner, 'POST', `api-keys/${keyId}/revoke`))).toEqual([404, 'unknown_id'])
    expect(refused(await p.as(owner, 'GET', `api-keys/${keyId}/reveal`))).toEqual([404, 'unknown_id'])
    expect((await p.as(owner, 'DELETE', 'account')).json()).toMatchObject({ api_keys_revoked: 1 })
  })

  it('gets lists of files whose addresses work', async () => {
    const { headers, statusCode } = await p.send('GET', '/v2/datasets/securities-firm-master/parts', await page())
    expect([statusCode, headers['x-credits-charged']]).toEqual([200, '1'])
    const { data } = (await p.send('GET', '/v2/datasets/securities-firm-master/parts', await page())).json()
    expect((await p.send('GET', data[0].url.replace(/^https?:\/\/[^/]+/, ''))).statusCode).toBe(200)
  })

  it('is a key of the account where it sends one', async () => {
    const key = p.keyOn('max', `other-${email}`)
    const other = (await p.send('GET', '/v2/account/entitlements', await page({ 'x-api-key': key }))).json()
    expect(other).toMatchObject({ plan_id: 'max' })
    expect(refused(await p.send('GET', READ, await page({ 'x-api-key': 'sk_live_wrong' })))).toEqual([401, 'invalid_api_key'])
    const second = await p.signIn(`second-${email}`)
    const account = await p.send('GET', '/v2/self-serve/account', await page({ 'x-self-serve-token': second.token }))
    expect(account.json()).toMatchObject({ account_id: second.accountId })
  })
})

describe('a cookie alone', () => {
  it.each([
    ['without the header', {}],
    ['with another value of it', { 'x-portal': 'true' }],
    ['with the header twice', { 'x-portal': '1, 1' }],
  ])('means nothing %s', async (_, marked) => {
    const headers = { cookie: await cookieOf(), ...marked } as Headers
    expect(await looks(headers)).toEqual(NOBODY)
    expect(refused(await p.send('GET', READ, headers))).toEqual([401, 'missing_api_key'])
    expect(refused(await p.send('GET', '/v2/self-serve/account', headers))).toEqual([401, 'invalid_self_serve_token'])
    expect(refused(await p.send('DELETE', PATH, headers))).toEqual([401, 'invalid_self_serve_token'])
    expect(refused(await p.send('DELETE', '/v2/self-serve/account', headers))).toEqual([401, 'invalid_self_serve_token'])
  })

  it.each([
    ['a foreign origin', { origin: 'https://evil.example' }],
    ['an origin that hides', { origin: 'null' }],
    ['another port of the host', { origin: 'http://127.0.0.1:9999' }],
    ['a page of another site', { 'sec-fetch-site': 'cross-site' }],
    ['a page of another host of the site', { 'sec-fetch-site': 'same-site' }],
    ['a foreign origin that calls itself ours', { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' }],
  ])('is refused to %s', async (_, from) => {
    const headers = await page(from as Headers)
    for (const [method, url] of [
      ['GET', READ],
      ['GET', '/v2/self-serve/account'],
      ['POST', '/v2/self-serve/api-keys'],
      ['DELETE', PATH],
      ['DELETE', '/v2/self-serve/account'],
    ] as const)
      expect(refused(await p.send(method, url, headers))).toEqual([403, 'foreign_origin'])
    expect(await looks(headers)).toEqual(NOBODY)
    expect((await p.as(owner, 'GET', 'account')).statusCode).toBe(200)
  })

  it.each([
    ['the address of the service', { origin: 'http://127.0.0.1', 'sec-fetch-site': 'same-origin' }],
    ['the name it was reached by', { origin: 'http://localhost:8080', host: 'localhost:8080' }],
  ])('is taken from a page of %s', async (_, from) => {
    expect((await p.send('GET', READ, await page(from as Headers))).statusCode).toBe(200)
  })

  it('is not what a page of another origin may ask to send', async () => {
    await on({ corsOrigins: 'https://app.example' }, async () => {
      const asked = await p.app.inject({
        method: 'OPTIONS',
        url: READ,
        headers: { origin: 'https://app.example', 'access-control-request-method': 'GET', 'access-control-request-headers': 'x-portal' },
      })
      expect(asked.headers['access-control-allow-headers']).toContain('X-API-Key')
      expect(asked.headers['access-control-allow-headers']).not.toMatch(/portal/i)
      expect(asked.headers).not.toHaveProperty('access-control-allow-credentials')
      expect(refused(await p.send('GET', READ, await page({ origin: 'https://app.example' })))).toEqual([403, 'foreign_origin'])
    })
  })
})

describe('a browser whose session is over', () => {
  const OVER = [401, 'invalid_self_serve_token'] as const
  const isOver = async (headers: Headers) => {
    expect(refused(await p.send('GET', READ, headers))).toEqual(OVER)
    expect(refused(await p.send('GET', '/v2/self-serve/account', headers))).toEqual(OVER)
    expect(await looks(headers)).toEqual(NOBODY)
  }
  it('is refused after signing out, and so is the token; the keys go on', async () => {
    const headers = await page()
    const response = await p.send('DELETE', PATH, headers)
    expect([response.statusCode, response.json()]).toEqual([200, NOBODY])
    expect(response.headers['set-cookie']).toBe('twmd-session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict')
    await isOver(headers)
    expect(refused(await p.as(owner, 'GET', 'account'))).toEqual(OVER)
    expect(await p.tried(owner.apiKey!.api_key)).toEqual([200])
  })
  it('is refused after twelve hours without use', async () => {
    const headers = await page()
    p.pass(12 * 60)
    await isOver(headers)
  })
  it('is refused once the account is closed', async () => {
    const headers = await page()
    expect((await p.as(owner, 'DELETE', 'account')).statusCode).toBe(200)
    await isOver(headers)
  })
  it('signs out nobody else', async () => {
    p.pass(2)
    const elsewhere = await p.signIn(email)
    await p.send('DELETE', PATH, await page())
    expect((await p.as(elsewhere, 'GET', 'account')).statusCode).toBe(200)
  })
})
