import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Portal, portal, refused, type SignedIn } from '../portal.ts'

let p: Portal
let people = 0
beforeAll(async () => {
  p = await portal()
})
afterAll(() => p.close())
beforeEach(() => p.rewind())

const newcomer = (): Promise<SignedIn> => p.signIn(`owner${++people}@example.test`)
const create = async (owner: SignedIn, body: object = {}) => (await p.as(owner, 'POST', 'api-keys', body)).json()
const list = async (owner: SignedIn) => (await p.as(owner, 'GET', 'api-keys')).json()
const revoke = (owner: SignedIn, keyId: string) => p.as(owner, 'POST', `api-keys/${keyId}/revoke`)

describe('first key', () => {
  it('the first sign-in of an address returns a key, later sign-ins do not', async () => {
    const first = await p.signIn('first@example.test')
    expect(await p.tried(first.apiKey!.api_key)).toEqual([200])
    const second = await p.signIn('first@example.test')
    expect(second.accountId).toBe(first.accountId)
    expect(second.answer).not.toHaveProperty('api_key')
    await revoke(second, first.apiKey!.key_id)
    expect((await p.signIn('first@example.test')).answer).not.toHaveProperty('api_key')
    expect((await list(second)).data_count).toBe(1)
  })

  it('the first sign-in returns no key if a grant has already created a key', async () => {
    p.keyOn('pro', 'granted@example.test')
    expect((await p.signIn('granted@example.test')).answer).not.toHaveProperty('api_key')
  })
})

describe('creating a key', () => {
  it('creating a key returns the key with its attributes, and the key works immediately', async () => {
    const owner = await newcomer()
    const response = await p.as(owner, 'POST', 'api-keys', { name: '  nightly job ' })
    const key = response.json()
    expect([response.statusCode, response.headers['cache-control']]).toEqual([200, 'no-store'])
    expect(key).toEqual({
      key_id: expect.stringMatching(/^key_[0-9a-hjkmnp-tv-z]{26}$/),
      name: 'nightly job',
      prefix: 'sk_live_',
      last4: key.api_key.slice(-4),
      status: 'active',
      plan_id: 'free',
      created_at: '2026-07-01T20:00:00.000+08:00',
      last_used_at: null,
      expires_at: null,
      revoked_at: null,
      api_key: expect.stringMatching(/^sk_live_[0-9A-Za-z]{38}$/),
    })
    expect(await p.tried(key.api_key)).toEqual([200])
  })

  it('a key name can contain Chinese, accents, emoji and Unicode spaces', async () => {
    const owner = await newcomer()
    for (const name of ['台股 夜間匯入', 'café №5', '👩🏽‍💻 ❤️', '\u3000nightly\u00a0job'])
      expect.soft(await create(owner, { name }), name).toMatchObject({ name: name.trim(), status: 'active' })
  })

  it('a key can be created without a body', async () => {
    expect((await p.as(await newcomer(), 'POST', 'api-keys')).json()).toMatchObject({ status: 'active', expires_at: null })
  })

  it('a key with an invalid name or expiry is refused with the location of the error, and is not created', async () => {
    const owner = await newcomer()
    const cases: readonly [unknown, readonly string[]][] = [
      [{ name: '' }, ['body', 'name']],
      [{ name: '   ' }, ['body', 'name']],
      [{ name: 'n'.repeat(65) }, ['body', 'name']],
      [{ name: 7 }, ['body', 'name']],
      [{ name: 'a\u0000b' }, ['body', 'name']],
      [{ name: 'a\nb' }, ['body', 'name']],
      [{ name: '\u200b' }, ['body', 'name']],
      [{ name: 'gpj.\u202ekey' }, ['body', 'name']],
      [{ name: '\u3164' }, ['body', 'name']],
      [{ name: 'note\u200dbook' }, ['body', 'name']],
      [{ name: '\ufe0f' }, ['body', 'name']],
      [{ name: 'a\ud800' }, ['body', 'name']],
      [{ name: 'a\u{e0041}' }, ['body', 'name']],
      [{ expires_in_days: 0 }, ['body', 'expires_in_days']],
      [{ expires_in_days: 1.5 }, ['body', 'expires_in_days']],
      [{ expires_in_days: '30' }, ['body', 'expires_in_days']],
      [{ expires_in_days: 3_651 }, ['body', 'expires_in_days']],
      [['name'], ['body']],
    ]
    for (const [body, loc] of cases) {
      const response = await p.as(owner, 'POST', 'api-keys', body)
      const what = JSON.stringify(body)
      expect.soft(refused(response), what).toEqual([422, 'invalid_parameter'])
      expect.soft(response.json().detail ?? [], what).toMatchObject([{ loc, msg: expect.any(String), type: expect.any(String) }])
      if (/:(0|3651)}$/.test(what)) expect.soft(response.json().detail?.[0].msg ?? '', what).toContain('must be an integer from 1 to 3650')
    }
    expect((await list(owner)).data_count).toBe(1)
  })

  it('a key with expires_in_days works until the last moment of the last day', async () => {
    const owner = await p.signIn('expiring@example.test')
    const key = (await p.as(owner, 'POST', 'api-keys', { expires_in_days: 1 })).json()
    expect(key.expires_at).toBe('2026-07-02T20:00:00.000+08:00')
    p.pass(24 * 60 - 1 / 60)
    expect(await p.tried(key.api_key)).toEqual([200])
    p.pass(1 / 60)
    expect(await p.tried(key.api_key)).toEqual([401, 'expired_api_key'])
    expect(await p.tried(owner.apiKey!.api_key)).toEqual([200])
    const { token } = await p.signIn('expiring@example.test')
    const listed = (await p.as({ token }, 'GET', 'api-keys')).json().data
    expect(listed.find(({ key_id }: { key_id: string }) => key_id === key.key_id).status).toBe('expired')
  })

  it('an account has at most ten active keys, not counting revoked and expired keys', async () => {
    const owner = await p.signIn('many@example.test')
    const add = (body: object = {}) => p.as(owner, 'POST', 'api-keys', body)
    for (let count = 2; count <= 10; count++) expect((await add(count === 2 ? { expires_in_days: 1 } : {})).statusCode).toBe(200)
    const eleventh = await add()
    expect(refused(eleventh)).toEqual([409, 'key_limit'])
    expect(eleventh.json().error).toMatchObject({ allowed: 10, active: 10 })
    await p.as(owner, 'POST', `api-keys/${owner.apiKey!.key_id}/revoke`)
    expect((await add()).statusCode).toBe(200)
    expect((await add()).statusCode).toBe(409)
    p.pass(11 * 60)
    await p.as(owner, 'GET', 'api-keys')
    p.pass(11 * 60)
    await p.as(owner, 'GET', 'api-keys')
    p.pass(2 * 60)
    expect((await add()).statusCode).toBe(200)
  })
})

describe('many keys', () => {
  const issueAndRevoke = ({ control, now }: Portal, accountId: string, count: number): void => {
    for (let made = 0; made < count; made++) control.keys.revoke(accountId, control.keys.issue(accountId, 'old', now()).keyId, now())
  }

  it('an account creates at most a hundred keys within 24 hours, including revoked keys', async () => {
    const owner = await p.signIn('busy@example.test')
    const add = (user: { token: string } = owner) => p.as(user, 'POST', 'api-keys')
    issueAndRevoke(p, owner.accountId, 98)
    p.pass(60)
    expect((await add()).statusCode).toBe(200)
    const beyond = await add()
    expect([refused(beyond), beyond.headers['retry-after']]).toEqual([[429, 'rate_limited'], String(23 * 3_600)])
    expect(beyond.json().error).toMatchObject({ retry_after: 23 * 3_600, limit: 100 })
    expect(beyond.json().error.error_message).toContain('limit of 100 new keys')
    expect((await p.as(await p.signIn('idle@example.test'), 'POST', 'api-keys')).statusCode).toBe(200)
    p.pass(23 * 60 - 1 / 60)
    const again = await p.signIn('busy@example.test')
    expect([refused(await add(again)), (await add(again)).json().error.retry_after]).toEqual([[429, 'rate_limited'], 1])
    p.pass(1 / 60)
    expect((await add(again)).statusCode).toBe(200)
  })

  it('the key list has every active key and the newest hundred ended keys; an older ended key can still be found by its id', async () => {
    const owner = await p.signIn('hoarder@example.test')
    const { keyId: oldest } = p.control.keys.issue(owner.accountId, 'oldest', p.now())
    await p.as(owner, 'POST', `api-keys/${oldest}/revoke`)
    p.pass(1)
    const dated = p.control.keys.issue(owner.accountId, 'dated', p.now(), '2026-07-02T20:00:00.000+08:00').keyId
    issueAndRevoke(p, owner.accountId, 50)
    for (let made = 0; made < 50; made++) p.control.keys.issue(owner.accountId, 'brief', p.now(), '2026-07-01T20:01:00.000+08:00')
    const { data, data_count } = (await p.as(owner, 'GET', 'api-keys')).json()
    const count = (status: string): number => data.filter((key: { status: string }) => key.status === status).length
    expect([data_count, count('active'), count('revoked'), count('expired')]).toEqual([102, 2, 50, 50])
    const ids = data.map(({ key_id }: { key_id: string }) => key_id)
    expect([ids.includes(dated), ids.at(-1), ids.includes(oldest)]).toEqual([true, owner.apiKey!.key_id, false])
    const revoked = await p.as(owner, 'POST', `api-keys/${oldest}/revoke`)
    expect(revoked.json()).toMatchObject({ key_id: oldest, name: 'oldest', status: 'revoked' })
  })
})

describe('key list', () => {
  it('the key list has exactly the account’s keys and no secret', async () => {
    const [owner, other] = [await newcomer(), await newcomer()]
    const keys = [owner.apiKey!, await create(owner, { name: 'second' }), await create(owner)]
    await revoke(owner, keys[2].key_id)
    const response = await p.as(owner, 'GET', 'api-keys')
    const { data, data_count } = response.json()
    expect(data_count).toBe(3)
    expect(data.map(({ key_id }: { key_id: string }) => key_id).toSorted()).toEqual(keys.map(({ key_id }) => key_id).toSorted())
    for (const { api_key } of [...keys, other.apiKey!]) expect(response.body).not.toContain(api_key.slice(8, 40))
    for (const key of data) expect(Object.keys(key)).not.toContain('api_key')
    expect(response.headers['cache-control']).toBe('no-store')
  })

  it('the key list has the current last_used_at, which is written once a minute and when the ledger closes', async () => {
    const other = await portal()
    await other.publish('theme-taxonomy', other.dataset('theme-taxonomy').example)
    const owner = await other.signIn('used@example.test')
    const read = await other.get('/v2/datasets/theme-taxonomy', owner.apiKey!.api_key)
    expect(read.statusCode).toBe(200)
    const lastUse = async () => (await other.as(owner, 'GET', 'api-keys')).json().data[0].last_used_at
    const stored = () => (other.rows('SELECT last_used_at FROM api_key') as { last_used_at: string }[])[0]!.last_used_at
    expect(await lastUse()).toBe('2026-07-01T20:00:00.000+08:00')
    other.pass(0.5)
    await other.get('/v2/datasets/theme-taxonomy?limit=1', owner.apiKey!.api_key)
    expect([await lastUse(), stored()]).toEqual(['2026-07-01T20:00:30.000+08:00', '2026-07-01T20:00:00.000+08:00'])
    other.pass(1)
    await other.get('/v2/datasets/theme-taxonomy?limit=2', owner.apiKey!.api_key)
    expect([await lastUse(), stored()]).toEqual(['2026-07-01T20:01:30.000+08:00', '2026-07-01T20:01:30.000+08:00'])
    other.pass(0.25)
    await other.get('/v2/datasets/theme-taxonomy?limit=3', owner.apiKey!.api_key)
    await other.get('/v2/datasets/theme-taxonomy?limit=-1', owner.apiKey!.api_key)
    other.control.ledger.close()
    expect(stored()).toBe('2026-07-01T20:01:45.000+08:00')
    await other.close()
  })
})

describe('revoking a key', () => {
  it('a revoked key is refused from the next request, and the other keys of the account stay active', async () => {
    const owner = await newcomer()
    const key = await create(owner)
    const response = await revoke(owner, key.key_id)
    expect(response.json()).toMatchObject({ key_id: key.key_id, status: 'revoked', revoked_at: '2026-07-01T20:00:00.000+08:00' })
    expect(response.body).not.toContain(key.api_key.slice(8, 40))
    expect(await p.tried(key.api_key)).toEqual([401, 'revoked_api_key'])
    expect(await p.tried(owner.apiKey!.api_key)).toEqual([200])
  })

  it('revoking a key twice succeeds and keeps the first revoked_at', async () => {
    const owner = await p.signIn('twice@example.test')
    const again = async () => (await p.as(owner, 'POST', `api-keys/${owner.apiKey!.key_id}/revoke`)).json()
    const first = await again()
    p.pass(60)
    expect(await again()).toEqual(first)
    expect(p.rows("SELECT id FROM audit_log WHERE action = 'key revoked' AND account_id = ?", owner.accountId)).toHaveLength(1)
  })

  it('revoking a key erases its sealed copy', async () => {
    const owner = await newcomer()
    const sealed = () => p.rows('SELECT sealed IS NULL AS erased FROM api_key WHERE id = ?', owner.apiKey!.key_id)
    expect(sealed()).toEqual([{ erased: 0 }])
    await revoke(owner, owner.apiKey!.key_id)
    expect(sealed()).toEqual([{ erased: 1 }])
  })
})

it('S5: no log line contains a key, code or token', () => expect(p.leaked()).toEqual([]))
