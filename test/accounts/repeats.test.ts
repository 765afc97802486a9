import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { rotateVault } from '../../src/accounts/index.ts'
import { createVault, type Vault } from '../../src/accounts/keys/vault.ts'
import { createRepeatStore } from '../../src/accounts/repeats.ts'
import { SECRETS } from '../support.ts'
import { type Portal, portal, refused, type SignedIn } from './portal.ts'

let p: Portal
let owner: SignedIn
beforeEach(async () => {
  p = await portal()
  owner = await p.signIn('maker@example.test')
})
afterEach(async () => {
  expect(p.leaked(), 'S5: secrets of this run in log lines').toEqual([])
  await p.close()
})

const KEYS = '/v2/self-serve/api-keys'
const create = (name: string | undefined, body: unknown = { name: 'notebook' }, token = owner.token) =>
  p.send('POST', KEYS, { 'x-self-serve-token': token, ...(name === undefined ? {} : { 'idempotency-key': name }) }, body)
const grant = (name: string, body: object = { email: 'granted@example.test', plan_id: 'pro' }) =>
  p.send('POST', '/v2/admin/grant-plan', { authorization: `Bearer ${SECRETS.ADMIN_TOKEN}`, 'idempotency-key': name }, body)
const keysOf = () => p.rows('SELECT id FROM api_key WHERE account_id = ?', owner.accountId).length
const DAY = 24 * 60

describe('a call that makes a key, under a name', () => {
  it('makes it once and is answered as before, with the secret, whatever the order of its fields', async () => {
    const first = await create('one', { name: 'notebook', expires_in_days: 3 })
    p.pass(5)
    const again = await create('one', { expires_in_days: 3, name: ' notebook ' })
    expect([again.statusCode, again.json()]).toEqual([200, first.json()])
    expect(await p.tried(again.json().api_key)).toEqual([200])
    expect(keysOf()).toBe(2)
    expect(p.rows("SELECT target FROM audit_log WHERE action = 'key revealed'")).toEqual([{ target: first.json().key_id }])
  })

  it('is refused with another body, and the name is said to be the fault', async () => {
    await create('one')
    const answer = await create('one', { name: 'other' })
    expect(refused(answer)).toEqual([422, 'invalid_parameter'])
    expect(answer.json().detail).toMatchObject([{ loc: ['header', 'idempotency-key'], type: 'reused_name' }])
    expect(keysOf()).toBe(2)
  })

  it('makes another one under another name, without one, and of another account', async () => {
    const other = await p.signIn('other@example.test')
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

  it('makes one for twenty calls at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => create('one')))
    expect(new Set(answers.filter(({ statusCode }) => statusCode === 200).map(({ body }) => body)).size).toBe(1)
    expect(keysOf()).toBe(2)
  })

  it('is made anew after a day', async () => {
    const first = await create('one')
    p.pass(DAY - 1)
    const { token } = await p.signIn('maker@example.test')
    expect((await create('one', undefined, token)).json()).toEqual(first.json())
    p.pass(1)
    const later = await p.signIn('maker@example.test')
    expect((await create('one', undefined, later.token)).json().key_id).not.toBe(first.json().key_id)
  })

  it('may be repeated where it was refused', async () => {
    for (let count = 0; count < 9; count++) await create(undefined)
    expect(refused(await create('one'))).toEqual([409, 'key_limit'])
    await p.as(owner, 'POST', `api-keys/${owner.apiKey!.key_id}/revoke`)
    expect((await create('one')).statusCode).toBe(200)
  })

  it.each(['', 'x'.repeat(256), 'two words', 'ünicode'])('is refused under the name %s', async name => {
    expect(refused(await create(name))).toEqual([422, 'invalid_parameter'])
    expect(keysOf()).toBe(1)
  })
})

describe('a key that is shown again under the name of its call', () => {
  it('requires a sign-in of the last fifteen minutes, as a reveal does, and is shown after the next', async () => {
    const first = (await create('one')).json()
    p.pass(15)
    expect((await create('one')).json()).toEqual(first)
    p.pass(1)
    const late = await create('one')
    expect(refused(late)).toEqual([403, 'reauth_required'])
    expect(late.body).not.toContain(first.api_key.slice(8, 40))
    expect(refused(await p.as(owner, 'GET', `api-keys/${first.key_id}/reveal`))).toEqual([403, 'reauth_required'])
    expect(p.rows("SELECT count(*) AS n FROM audit_log WHERE action = 'key revealed'")).toEqual([{ n: 1 }])
    expect((await create('two')).statusCode).toBe(200)
    const { token } = await p.signIn('maker@example.test')
    expect((await create('one', undefined, token)).json()).toEqual(first)
  })

  it('is limited to ten times an hour together with reveals; that of a grant is not', async () => {
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

describe('an answer that is kept', () => {
  it('holds no secret that can be read from a stolen state file', async () => {
    const { api_key: secret } = (await create('one')).json()
    expect(p.stolen()).not.toContain(secret.slice(8, 40))
    expect(p.stolen()).not.toContain('"api_key"')
  })

  it('is erased with its key, whose call is then neither repeated nor made again', async () => {
    const { key_id: id } = (await create('one')).json()
    await p.as(owner, 'POST', `api-keys/${id}/revoke`)
    expect(p.rows('SELECT sealed FROM kept_answer')).toEqual([{ sealed: null }])
    const gone = await create('one')
    expect(refused(gone)).toEqual([410, 'key_not_revealable'])
    expect(gone.json().error.error_message).toContain('send another Idempotency-Key')
  })

  it('is deleted with the account it is about, that of a grant too', async () => {
    await create('one')
    await grant('one', { email: 'maker@example.test', plan_id: 'pro' })
    await p.as(owner, 'DELETE', 'account')
    expect(p.rows('SELECT * FROM kept_answer')).toEqual([])
  })

  it('moved to another name does not open', async () => {
    await create('one')
    await create('two')
    const [one, two] = p.rows('SELECT hex(name) AS name FROM kept_answer ORDER BY created_at, name') as { name: string }[]
    p.tamper(
      `UPDATE kept_answer SET sealed = (SELECT sealed FROM kept_answer WHERE hex(name) = '${one!.name}') WHERE hex(name) = '${two!.name}'`,
    )
    const answers = await Promise.all([create('one'), create('two')])
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 500])
  })

  it('opens under the new encryption key once that is in use alone', async () => {
    const first = await create('one')
    const [former, fresh] = [Buffer.from(SECRETS.KEY_ENCRYPTION_KEY, 'base64'), Buffer.alloc(32, 9)]
    const peppers = [SECRETS.KEY_PEPPER]
    rotateVault(p.control.db, createVault(peppers, [fresh, former]))
    const answers = (vault: Vault) => createRepeatStore(p.control.db, vault)
    const name = p.control.repeats.nameOf(owner.accountId, 'api-keys', 'one')
    expect(JSON.parse(answers(createVault(peppers, [fresh])).find(name, p.now())!.answer)).toEqual(first.json())
    expect(() => answers(createVault(peppers, [former])).find(name, p.now())).toThrow('another encryption key')
  })
})

describe('a grant, under a name', () => {
  it('is made once and answered as before', async () => {
    const [first, again] = [await grant('one'), await grant('one')]
    expect(first.statusCode).toBe(200)
    expect(again.json()).toEqual(first.json())
    expect(p.rows("SELECT count(*) AS n FROM audit_log WHERE action = 'plan granted'")).toEqual([{ n: 1 }])
    expect(refused(await grant('one', { email: 'granted@example.test', plan_id: 'max' }))).toEqual([422, 'invalid_parameter'])
  })

  it('is answered as before also once its end is past', async () => {
    const body = { email: 'granted@example.test', plan_id: 'pro', expires_at: new Date(p.now().getTime() + 3_600_000).toISOString() }
    const first = await grant('one', body)
    p.pass(61)
    expect([first.statusCode, (await grant('one', body)).json()]).toEqual([200, first.json()])
  })

  it('leaves nothing behind where its answer cannot be kept', async () => {
    p.tamper("CREATE TRIGGER refuse BEFORE INSERT ON kept_answer BEGIN SELECT RAISE(ABORT, 'no'); END")
    expect(refused(await grant('one'))).toEqual([500, 'internal'])
    p.tamper('DROP TRIGGER refuse')
    expect(p.rows("SELECT id FROM account WHERE email = 'granted@example.test'")).toEqual([])
  })
})
