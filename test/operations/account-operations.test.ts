import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createGate, type Gate } from '../../src/access/index.ts'
import { readEmail } from '../../src/accounts/index.ts'
import { type Control, openControl } from '../../src/control/index.ts'
import { Refusal, type RefusalCode } from '../../src/core/index.ts'
import {
  createManageKeys,
  createSignIn,
  MAX_ACTIVE_KEYS,
  type ManageKeys,
  type SignedInCaller,
  type SignIn,
} from '../../src/operations/index.ts'
import { dataFolder, NOW, SECRETS } from '../support.ts'

const MINUTE_MS = 60_000
const FROM = { address: '203.0.113.7' }
let folder: Awaited<ReturnType<typeof dataFolder>>
let control: Control
let gate: Gate
let signIn: SignIn
let keys: ManageKeys
let time = NOW
const clock = () => time
const events: (readonly [string, unknown])[] = []
let calls = 0
const call = () => ({ requestId: `req_${++calls}` })

const open = (): void => {
  control = openControl({ stateDb: join(folder.dir, 'state.sqlite') }, SECRETS)
  gate = createGate({ fileSecrets: ['signs'], keys: control.keys, ledger: control.ledger, creditEntries: control.creditEntries, clock })
  const deps = { control, gate, clock, log: (event: string, facts?: object) => void events.push([event, facts]) }
  signIn = createSignIn(deps)
  keys = createManageKeys(deps)
}

beforeAll(async () => {
  folder = await dataFolder()
  open()
})
afterAll(async () => {
  control.close()
  await folder.remove()
})

/** The code of the newest queued mail. */
const mailedCode = (): string => /\d{8}/.exec(control.outbox.bodyOf(control.outbox.due(clock()).at(-1)!))![0]

function enter(email: string) {
  const { flow_id } = signIn.start(FROM, { email: readEmail(email)!, locale: 'en' })
  return signIn.complete(FROM, { flow_id, code: mailedCode() }, call())
}

/** The caller of a session token. */
function callerOf(token: string): SignedInCaller {
  const session = control.sessions.find(token, clock())!
  const account = control.accounts.byId(session.accountId, clock())!
  return { account, session, accountId: account.id, plan: account.plan, limits: account.limits }
}

const refusalOf = (work: () => unknown): RefusalCode | undefined => {
  try {
    work()
  } catch (error) {
    if (error instanceof Refusal) return error.code
    throw error
  }
  return undefined
}

const audited = (accountId: string): readonly unknown[] =>
  control.db.prepare('SELECT action, target, request_id AS requestId FROM audit_log WHERE account_id = ? ORDER BY rowid').all(accountId)

it('signIn.complete exchanges the mailed code for a session and a first key, once', () => {
  const { flow_id } = signIn.start(FROM, { email: readEmail('first@example.test')!, locale: 'zh-TW' })
  const input = { flow_id, code: mailedCode() }
  const { account, api_key, self_serve_token } = signIn.complete(FROM, input, { requestId: 'req_first' })
  expect(account).toMatchObject({ email: 'first@example.test', account_status: 'active', plan_id: 'free', subscription: null })
  expect(gate.authenticate(api_key!.api_key, FROM.address)).toMatchObject({ accountId: account.account_id, plan: 'free' })
  expect(callerOf(self_serve_token).accountId).toBe(account.account_id)
  expect(audited(account.account_id)).toEqual([{ action: 'key issued', target: api_key!.key_id, requestId: 'req_first' }])
  expect(events.at(-1)).toEqual(['key issued', { account: account.account_id, key: api_key!.key_id }])
  expect(refusalOf(() => signIn.complete(FROM, input, call()))).toBe('invalid_or_expired_code')
})

it('signIn.complete issues no second key to an account that has a key', () => {
  expect(enter('again@example.test').api_key).toBeDefined()
  time = new Date(time.getTime() + 2 * MINUTE_MS)
  expect(enter('again@example.test').api_key).toBeUndefined()
})

it('signIn.complete refuses a wrong code and an unknown flow with the same error', () => {
  const { flow_id } = signIn.start(FROM, { email: readEmail('wrong@example.test')!, locale: 'en' })
  const wrong = mailedCode() === '00000000' ? '00000001' : '00000000'
  expect(refusalOf(() => signIn.complete(FROM, { flow_id, code: wrong }, call()))).toBe('invalid_or_expired_code')
  expect(refusalOf(() => signIn.complete(FROM, { flow_id: 'flow_none', code: wrong }, call()))).toBe('invalid_or_expired_code')
})

it('key operations create, list, reveal and revoke a key and write each to the audit log', () => {
  const signedIn = enter('keys@example.test')
  const caller = callerOf(signedIn.self_serve_token)
  const made = keys.create(caller, { name: 'notebook', expires_in_days: 1 }, { requestId: 'req_create' })
  expect(
    keys
      .list(caller)
      .data.map(({ name }) => name)
      .sort(),
  ).toEqual(['first key', 'notebook'])
  expect(keys.reveal(caller, made, { requestId: 'req_reveal' })).toMatchObject({ key_id: made.key_id, api_key: made.api_key })
  expect(keys.revoke(caller, made, { requestId: 'req_revoke' })).toMatchObject({ key_id: made.key_id, status: 'revoked' })
  expect(keys.revoke(caller, made, { requestId: 'req_again' }).status).toBe('revoked')
  expect(refusalOf(() => gate.authenticate(made.api_key, FROM.address))).toBe('revoked_api_key')
  expect(refusalOf(() => keys.reveal(caller, made, call()))).toBe('key_not_revealable')
  expect(audited(caller.accountId).slice(1)).toEqual([
    { action: 'key issued', target: made.key_id, requestId: 'req_create' },
    { action: 'key revealed', target: made.key_id, requestId: 'req_reveal' },
    { action: 'key revoked', target: made.key_id, requestId: 'req_revoke' },
  ])
})

it('a key expires after its expires_in_days', () => {
  const caller = callerOf(enter('brief@example.test').self_serve_token)
  const { key_id, api_key } = keys.create(caller, { name: 'brief', expires_in_days: 2 }, call())
  time = new Date(time.getTime() + 2 * 24 * 60 * MINUTE_MS)
  expect(keys.list(caller).data.find(key => key.key_id === key_id)?.status).toBe('expired')
  expect(refusalOf(() => gate.authenticate(api_key, FROM.address))).toBe('expired_api_key')
})

it('keys.create refuses a key above the limit until another is revoked', () => {
  const caller = callerOf(enter('many@example.test').self_serve_token)
  for (let made = keys.list(caller).data_count; made < MAX_ACTIVE_KEYS; made++) keys.create(caller, { name: `key ${made}` }, call())
  const oneMore = () => keys.create(caller, { name: 'one more' }, call())
  expect(refusalOf(oneMore)).toBe('key_limit')
  keys.revoke(caller, keys.list(caller).data[0]!, call())
  expect(oneMore().status).toBe('active')
})

it('keys.reveal requires a sign-in within the last 15 minutes', () => {
  const { self_serve_token, api_key } = enter('late@example.test')
  const caller = callerOf(self_serve_token)
  time = new Date(time.getTime() + 15 * MINUTE_MS)
  expect(keys.reveal(caller, api_key!, call()).api_key).toBe(api_key!.api_key)
  time = new Date(time.getTime() + 1)
  expect(refusalOf(() => keys.reveal(caller, api_key!, call()))).toBe('reauth_required')
})

it('key operations report the keys of another account as unknown', () => {
  const [first, other] = [enter('one@example.test'), enter('other@example.test')]
  const caller = callerOf(other.self_serve_token)
  expect(refusalOf(() => keys.reveal(caller, first.api_key!, call()))).toBe('unknown_id')
  expect(refusalOf(() => keys.revoke(caller, first.api_key!, call()))).toBe('unknown_id')
  expect(gate.authenticate(first.api_key!.api_key, FROM.address).keyId).toBe(first.api_key!.key_id)
})

it('keys and sessions survive a restart', () => {
  const { self_serve_token, api_key } = enter('kept@example.test')
  control.close()
  open()
  expect(keys.list(callerOf(self_serve_token)).data.map(({ key_id }) => key_id)).toEqual([api_key!.key_id])
  expect(gate.authenticate(api_key!.api_key, FROM.address).keyId).toBe(api_key!.key_id)
})
