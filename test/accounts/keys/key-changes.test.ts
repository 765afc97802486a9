import { setImmediate as turn } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { service, type TestService } from '../../support.ts'

const URL = '/v2/datasets/company-risk-events?symbol=2330'
let s: TestService
let other: Database.Database
beforeAll(async () => {
  s = await service({ examples: false })
  await s.publish('company-risk-events', s.dataset('company-risk-events').example)
  // The command line writes to the same file from another process.
  other = new Database(`${s.dir}/state.sqlite`)
})
afterAll(async () => {
  other.close()
  await s.close()
})

const codeOf = async (key: string): Promise<unknown> => {
  const { statusCode, body } = await s.get(URL, key)
  return statusCode === 200 ? 200 : JSON.parse(body).error.error_code
}

describe('changes by another process', () => {
  const CHANGES = [
    [
      'the key is revoked',
      "UPDATE api_key SET status = 'revoked', sealed = NULL, revoked_at = 'now' WHERE account_id = ?",
      'revoked_api_key',
    ],
    ['the key expires', "UPDATE api_key SET expires_at = '2020-01-01T00:00:00.000+08:00' WHERE account_id = ?", 'expired_api_key'],
    [
      'the account is closed',
      "UPDATE account SET status = 'closed', closed_at = 'now', email = NULL, email_key = NULL WHERE id = ?",
      'account_closed',
    ],
    ['the grant is deleted', 'DELETE FROM plan_grant WHERE account_id = ?', 'plan_required'],
    ['the plan is lowered', "UPDATE plan_grant SET plan_id = 'free' WHERE account_id = ?", 'plan_required'],
    ['the grant expires', "UPDATE plan_grant SET expires_at = '2020-01-01T00:00:00.000+08:00' WHERE account_id = ?", 'plan_required'],
    [
      'the account is suspended',
      "INSERT INTO account_suspension (account_id, reason, at) VALUES (?, 'unpaid invoice', '2026-07-01T20:00:00.000+08:00')",
      'account_suspended',
    ],
    ['its credits are limited', 'INSERT INTO account_limit (account_id, credits_per_month) VALUES (?, 0)', 'credits_exhausted'],
    ['the key is deleted', 'DELETE FROM api_key WHERE account_id = ?', 'invalid_api_key'],
  ] as const
  it('a change of a key, its account or its plan by another process applies to the next request', async () => {
    other.pragma('foreign_keys = OFF')
    for (const [index, [what, sql, code]] of CHANGES.entries()) {
      const key = s.keyOn('pro', `changed${index}@example.test`)
      expect.soft([await codeOf(key), await codeOf(key)], `before ${what}`).toEqual([200, 200])
      const { accountId } = s.gate.authenticate(key, '203.0.113.9')
      expect.soft(other.prepare(sql).run(accountId).changes, `rows changed: ${what}`).toBe(1)
      await turn()
      expect.soft(await codeOf(key), what).toBe(code)
    }
  })

  it('if another process ends a suspension or a limit, it no longer applies to the next request', async () => {
    const key = s.keyOn('pro', 'restored@example.test')
    const { accountId } = s.gate.authenticate(key, '203.0.113.9')
    for (const [begin, change, end, before, after] of [
      [
        "INSERT INTO account_suspension (account_id, reason, at) VALUES (?, 'unpaid', '2026-07-01T20:00:00.000+08:00')",
        "UPDATE account_suspension SET reason = 'abuse' WHERE account_id = ?",
        'DELETE FROM account_suspension WHERE account_id = ?',
        ['account_suspended', 'account_suspended'],
        200,
      ],
      [
        'INSERT INTO account_limit (account_id, credits_per_month) VALUES (?, 0)',
        'UPDATE account_limit SET credits_per_month = 1000 WHERE account_id = ?',
        'DELETE FROM account_limit WHERE account_id = ?',
        ['credits_exhausted', 200],
        200,
      ],
    ] as const) {
      const codes: unknown[] = []
      for (const sql of [begin, change, end]) {
        other.prepare(sql).run(accountId)
        await turn()
        codes.push(await codeOf(key))
      }
      expect.soft(codes, begin).toEqual([...before, after])
    }
  })

  it('an added, ended, renewed or deleted paid plan applies to the next request, even if another process changed it', async () => {
    const key = s.keyOn('free', 'paid@example.test')
    expect(await codeOf(key)).toBe('plan_required')
    const { accountId } = s.gate.authenticate(key, '203.0.113.9')
    const write = async (sql: string): Promise<void> => {
      other.prepare(sql).run(accountId)
      await turn()
    }
    await write("INSERT INTO paid_plan (account_id, plan_id) VALUES (?, 'pro')")
    expect(await codeOf(key)).toBe(200)
    await write("UPDATE paid_plan SET ends_at = '2020-01-01T00:00:00.000+08:00' WHERE account_id = ?")
    expect(await codeOf(key)).toBe('plan_required')
    await write('UPDATE paid_plan SET ends_at = NULL WHERE account_id = ?')
    expect(await codeOf(key)).toBe(200)
    await write('DELETE FROM paid_plan WHERE account_id = ?')
    expect(await codeOf(key)).toBe('plan_required')
  })
})
