import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readEmail } from '../../src/accounts/index.ts'
import { openControl, rotateVault } from '../../src/control/index.ts'
import { createIdempotencyStore } from '../../src/state/idempotency-store.ts'
import { createVault } from '../../src/state/vault.ts'
import { dataFolder, NOW, SECRETS } from '../support.ts'
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
  email = `maker${++people}@example.test`
  owner = await p.signIn(email)
})

const KEYS = '/v2/self-serve/api-keys'
const create = (name: string | undefined, body: unknown = { name: 'notebook' }, token = owner.token) =>
  p.send('POST', KEYS, { 'x-self-serve-token': token, ...(name === undefined ? {} : { 'idempotency-key': name }) }, body)
const granted = (): string => `granted${people}@example.test`
/** A grant with a name that is unique to the test. */
const grant = (name: string, body: object = { email: granted(), plan_id: 'pro' }) =>
  p.send('POST', '/v2/admin/grant-plan', { authorization: `Bearer ${SECRETS.ADMIN_TOKEN}`, 'idempotency-key': `${name}-${people}` }, body)
const keyCount = () => p.rows('SELECT id FROM api_key WHERE account_id = ?', owner.accountId).length
const revealedKeys = () => p.rows("SELECT target FROM audit_log WHERE action = 'key revealed' AND account_id = ?", owner.accountId)
const DAY = 24 * 60

describe('key creation with an Idempotency-Key', () => {
  it('a repeated key creation makes one key and returns the first response, even if its fields have another order', async () => {
    const first = await create('one', { name: 'notebook', expires_in_days: 3 })
    p.pass(5)
    const again = await create('one', { expires_in_days: 3, name: ' notebook ' })
    expect([again.statusCode, again.json()]).toEqual([200, first.json()])
    expect(await p.tried(again.json().api_key)).toEqual([200])
    expect(keyCount()).toBe(2)
    expect(revealedKeys()).toEqual([{ target: first.json().key_id }])
  })

  it('an Idempotency-Key that is reused with another body is refused, and the error names the header', async () => {
    await create('one')
    const answer = await create('one', { name: 'other' })
    expect(refused(answer)).toEqual([422, 'invalid_parameter'])
    expect(answer.json().detail).toMatchObject([{ loc: ['header', 'idempotency-key'], type: 'reused_name' }])
    expect(keyCount()).toBe(2)
  })

  it('key creations without an Idempotency-Key, with a different one, or by another account make separate keys', async () => {
    const other = await p.signIn(`other${people}@example.test`)
    const made = [
      await create('one'),
      await create('two'),
      await create(undefined),
      await create(undefined),
      await create('one', undefined, other.token),
    ]
    expect(new Set(made.map(answer => answer.json().key_id)).size).toBe(5)
    expect(new Set(made.map(answer => answer.statusCode))).toEqual(new Set([200]))
  })

  it('twenty concurrent key creations with one Idempotency-Key make one key', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => create('one')))
    expect(new Set(answers.filter(({ statusCode }) => statusCode === 200).map(({ body }) => body)).size).toBe(1)
    expect(keyCount()).toBe(2)
  })

  it('an Idempotency-Key expires after a day', async () => {
    const first = await create('one')
    p.pass(DAY - 1)
    const { token } = await p.signIn(email)
    expect((await create('one', undefined, token)).json()).toEqual(first.json())
    p.pass(1)
    const later = await p.signIn(email)
    expect((await create('one', undefined, later.token)).json().key_id).not.toBe(first.json().key_id)
  })

  it('after a key creation is refused, it can be repeated with the same Idempotency-Key', async () => {
    for (let count = 0; count < 9; count++) await create(undefined)
    expect(refused(await create('one'))).toEqual([409, 'key_limit'])
    await p.as(owner, 'POST', `api-keys/${owner.apiKey!.key_id}/revoke`)
    expect((await create('one')).statusCode).toBe(200)
  })

  it('an Idempotency-Key that is empty, longer than 255 characters or not printable ASCII is refused', async () => {
    for (const name of ['', 'x'.repeat(256), 'two words', 'ünicode'])
      expect.soft(refused(await create(name)), `Idempotency-Key ${name}`).toEqual([422, 'invalid_parameter'])
    expect(keyCount()).toBe(1)
  })
})

describe('repeated key creation as a reveal', () => {
  it('a repeated key creation shows the secret only within fifteen minutes of a sign-in, like a reveal', async () => {
    const first = (await create('one')).json()
    p.pass(15)
    expect((await create('one')).json()).toEqual(first)
    p.pass(1)
    const late = await create('one')
    expect(refused(late)).toEqual([403, 'reauth_required'])
    expect(late.body).not.toContain(first.api_key.slice(8, 40))
    expect(refused(await p.as(owner, 'GET', `api-keys/${first.key_id}/reveal`))).toEqual([403, 'reauth_required'])
    expect(revealedKeys()).toHaveLength(1)
    expect((await create('two')).statusCode).toBe(200)
    const { token } = await p.signIn(email)
    expect((await create('one', undefined, token)).json()).toEqual(first)
  })

  it('repeated key creations and reveals share one limit of ten an hour, which does not apply to repeated grants', async () => {
    const limited = await portal({ limits: true })
    const { token, apiKey } = await limited.signIn('maker@example.test')
    const call = () => limited.send('POST', KEYS, { 'x-self-serve-token': token, 'idempotency-key': 'one' }, { name: 'notebook' })
    const revealed = () => limited.send('GET', `${KEYS}/${apiKey!.key_id}/reveal`, { 'x-self-serve-token': token })
    const { api_key: secret } = (await call()).json()
    for (let count = 0; count < 5; count++) expect([(await call()).statusCode, (await revealed()).statusCode]).toEqual([200, 200])
    const eleventh = await call()
    expect(refused(eleventh)).toEqual([429, 'rate_limited'])
    expect(eleventh.body).not.toContain(secret.slice(8, 40))
    expect(refused(await revealed())).toEqual([429, 'rate_limited'])
    await limited.close()
    const grants = await Promise.all(Array.from({ length: 12 }, () => grant('often')))
    expect(new Set(grants.map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
  })
})

describe('stored responses', () => {
  it('a stored response has no readable secret in the state file', async () => {
    const { api_key: secret } = (await create('one')).json()
    expect(p.stolen()).not.toContain(secret.slice(8, 40))
    expect(p.stolen()).not.toContain('"api_key"')
  })

  it('revoking a key erases the stored response of its creation, so a repeated creation gets 410', async () => {
    const { key_id: id } = (await create('one')).json()
    await p.as(owner, 'POST', `api-keys/${id}/revoke`)
    expect(p.rows('SELECT sealed FROM kept_answer WHERE account_id = ?', owner.accountId)).toEqual([{ sealed: null }])
    const gone = await create('one')
    expect(refused(gone)).toEqual([410, 'key_not_revealable'])
    expect(gone.json().error.error_message).toContain('send another Idempotency-Key')
  })

  it('closing an account deletes its stored responses, including those of grants', async () => {
    await create('one')
    await grant('one', { email, plan_id: 'pro' })
    expect(p.rows('SELECT * FROM kept_answer WHERE account_id = ?', owner.accountId)).toHaveLength(2)
    await p.as(owner, 'DELETE', 'account')
    expect(p.rows('SELECT * FROM kept_answer WHERE account_id = ?', owner.accountId)).toEqual([])
  })

  it('a stored response that was moved to another row does not decrypt', async () => {
    await create('one')
    await create('two')
    const [first, two] = p.rows('SELECT hex(name) AS name FROM kept_answer WHERE account_id = ?', owner.accountId) as { name: string }[]
    p.tamper(
      `UPDATE kept_answer SET sealed = (SELECT sealed FROM kept_answer WHERE hex(name) = '${first!.name}') WHERE hex(name) = '${two!.name}'`,
    )
    const answers = await Promise.all([create('one'), create('two')])
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 500])
  })

  it('after a rotation, only the new encryption key decrypts a stored response', async () => {
    const { dir, remove } = await dataFolder()
    const control = openControl({ stateDb: `${dir}/state.sqlite` }, SECRETS)
    const { db, idempotency } = control
    const peppers = [SECRETS.KEY_PEPPER]
    const [former, fresh] = [Buffer.from(SECRETS.KEY_ENCRYPTION_KEY, 'base64'), Buffer.alloc(32, 9)]
    const stored = { input: '{}', answer: '"with a secret"' }
    const name = idempotency.nameOf('acct_1', 'api-keys', 'one')
    const { id } = control.accounts.ensure(readEmail('owner@example.test')!, NOW)
    idempotency.put(name, { accountId: id, keyId: null }, stored, NOW)
    rotateVault(db, createVault(peppers, [fresh, former]))
    expect(createIdempotencyStore(db, createVault(peppers, [fresh])).find(name, NOW)).toEqual(stored)
    expect(() => idempotency.find(name, NOW)).toThrow('encrypted with another key')
    control.close()
    await remove()
  })
})

describe('grants with an Idempotency-Key', () => {
  it('a repeated grant is made once, and its Idempotency-Key cannot be used for another body', async () => {
    const [first, again] = [await grant('one'), await grant('one')]
    expect(first.statusCode).toBe(200)
    expect(again.json()).toEqual(first.json())
    expect(p.rows("SELECT id FROM audit_log WHERE action = 'plan granted' AND account_id = ?", first.json().account_id)).toHaveLength(1)
    expect(refused(await grant('one', { email: granted(), plan_id: 'max' }))).toEqual([422, 'invalid_parameter'])
  })

  it('a repeated grant returns the first response even after the grant has expired', async () => {
    const body = { email: granted(), plan_id: 'pro', expires_at: new Date(p.now().getTime() + 3_600_000).toISOString() }
    const first = await grant('one', body)
    p.pass(61)
    expect([first.statusCode, (await grant('one', body)).json()]).toEqual([200, first.json()])
  })

  it('if the response of a grant cannot be stored, the grant changes nothing', async () => {
    p.tamper("CREATE TRIGGER refuse BEFORE INSERT ON kept_answer BEGIN SELECT RAISE(ABORT, 'no'); END")
    expect(refused(await grant('one'))).toEqual([500, 'internal'])
    p.tamper('DROP TRIGGER refuse')
    expect(p.rows('SELECT id FROM account WHERE email = ?', granted())).toEqual([])
  })
})

it('S5: no log line contains a key, code or token', () => expect(p.leaked()).toEqual([]))
