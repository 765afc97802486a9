import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { PLANS } from '../../catalog/index.ts'
import { type Watched, watchAnswers } from '../http/routes/watch.ts'
import { NOW, SECRETS } from '../support.ts'
import { type Portal, portal, refused, type SignedIn } from './portal.ts'

const DATASET = 'company-risk-events'
const URL = `/v2/datasets/${DATASET}?symbol=2330`
const ADMIN = { 'x-admin-token': SECRETS.ADMIN_TOKEN }
const AT = '2026-07-01T20:00:00.000+08:00'

let p: Portal
let seen: Watched
let owner: SignedIn
let email: string
let people = 0
beforeAll(async () => {
  p = await portal({ visitors: 'pro' })
  seen = watchAnswers(p.app)
  await p.publish(DATASET, p.dataset(DATASET).example)
})
afterAll(() => p.close())
beforeEach(async () => {
  email = `customer${++people}@example.test`
  p.keyOn('pro', email)
  owner = await p.signIn(email)
})

const admin = (method: 'GET' | 'POST', path: string, body?: unknown, headers = {}) =>
  p.send(method, `/v2/admin/accounts${path}`, { ...ADMIN, ...headers }, body)
const of = (path: string, body?: unknown) => admin('POST', `/${owner.accountId}/${path}`, body)
const show = async () => (await admin('GET', `/${owner.accountId}`)).json()
/** Creates a key of the owner. @returns its id and secret */
const newKey = async (): Promise<{ readonly key_id: string; readonly api_key: string }> => (await p.as(owner, 'POST', 'api-keys')).json()
const read = async (key: string) => refused(await p.get(URL, key))
const audited = () =>
  p.rows(
    "SELECT actor, action, target, facts FROM audit_log WHERE account_id = ? AND actor = 'admin' ORDER BY id",
    owner.accountId,
  ) as readonly { readonly action: string; readonly target: string | null; readonly facts: string }[]

describe('accounts of customers', () => {
  it('the account list, newest first, can be searched by part of an address, by account id, key id or the end of a key', async () => {
    const { key_id: keyId, api_key: secret } = await newKey()
    for (const text of [email.toUpperCase(), owner.accountId, keyId, secret.slice(-4)]) {
      const { data } = (await admin('GET', '', undefined, { 'x-account-search': text })).json()
      expect.soft(data, text).toContainEqual({
        account_id: owner.accountId,
        email,
        account_status: 'active',
        plan_id: 'pro',
        created_at: AT,
        active_keys: 2,
        last_used_at: null,
      })
    }
    const ids: string[] = []
    for (let before = ''; ; ) {
      const page = (await admin('GET', `?limit=1${before && `&before=${before}`}`)).json()
      ids.push(...page.data.map((one: { account_id: string }) => one.account_id))
      if (page.next_before === null) break
      before = page.next_before
    }
    expect(ids).toEqual(p.rows('SELECT id FROM account ORDER BY created_at DESC, id DESC').map(row => (row as { id: string }).id))
    expect((await admin('GET', '?plan_id=max')).json()).toEqual({ data_count: 0, data: [], next_before: null })
  })

  it('only the operator can read the plan, keys, usage, payments and mails of an account', async () => {
    const { api_key: key } = await newKey()
    expect(await read(key)).toEqual([200, undefined])
    expect(await show()).toMatchObject({
      account_id: owner.accountId,
      email,
      account_status: 'active',
      suspension: null,
      last_sign_in_at: AT,
      plan_id: 'pro',
      plan_source: 'grant',
      own_limits: { row_limit: null, requests_per_minute: null, requests_at_once: null, credits_per_month: null },
      credits: { used: p.dataset(DATASET).access!.credits },
      keys: [{ status: 'active' }, { status: 'active' }],
      usage: { totals: { requests: 1 }, by_dataset: [{ slug: DATASET, requests: 1 }] },
      payments: { customer_id: null, subscriptions: [], billed_periods: [] },
      mails: [{ at: AT, kind: 'code', state: 'sent', last_error: null }],
      notes: [],
    })
    const path = `/v2/admin/accounts/${owner.accountId}`
    expect(refused(await p.send('GET', path, { 'x-admin-token': 'w'.repeat(40) }))).toEqual([401, 'invalid_admin_token'])
    expect(refused(await p.send('GET', path, { 'x-api-key': key }))).toEqual([401, 'invalid_admin_token'])
    expect(refused(await admin('GET', '/acct_unknown'))).toEqual([404, 'unknown_id'])
  })

  it('the mails of an account are listed for 90 days, even after the outbox has deleted their addresses', async () => {
    p.pass(2 * 24 * 60)
    await p.signIn(`someone${people}@example.test`)
    expect(p.rows('SELECT id FROM mail_outbox WHERE to_address = ?', email)).toEqual([])
    expect((await show()).mails).toMatchObject([{ at: AT, kind: 'code', state: 'sent' }])
    p.pass(90 * 24 * 60)
    await p.signIn(`later${people}@example.test`)
    expect((await show()).mails).toEqual([])
    p.rewind()
  })
})

describe('a suspended account', () => {
  it('after a suspension, every read of the account gets 403 with the reason, until the account is restored', async () => {
    const { key_id: keyId, api_key: key } = await newKey()
    const { plan, limits } = p.control.keys.find(key, NOW)!
    const signed = p.gate.signFile({ accountId: owner.accountId, keyId, plan, limits }, { slug: DATASET, sha256: 'a'.repeat(64) }).path
    const cookie = String((await p.as(owner, 'POST', 'browser-session')).headers['set-cookie']).split(';')[0]!
    expect(await read(key)).toEqual([200, undefined])
    expect((await of('suspend', { reason: 'unpaid invoice of June' })).json()).toMatchObject({ account_status: 'suspended' })
    const reads = {
      key: await p.get(URL, key),
      'signed URL': await p.get(signed),
      browser: await p.send('GET', URL, { cookie, 'x-portal': '1' }),
      'MCP tool': await p.send(
        'POST',
        '/mcp',
        { 'x-api-key': key, accept: 'application/json, text/event-stream' },
        { jsonrpc: '2.0', id: 1, method: 'ping' },
      ),
      'Delta Sharing': await p.send('GET', '/delta-sharing/shares', { authorization: `Bearer ${key}` }),
      entitlements: await p.get('/v2/account/entitlements', key),
    }
    for (const [name, response] of Object.entries(reads)) {
      expect.soft(response.statusCode, name).toBe(403)
      expect.soft(response.json().error, name).toMatchObject({ error_code: 'account_suspended', reason: 'unpaid invoice of June' })
    }
    await of('restore')
    expect(await read(key)).toEqual([200, undefined])
    expect(audited().map(({ action, facts }) => [action, facts])).toEqual([
      ['account suspended', '{}'],
      ['account restored', '{}'],
    ])
  })

  it('a suspended account sees the reason in its session, and can revoke keys but cannot create any', async () => {
    const { key_id: keyId } = await newKey()
    await of('suspend', { reason: 'abuse of the search' })
    await of('suspend', { reason: 'another reason' })
    const suspension = { reason: 'abuse of the search', suspended_at: AT }
    expect((await p.as(owner, 'GET', 'account')).json()).toMatchObject({ account_status: 'suspended', suspension })
    expect((await p.as(owner, 'POST', 'browser-session')).json()).toMatchObject({ signed_in: true, suspension })
    expect((await p.as(owner, 'POST', `api-keys/${keyId}/revoke`)).json()).toMatchObject({ status: 'revoked' })
    const forbidden = [
      ['POST', 'api-keys'],
      ['GET', `api-keys/${keyId}/reveal`],
      ['GET', 'share-profile'],
      ['POST', 'webhooks'],
      ['DELETE', 'account'],
    ] as const
    for (const [method, path] of forbidden)
      expect.soft(refused(await p.as(owner, method, path, {})), path).toEqual([403, 'account_suspended'])
    const checkout = await p.send('POST', '/v2/billing/checkout-session', { 'x-self-serve-token': owner.token }, {})
    expect(refused(checkout)).toEqual([403, 'account_suspended'])
    const summary = { authorization: `Bearer ${SECRETS.SERVICE_TOKEN}`, 'x-account-email': email }
    expect((await p.send('GET', '/v2/account/summary', summary)).json()).toMatchObject({ account_status: 'suspended' })
    const { data } = (await admin('GET', '?status=suspended', undefined, { 'x-account-search': email })).json()
    expect(data).toMatchObject([{ account_id: owner.accountId, account_status: 'suspended' }])
    expect((await show()).notes).toEqual([{ at: AT, author: 'admin', text: 'Suspended: abuse of the search' }])
  })

  it('a suspended account receives no webhook events', async () => {
    const subscribers = () => p.rows('SELECT id FROM webhook_delivery WHERE endpoint_id = ?', endpoint)
    const endpoint = (await p.as(owner, 'POST', 'webhooks', { url: 'https://example.com/hook', events: ['key.created'] })).json().webhook_id
    await newKey()
    expect(subscribers()).toHaveLength(1)
    await of('suspend', { reason: 'unpaid' })
    const { key_id: keyId } = (await show()).keys[0]
    expect((await of(`keys/${keyId}/rotate`, {})).statusCode).toBe(200)
    expect(subscribers()).toHaveLength(1)
  })
})

describe('limits of an account', () => {
  it('if an account has its own limits, they replace the limits of its plan until they are removed', async () => {
    const { api_key: key } = await newKey()
    const credits = p.dataset(DATASET).access!.credits
    const own = { row_limit: 1, requests_per_minute: 7, requests_at_once: 1, credits_per_month: credits }
    expect((await of('limits', own)).json()).toMatchObject({ own_limits: own, row_limit: 1, credits: { included: credits } })
    const first = await p.get(`${URL}&limit=5`, key)
    expect([first.statusCode, first.headers['x-row-limit'], first.headers['x-row-count']]).toEqual([200, '1; limited', '1'])
    expect([first.headers['x-credits-remaining'], first.headers['x-ratelimit-limit']].map(String)).toEqual(['0', '7'])
    expect(await read(key)).toEqual([402, 'credits_exhausted'])
    expect((await p.get('/v2/account/entitlements', key)).json()).toMatchObject({
      row_limit: 1,
      rate_limits: { requests_per_minute: 7, requests_at_once: 1 },
      credits: { included: credits, remaining: 0 },
    })
    await of('limits', { row_limit: null, requests_per_minute: null, requests_at_once: null, credits_per_month: null })
    expect(await read(key)).toEqual([200, undefined])
    expect((await show()).row_limit).toBe(PLANS.pro.rowLimit)
    expect(audited()[0]).toMatchObject({ action: 'account limits set', facts: JSON.stringify(own) })
  })

  it("a change of an account's limits leaves omitted limits unchanged", async () => {
    await of('limits', { row_limit: 9 })
    expect((await of('limits', { credits_per_month: 0 })).json().own_limits).toEqual({
      row_limit: 9,
      requests_per_minute: null,
      requests_at_once: null,
      credits_per_month: 0,
    })
    expect(refused(await of('limits', { row_limit: 0 }))).toEqual([422, 'invalid_parameter'])
  })
})

describe('keys of an account', () => {
  it('a key that the operator revokes is refused on the next request', async () => {
    const { key_id: keyId, api_key: key } = await newKey()
    expect(await read(key)).toEqual([200, undefined])
    const answers = [await of(`keys/${keyId}/revoke`), await of(`keys/${keyId}/revoke`)]
    expect(answers.map(answer => answer.json().status)).toEqual(['revoked', 'revoked'])
    expect(await read(key)).toEqual([401, 'revoked_api_key'])
    expect(audited()).toMatchObject([{ action: 'key revoked', target: keyId }])
    expect(refused(await admin('POST', `/acct_unknown/keys/${keyId}/revoke`))).toEqual([404, 'unknown_id'])
  })

  it('a rotated key works until the overlap ends, and its successor works immediately and afterwards', async () => {
    const { key_id: keyId, api_key: key } = await newKey()
    const rotated = (await of(`keys/${keyId}/rotate`, { overlap_hours: 1 })).json()
    expect(rotated).toMatchObject({ key: { name: 'key' }, former_key: { key_id: keyId, expires_at: '2026-07-01T21:00:00.000+08:00' } })
    expect([await read(key), await read(rotated.key.api_key)]).toEqual([
      [200, undefined],
      [200, undefined],
    ])
    p.pass(61)
    expect([await read(key), await read(rotated.key.api_key)]).toEqual([
      [401, 'expired_api_key'],
      [200, undefined],
    ])
    expect(refused(await of(`keys/${keyId}/rotate`, {}))).toEqual([409, 'conflict'])
    p.rewind()
    const last = (await of(`keys/${rotated.key.key_id}/rotate`, {})).json()
    expect([await read(rotated.key.api_key), await read(last.key.api_key)]).toEqual([
      [401, 'revoked_api_key'],
      [200, undefined],
    ])
  })

  it('a rotation repeated with its Idempotency-Key returns the same key', async () => {
    const { key_id: keyId } = await newKey()
    const rotate = () =>
      admin('POST', `/${owner.accountId}/keys/${keyId}/rotate`, { overlap_hours: 1 }, { 'idempotency-key': `r-${keyId}` })
    expect((await rotate()).json()).toEqual((await rotate()).json())
  })
})

it('the operator can close an account on behalf of its owner, even if the account is suspended', async () => {
  const { api_key: key } = await newKey()
  await of('suspend', { reason: 'unpaid' })
  expect((await of('close')).json()).toMatchObject({ account_status: 'closed', api_keys_revoked: 2, profile_redacted: true })
  expect(await read(key)).toEqual([403, 'account_closed'])
  expect(await show()).toMatchObject({ email: null, account_status: 'closed', suspension: null, mails: [] })
  for (const [path, body] of [['suspend', { reason: 'x' }], ['restore'], ['limits', {}], ['notes', { text: 'x' }]] as const)
    expect.soft(refused(await of(path, body)), path).toEqual([409, 'conflict'])
  expect(audited().at(-1)).toMatchObject({ action: 'account closed' })
})

it('notes about an account are visible to operators, and the audit log does not contain their text', async () => {
  await of('notes', { text: ' wants an invoice ' })
  expect((await show()).notes).toEqual([{ at: AT, author: 'admin', text: 'wants an invoice' }])
  expect(audited()).toMatchObject([{ action: 'account note added', facts: '{}' }])
  const { data } = (await p.send('GET', `/v2/admin/audit?account=${owner.accountId}&action=account%20note%20added`, ADMIN)).json()
  expect(data).toMatchObject([{ actor: 'admin', account_id: owner.accountId, facts: {} }])
  expect(JSON.stringify((await p.as(owner, 'GET', 'account')).json())).not.toContain('invoice')
})

it('answers about accounts match their declared schemas', () => {
  expect(seen.mistakes).toEqual([])
  const answered = [...seen.answered.keys()].filter(route => route.includes('/v2/admin/accounts'))
  expect(answered).toHaveLength(9)
})

it('S5: no log line contains a key, code or token', () => expect(p.leaked()).toEqual([]))
