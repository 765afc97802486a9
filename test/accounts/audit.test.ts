import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SECRETS } from '../support.ts'
import { type Portal, portal } from './portal.ts'

let p: Portal
beforeAll(async () => {
  p = await portal()
})
afterAll(() => p.close())

const admin = { authorization: `Bearer ${SECRETS.ADMIN_TOKEN}` }
const AT = '2026-07-01T20:00:00.000+08:00'

describe('the audit log', () => {
  it('the audit log records each grant, key issue, reveal, revocation and closing with actor, target and request ID', async () => {
    const owner = await p.signIn('owner@example.test')
    const { accountId } = owner
    const idOf = ({ headers }: { headers: Record<string, unknown> }) => headers['x-request-id']
    const first = owner.apiKey!.key_id
    const made = await p.as(owner, 'POST', 'api-keys', { name: 'second' })
    const second = made.json().key_id
    const revealed = await p.as(owner, 'GET', `api-keys/${second}/reveal`)
    const revoked = await p.as(owner, 'POST', `api-keys/${first}/revoke`)
    const granted = await p.send('POST', '/v2/admin/grant-plan', admin, { email: 'owner@example.test', plan_id: 'pro' })
    const closed = await p.as(owner, 'DELETE', 'account')
    const row = (action: string, request_id: unknown, target: string | null = null, actor = accountId) => ({
      at: AT,
      actor,
      action,
      account_id: accountId,
      target,
      request_id,
    })
    expect(
      p.rows('SELECT at, actor, action, account_id, target, request_id FROM audit_log WHERE account_id = ? ORDER BY id', accountId),
    ).toEqual([
      row('key issued', expect.stringMatching(/^req_/), first),
      row('key issued', idOf(made), second),
      row('key revealed', idOf(revealed), second),
      row('key revoked', idOf(revoked), first),
      row('plan granted', idOf(granted), null, 'admin'),
      row('key issued', idOf(granted), granted.json().api_key.key_id, 'admin'),
      row('account closed', idOf(closed)),
    ])
  })

  it('the audit log records no refused request', async () => {
    const owner = await p.signIn('refused@example.test')
    const before = p.rows('SELECT count(*) AS n FROM audit_log')
    for (const [method, path, body] of [
      ['GET', 'api-keys/key_unknown/reveal', undefined],
      ['POST', 'api-keys/key_unknown/revoke', undefined],
      ['POST', 'api-keys', { name: '' }],
      ['GET', 'api-keys', undefined],
    ] as const)
      await p.as(owner, method, path, body)
    await p.send('POST', '/v2/admin/grant-plan', {}, { email: 'refused@example.test', plan_id: 'max' })
    await p.send('POST', '/v2/admin/grant-plan', admin, { email: 'refused@example.test', plan_id: 'none' })
    expect(p.rows('SELECT count(*) AS n FROM audit_log')).toEqual(before)
  })

  it('the audit log contains no secret', () => {
    const log = JSON.stringify(p.rows('SELECT * FROM audit_log'))
    expect(p.secrets.size).toBeGreaterThan(4)
    for (const secret of [...p.secrets, ...Object.values(SECRETS)]) expect(log).not.toContain(secret)
  })

  it('the audit log rejects every statement that changes or deletes an entry', () => {
    const before = p.rows('SELECT * FROM audit_log')
    expect(before.length).toBeGreaterThan(2)
    for (const statement of [
      'UPDATE audit_log SET actor = NULL',
      "UPDATE audit_log SET actor = 'nobody' WHERE id = 1",
      "UPDATE OR REPLACE audit_log SET facts = '{}'",
      'DELETE FROM audit_log',
      'DELETE FROM audit_log WHERE id = 1',
      "INSERT OR REPLACE INTO audit_log (id, at, actor, action, facts) VALUES (1, '', 'nobody', '', '{}')",
      "REPLACE INTO audit_log (id, at, actor, action, facts) VALUES (2, '', 'nobody', '', '{}')",
      "INSERT INTO audit_log (id, at, actor, action, facts) VALUES (1, '', 'nobody', '', '{}') ON CONFLICT DO UPDATE SET actor = 'nobody'",
    ]) {
      expect.soft(() => p.tamper(statement), statement).toThrow('the audit log is append-only')
      expect.soft(p.rows('SELECT * FROM audit_log'), statement).toEqual(before)
    }
  })
})

it('S5: no log line contains a key, code or token', () => expect(p.leaked()).toEqual([]))
