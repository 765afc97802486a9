import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SECRETS } from '../support.ts'
import { type Portal, portal, refused, type SignedIn } from './portal.ts'

let p: Portal
let owner: SignedIn
beforeEach(async () => {
  p = await portal()
  owner = await p.signIn('Personal.Name@example.test')
})
afterEach(async () => {
  expect(p.leaked(), 'S5: secrets of this run in log lines').toEqual([])
  await p.close()
})

const close = (who: SignedIn = owner) => p.as(who, 'DELETE', 'account')
const keyOf = (who: SignedIn): string => who.apiKey!.api_key
const admin = { authorization: `Bearer ${SECRETS.ADMIN_TOKEN}` }
const grant = (plan: string) =>
  p.send('POST', '/v2/admin/grant-plan', admin, { email: 'personal.name@example.test', plan_id: plan, note: 'a note' })

/** Everything the state file's tables hold, as one text. */
function everything(): string {
  const tables = p.rows("SELECT name FROM sqlite_master WHERE type = 'table'") as { name: string }[]
  return JSON.stringify(tables.map(({ name }) => [name, p.rows(`SELECT * FROM ${name}`)]))
}

describe('closing an account', () => {
  it('answers with what was done and what is retained', async () => {
    await p.as(owner, 'POST', 'api-keys')
    const response = await close()
    expect([response.statusCode, response.headers['cache-control']]).toEqual([200, 'no-store'])
    expect(response.json()).toEqual({
      account_id: owner.accountId,
      account_status: 'closed',
      closed_at: '2026-07-01T20:00:00.000+08:00',
      api_keys_revoked: 2,
      portal_access_invalidated: true,
      profile_redacted: true,
      billing_records_retained: true,
      usage_records_retained: true,
      billing: {
        action_required: false,
        reason: null,
        portal_path: null,
        portal_url: null,
        sign_in_path: null,
        next_step: null,
        subscriptions: [],
      },
    })
  })

  it.each([
    ['an object', '{"reason":"moving on"}'],
    ['nothing, under the type of JSON', ''],
  ])('takes a body of %s', async (_, payload) => {
    const headers = { 'x-self-serve-token': owner.token, 'content-type': 'application/json' }
    const response = await p.app.inject({ method: 'DELETE', url: '/v2/self-serve/account', headers, payload })
    expect(response.statusCode).toBe(200)
  })

  it('counts the keys it revoked, and not those revoked before', async () => {
    await p.as(owner, 'POST', `api-keys/${owner.apiKey!.key_id}/revoke`)
    await p.as(owner, 'POST', 'api-keys')
    expect((await close()).json().api_keys_revoked).toBe(1)
  })

  it('ends every key on the very next request, and erases their copies', async () => {
    const second = (await p.as(owner, 'POST', 'api-keys')).json().api_key
    for (const key of [keyOf(owner), second]) expect(await p.tried(key)).toEqual([200])
    await close()
    for (const key of [keyOf(owner), second]) {
      expect(await p.tried(key)).toEqual([403, 'account_closed'])
      expect(refused(await p.send('GET', '/v2/datasets/theme-taxonomy', { 'x-api-key': key }))).toEqual([403, 'account_closed'])
    }
    expect(p.rows("SELECT id FROM api_key WHERE sealed IS NOT NULL OR status = 'active'")).toEqual([])
  })

  it('ends every session, this one and others; a second closing is refused', async () => {
    p.pass(2)
    const elsewhere = await p.signIn('personal.name@example.test')
    await close()
    for (const who of [owner, elsewhere]) {
      expect(refused(await close(who))).toEqual([401, 'invalid_self_serve_token'])
      for (const path of ['account', 'api-keys', 'usage-summary', `api-keys/${owner.apiKey!.key_id}/reveal`])
        expect(refused(await p.as(who, 'GET', path)), path).toEqual([401, 'invalid_self_serve_token'])
      expect(refused(await p.as(who, 'POST', 'billing/portal-session', {}))).toEqual([401, 'invalid_self_serve_token'])
    }
  })

  it('ends a plan that was granted', async () => {
    await grant('max')
    await close()
    expect(p.rows('SELECT * FROM plan_grant')).toEqual([])
    expect((await p.signIn('personal.name@example.test')).answer['account']).toMatchObject({ plan_id: 'free', plan_source: 'free' })
  })

  it('ends the codes that were on their way', async () => {
    p.pass(2)
    const mailed = (await p.start('personal.name@example.test')).json().flow_id
    const code = await p.codeFor('personal.name@example.test')
    p.pass(2)
    await p.start('personal.name@example.test')
    const mails = p.post.mails.length
    await close()
    expect(refused(await p.complete(mailed, code))).toEqual([401, 'invalid_or_expired_code'])
    await p.deliver()
    expect(p.post.mails).toHaveLength(mails)
  })

  it('leaves every other account as it was', async () => {
    const other = await p.signIn('other@example.test')
    p.pass(2)
    const { flow_id } = (await p.start('other@example.test')).json()
    await close()
    expect(await p.tried(keyOf(other))).toEqual([200])
    expect((await p.as(other, 'GET', 'account')).statusCode).toBe(200)
    expect((await p.complete(flow_id, await p.codeFor('other@example.test'))).statusCode).toBe(200)
  })
})

describe('closing is all or nothing', () => {
  it.each([
    ['account', 'UPDATE', 'account'],
    ['session', 'UPDATE', 'session'],
    ['audit', 'INSERT', 'audit_log'],
    ['grant', 'DELETE', 'plan_grant'],
  ])('when the %s cannot be written, everything stands', async (_, act, table) => {
    await grant('pro')
    const before = everything()
    p.tamper(`CREATE TRIGGER refuse BEFORE ${act} ON ${table} BEGIN SELECT RAISE(ABORT, 'no'); END`)
    expect(refused(await close())).toEqual([500, 'internal'])
    expect(everything()).toBe(before)
    expect(await p.tried(keyOf(owner))).toEqual([200])
    expect((await p.as(owner, 'GET', 'account')).json()).toMatchObject({ account_status: 'active', plan_id: 'pro' })
    p.tamper('DROP TRIGGER refuse')
    expect((await close()).statusCode).toBe(200)
  })
})

describe('after closing', () => {
  it('usage and audit records are retained, under the account’s id', async () => {
    await p.publish('theme-taxonomy', p.dataset('theme-taxonomy').example)
    await p.send('GET', '/v2/datasets/theme-taxonomy', { 'x-api-key': keyOf(owner) })
    const kept = () => [
      p.rows('SELECT * FROM usage_ledger'),
      p.rows('SELECT * FROM usage_daily'),
      p.rows('SELECT * FROM account_period'),
      p.rows("SELECT * FROM audit_log WHERE action <> 'account closed'"),
    ]
    const before = kept()
    expect(before.map(rows => rows.length)).toEqual([1, 1, 1, 1])
    const response = await close()
    expect(kept()).toEqual(before)
    expect(p.rows("SELECT account_id, actor, request_id, facts FROM audit_log WHERE action = 'account closed'")).toEqual([
      {
        account_id: owner.accountId,
        actor: owner.accountId,
        request_id: response.headers['x-request-id'],
        facts: '{"api_keys_revoked":1}',
      },
    ])
  })

  it('nothing personal is left in any table, nor in the file after a checkpoint of its log', async () => {
    await p.as(owner, 'POST', 'api-keys', { name: 'Personal Name’s laptop' })
    p.post.refuse(550)
    p.pass(2)
    await p.start('PERSONAL.NAME@example.test')
    await p.deliver()
    await p.as(owner, 'POST', `api-keys/${owner.apiKey!.key_id}/revoke`)
    expect(everything().match(/personal/gi)!.length).toBeGreaterThan(5)
    await close()
    expect(everything()).not.toMatch(/personal/i)
    expect(p.rows('PRAGMA wal_checkpoint(TRUNCATE)')).toMatchObject([{ busy: 0 }])
    expect(p.stolen()).toContain(owner.accountId)
    expect(p.stolen()).not.toMatch(/personal/i)
  })

  it('the same address begins a new account, with a first key and without the old ones', async () => {
    await close()
    const again = await p.signIn('Personal.Name@example.test')
    expect(again.accountId).not.toBe(owner.accountId)
    expect(await p.tried(keyOf(again))).toEqual([200])
    expect((await p.as(again, 'GET', 'api-keys')).json().data.map(({ key_id }: { key_id: string }) => key_id)).toEqual([
      again.apiKey!.key_id,
    ])
    expect(refused(await p.as(again, 'GET', `api-keys/${owner.apiKey!.key_id}/reveal`))).toEqual([404, 'unknown_id'])
    expect((await p.as(again, 'GET', 'usage-summary')).json().totals.requests).toBe(0)
    expect(await p.tried(keyOf(owner))).toEqual([403, 'account_closed'])
  })
})
