import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { taipei } from '../../src/core/index.ts'
import { SECRETS } from '../support.ts'
import { type Portal, portal, refused, type SignedIn } from './portal.ts'

let p: Portal
/** Creates the account of each test with its own address. */
let owner: SignedIn
let email: string
let people = 0
beforeAll(async () => {
  p = await portal()
})
afterAll(() => p.close())
beforeEach(async () => {
  email = `personal.name${++people}@example.test`
  owner = await p.signIn(`Personal.Name${people}@example.test`)
})

const close = (who: SignedIn = owner) => p.as(who, 'DELETE', 'account')
const keyOf = (who: SignedIn): string => who.apiKey!.api_key
const admin = { authorization: `Bearer ${SECRETS.ADMIN_TOKEN}` }
const grant = (plan: string) => p.send('POST', '/v2/admin/grant-plan', admin, { email, plan_id: plan, note: 'a note' })

/** All rows of all tables of the state file, as one text. */
function everything(): string {
  const tables = p.rows("SELECT name FROM sqlite_master WHERE type = 'table'") as { name: string }[]
  return JSON.stringify(tables.map(({ name }) => [name, p.rows(`SELECT * FROM ${name}`)]))
}

describe('closing an account', () => {
  it('the answer to closing an account states what was revoked and what is retained', async () => {
    await p.as(owner, 'POST', 'api-keys')
    const response = await close()
    expect([response.statusCode, response.headers['cache-control']]).toEqual([200, 'no-store'])
    expect(response.json()).toEqual({
      account_id: owner.accountId,
      account_status: 'closed',
      closed_at: taipei(p.now()),
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

  it('closing an account accepts a JSON body and an empty body', async () => {
    for (const payload of ['{"reason":"moving on"}', '']) {
      const { token } = await p.signIn(`body${payload.length}@example.test`)
      const headers = { 'x-self-serve-token': token, 'content-type': 'application/json' }
      const response = await p.app.inject({ method: 'DELETE', url: '/v2/self-serve/account', headers, payload })
      expect.soft(response.statusCode, `body ${payload}`).toBe(200)
    }
  })

  it('the answer to closing an account counts only the keys that this call revokes', async () => {
    await p.as(owner, 'POST', `api-keys/${owner.apiKey!.key_id}/revoke`)
    await p.as(owner, 'POST', 'api-keys')
    expect((await close()).json().api_keys_revoked).toBe(1)
  })

  it('the keys of a closed account are refused from the next request, and their sealed copies are erased', async () => {
    const second = (await p.as(owner, 'POST', 'api-keys')).json().api_key
    for (const key of [keyOf(owner), second]) expect(await p.tried(key)).toEqual([200])
    await close()
    for (const key of [keyOf(owner), second]) {
      expect(await p.tried(key)).toEqual([403, 'account_closed'])
      expect(refused(await p.send('GET', '/v2/datasets/theme-taxonomy', { 'x-api-key': key }))).toEqual([403, 'account_closed'])
    }
    expect(p.rows("SELECT id FROM api_key WHERE account_id = ? AND (sealed IS NOT NULL OR status = 'active')", owner.accountId)).toEqual([])
  })

  it('closing an account ends all its sessions, so a second closing is refused', async () => {
    p.pass(2)
    const elsewhere = await p.signIn(email)
    await close()
    for (const who of [owner, elsewhere]) {
      expect(refused(await close(who))).toEqual([401, 'invalid_self_serve_token'])
      for (const path of ['account', 'api-keys', 'usage-summary', `api-keys/${owner.apiKey!.key_id}/reveal`])
        expect(refused(await p.as(who, 'GET', path)), path).toEqual([401, 'invalid_self_serve_token'])
      expect(refused(await p.as(who, 'POST', 'billing/portal-session', {}))).toEqual([401, 'invalid_self_serve_token'])
    }
  })

  it('closing an account deletes its granted plan', async () => {
    await grant('max')
    await close()
    expect(p.rows('SELECT * FROM plan_grant WHERE account_id = ?', owner.accountId)).toEqual([])
    p.pass(2)
    expect((await p.signIn(email)).answer['account']).toMatchObject({ plan_id: 'free', plan_source: 'free' })
  })

  it('closing an account invalidates mailed sign-in codes and cancels queued code mails', async () => {
    p.pass(2)
    const mailed = (await p.start(email)).json().flow_id
    const code = await p.codeFor(email)
    p.pass(2)
    await p.start(email)
    const mails = p.post.mails.length
    await close()
    expect(refused(await p.complete(mailed, code))).toEqual([401, 'invalid_or_expired_code'])
    await p.deliver()
    expect(p.post.mails).toHaveLength(mails)
  })

  it('closing an account leaves other accounts unchanged', async () => {
    const other = await p.signIn('other@example.test')
    p.pass(2)
    const { flow_id } = (await p.start('other@example.test')).json()
    await close()
    expect(await p.tried(keyOf(other))).toEqual([200])
    expect((await p.as(other, 'GET', 'account')).statusCode).toBe(200)
    expect((await p.complete(flow_id, await p.codeFor('other@example.test'))).statusCode).toBe(200)
  })
})

it('closing an account changes nothing when one of its writes fails', async () => {
  await grant('pro')
  const before = everything()
  for (const [act, table] of [
    ['UPDATE', 'account'],
    ['UPDATE', 'session'],
    ['INSERT', 'audit_log'],
    ['DELETE', 'plan_grant'],
  ] as const) {
    const failing = `${act} on ${table} fails`
    p.tamper(`CREATE TRIGGER refuse BEFORE ${act} ON ${table} BEGIN SELECT RAISE(ABORT, 'no'); END`)
    const response = await close()
    p.tamper('DROP TRIGGER refuse')
    expect.soft([response.statusCode, response.json().error?.error_code], failing).toEqual([500, 'internal'])
    expect.soft(everything() === before, `state unchanged when ${failing}`).toBe(true)
    expect.soft(await p.tried(keyOf(owner)), failing).toEqual([200])
    expect.soft((await p.as(owner, 'GET', 'account')).json(), failing).toMatchObject({ account_status: 'active', plan_id: 'pro' })
  }
  expect((await close()).statusCode).toBe(200)
})

describe('after closing', () => {
  it('usage and audit records of a closed account are retained under the id of the account', async () => {
    await p.publish('theme-taxonomy', p.dataset('theme-taxonomy').example)
    await p.send('GET', '/v2/datasets/theme-taxonomy', { 'x-api-key': keyOf(owner) })
    const records = () => [
      p.rows('SELECT * FROM usage_ledger WHERE account_id = ?', owner.accountId),
      p.rows('SELECT * FROM usage_daily WHERE account_id = ?', owner.accountId),
      p.rows('SELECT * FROM account_period WHERE account_id = ?', owner.accountId),
      p.rows("SELECT * FROM audit_log WHERE account_id = ? AND action <> 'account closed'", owner.accountId),
    ]
    const before = records()
    expect(before.map(rows => rows.length)).toEqual([1, 1, 1, 1])
    const response = await close()
    expect(records()).toEqual(before)
    const closings = "SELECT actor, request_id, facts FROM audit_log WHERE action = 'account closed' AND account_id = ?"
    expect(p.rows(closings, owner.accountId)).toEqual([
      {
        actor: owner.accountId,
        request_id: response.headers['x-request-id'],
        facts: '{"api_keys_revoked":1}',
      },
    ])
  })

  it('no personal data of a closed account remains in any table, nor in the state file after a checkpoint', async () => {
    await p.as(owner, 'POST', 'api-keys', { name: `Personal.Name${people}’s laptop` })
    p.post.refuse(550)
    p.pass(2)
    await p.start(email.toUpperCase())
    await p.deliver()
    p.post.refuse(null)
    await p.as(owner, 'POST', `api-keys/${owner.apiKey!.key_id}/revoke`)
    const personal = new RegExp(`personal\\.name${people}\\b`, 'gi')
    expect(everything().match(personal)!.length).toBeGreaterThan(5)
    await close()
    expect(everything()).not.toMatch(personal)
    expect(p.rows('PRAGMA wal_checkpoint(TRUNCATE)')).toMatchObject([{ busy: 0 }])
    expect(p.stolen()).toContain(owner.accountId)
    expect(p.stolen()).not.toMatch(personal)
  })

  it('a sign-in with the address of a closed account creates a new account with a first key and without the old keys', async () => {
    await close()
    p.pass(2)
    const again = await p.signIn(`Personal.Name${people}@example.test`)
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

it('S5: no log line contains a key, code or token', () => expect(p.leaked()).toEqual([]))
