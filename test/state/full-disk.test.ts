import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openState } from '../../src/state/db.ts'
import { type Portal, portal, refused, type SignedIn } from '../accounts/portal.ts'
import { SECRETS } from '../support.ts'

let p: Portal
let member: SignedIn
beforeAll(async () => {
  p = await portal()
  member = await p.signIn('member@example.test')
})
afterAll(() => p.close())

const pages = (): number => Number(p.control.db.pragma('page_count', { simple: true }))
/** Stops the file from growing, as on a full disk. */
const fill = (): unknown => p.control.db.pragma(`max_page_count = ${pages()}`)
/** Makes every write fail, as on a read-only disk. */
const forbid = (): unknown => p.control.db.pragma('query_only = ON')
afterEach(() => {
  p.control.db.pragma('max_page_count = 4294967294')
  p.control.db.pragma('query_only = OFF')
})

const TABLES = ['account', 'api_key', 'session', 'onboarding_code', 'onboarding_flow', 'mail_outbox', 'audit_log', 'plan_grant']
const everything = (): unknown => TABLES.map(table => p.rows(`SELECT * FROM ${table} ORDER BY 1`))

describe('read-only state file', () => {
  it('while the state file is read-only, requests that write get 503 and store nothing', async () => {
    const { flow_id } = (await p.start('newcomer@example.test')).json()
    const code = await p.codeFor('newcomer@example.test')
    const before = everything()
    forbid()
    const admin = { authorization: `Bearer ${SECRETS.ADMIN_TOKEN}` }
    const attempts = [
      () => p.start('another@example.test'),
      () => p.complete(flow_id, code),
      () => p.as(member, 'POST', 'api-keys', { name: 'notebook' }),
      () => p.as(member, 'POST', `api-keys/${member.apiKey!.key_id}/revoke`),
      () => p.as(member, 'GET', `api-keys/${member.apiKey!.key_id}/reveal`),
      () => p.as(member, 'DELETE', 'account'),
      () => p.send('POST', '/v2/admin/grant-plan', admin, { email: 'granted@example.test', plan_id: 'pro' }),
    ]
    for (const ask of attempts) {
      const answer = await ask()
      expect(refused(answer)).toEqual([503, 'not_writable'])
      expect([answer.headers['retry-after'], answer.json().error.blocking_gate]).toEqual(['60', 'capacity'])
    }
    expect(everything()).toEqual(before)
    p.control.db.pragma('query_only = OFF')
    expect((await p.complete(flow_id, code)).statusCode).toBe(200)
    expect(await p.tried(member.apiKey!.api_key)).toEqual([200])
  })

  it('if another process locks the state file past the busy timeout, a sign-in gets 503', async () => {
    p.control.db.pragma('busy_timeout = 0')
    const other = openState(`${p.dir}/state.sqlite`)
    other.exec('BEGIN IMMEDIATE')
    expect(refused(await p.start('waiting@example.test'))).toEqual([503, 'not_writable'])
    other.exec('ROLLBACK')
    other.close()
    expect((await p.start('waiting@example.test')).statusCode).toBe(200)
    p.control.db.pragma('busy_timeout = 5000')
  })

  it('reads with sessions and keys work while the state file is read-only', async () => {
    const other = await p.signIn('reader@example.test')
    p.pass(5)
    forbid()
    for (const path of ['account', 'api-keys', 'usage-summary']) expect((await p.as(other, 'GET', path)).statusCode).toBe(200)
    expect(await p.tried(other.apiKey!.api_key)).toEqual([200])
  })

  it('a sign-in code is not checked if the attempt cannot be counted', async () => {
    const { flow_id } = (await p.start('guessed@example.test')).json()
    await p.codeFor('guessed@example.test')
    forbid()
    expect(refused(await p.complete(flow_id, '00000000'))).toEqual([503, 'not_writable'])
  })
})

it('M6: a sign-in on a full disk gets 503, is logged with its cause, and succeeds when space is available', async () => {
  fill()
  let answer = await p.start('crowd@example.test')
  for (let count = 0; answer.statusCode === 200 && count < 500; count++) {
    p.pass(3)
    answer = await p.start(`crowd${count}@example.test`)
  }
  expect(refused(answer)).toEqual([503, 'not_writable'])
  const failed = p.lines.map(line => JSON.parse(line)).findLast(({ event }) => event === 'failed')
  expect(failed).toMatchObject({ status: 503, code: 'not_writable', error: expect.stringContaining('full') })
  p.control.db.pragma('max_page_count = 4294967294')
  expect((await p.start('crowd@example.test')).statusCode).toBe(200)
})
