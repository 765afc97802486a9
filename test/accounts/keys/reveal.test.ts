import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Portal, portal, refused, type SignedIn } from '../portal.ts'

let p: Portal
let people = 0
beforeAll(async () => {
  p = await portal()
})
afterAll(() => p.close())

const newcomer = (): Promise<SignedIn> => p.signIn(`owner${++people}@example.test`)
const reveal = (owner: SignedIn, keyId = owner.apiKey!.key_id, at: Portal = p) => at.as(owner, 'GET', `api-keys/${keyId}/reveal`)

describe('K6: revealing a key', () => {
  it('shows its owner the secret, forbids caches to store it, and writes to the audit log', async () => {
    const owner = await newcomer()
    const { key_id, api_key } = owner.apiKey!
    const response = await reveal(owner)
    expect(response.json()).toEqual({ key_id, api_key, last4: api_key.slice(-4), revealed_at: '2026-07-01T20:00:00.000+08:00' })
    expect(response.headers['cache-control']).toBe('no-store')
    expect(p.rows("SELECT actor, target, request_id FROM audit_log WHERE action = 'key revealed' AND target = ?", key_id)).toEqual([
      { actor: owner.accountId, target: key_id, request_id: response.headers['x-request-id'] },
    ])
  })

  it('is limited to ten times an hour, for each account by itself', async () => {
    const other = await portal({ limits: true })
    const [owner, neighbour] = [await other.signIn('owner@example.test'), await other.signIn('neighbour@example.test')]
    const second = (await other.as(owner, 'POST', 'api-keys')).json()
    for (let count = 1; count <= 10; count++)
      expect((await reveal(owner, count % 2 ? second.key_id : owner.apiKey!.key_id, other)).statusCode).toBe(200)
    const eleventh = await reveal(owner, undefined, other)
    expect(refused(eleventh)).toEqual([429, 'rate_limited'])
    expect(eleventh.headers['retry-after']).toBe(String(eleventh.json().error.retry_after))
    expect(eleventh.json().error.retry_after).toBeGreaterThan(0)
    expect(eleventh.json().error.retry_after).toBeLessThanOrEqual(360)
    expect((await reveal(neighbour, undefined, other)).statusCode).toBe(200)
    expect(other.rows("SELECT count(*) AS n FROM audit_log WHERE action = 'key revealed'")).toEqual([{ n: 11 }])
    await other.close()
  })

  it('is refused once it was revoked', async () => {
    const owner = await newcomer()
    await p.as(owner, 'POST', `api-keys/${owner.apiKey!.key_id}/revoke`)
    expect(refused(await reveal(owner))).toEqual([410, 'key_not_revealable'])
  })

  it('requires a new sign-in once the last is more than fifteen minutes old', async () => {
    const other = await portal()
    const owner = await other.signIn('owner@example.test')
    const { key_id, api_key } = owner.apiKey!
    other.pass(15)
    expect((await reveal(owner, key_id, other)).statusCode).toBe(200)
    other.pass(1)
    const late = await reveal(owner, key_id, other)
    expect(refused(late)).toEqual([403, 'reauth_required'])
    expect(late.body).not.toContain(api_key.slice(8, 40))
    expect((await other.as(owner, 'GET', 'api-keys')).statusCode).toBe(200)
    const again = await other.signIn('owner@example.test')
    expect((await reveal(again, key_id, other)).json().api_key).toBe(api_key)
    await other.close()
  })
})

describe('K7: a stored copy that is not the one sealed for its row', () => {
  /** Reveals must fail as damage, and no secret of anyone may be in the answer. */
  async function expectDamage(owner: SignedIn, ...keyIds: readonly string[]) {
    for (const keyId of keyIds) {
      const response = await reveal(owner, keyId)
      expect(refused(response)).toEqual([500, 'integrity'])
      expect(response.json().error.blocking_gate).toBe('integrity')
      for (const secret of p.secrets) expect(response.body).not.toContain(secret)
      expect(p.rows("SELECT count(*) AS n FROM audit_log WHERE action = 'key revealed' AND target = ?", keyId)).toEqual([{ n: 0 }])
    }
  }
  const sealedOf = (keyId: string): Buffer => (p.rows('SELECT sealed FROM api_key WHERE id = ?', keyId) as [{ sealed: Buffer }])[0].sealed
  const flipped = (whole: Buffer, at: number): Buffer => Buffer.from(whole.with(at, whole[at]! ^ 1))
  const put = (keyId: string, sealed: Buffer): void => p.tamper('UPDATE api_key SET sealed = ? WHERE id = ?', sealed, keyId)

  it('swapped between two keys of one account decrypts for neither', async () => {
    const owner = await newcomer()
    const [one, two] = [owner.apiKey!.key_id, (await p.as(owner, 'POST', 'api-keys')).json().key_id]
    const [first, second] = [sealedOf(one), sealedOf(two)]
    put(one, second)
    put(two, first)
    await expectDamage(owner, one, two)
    put(one, first)
    expect((await reveal(owner, one)).json().api_key).toBe(owner.apiKey!.api_key)
  })

  it('taken from another account does not decrypt', async () => {
    const [owner, other] = [await newcomer(), await newcomer()]
    put(owner.apiKey!.key_id, sealedOf(other.apiKey!.key_id))
    await expectDamage(owner, owner.apiKey!.key_id)
  })

  it.each<[string, (whole: Buffer) => Buffer]>([
    ['with a tag of four bytes', whole => whole.subarray(0, -12)],
    ['without its last byte', whole => whole.subarray(0, -1)],
    ['without its tag', whole => whole.subarray(0, -16)],
    ['cut within its head', whole => whole.subarray(0, 10)],
    ['empty', whole => whole.subarray(0, 0)],
    ['with a byte more', whole => Buffer.concat([whole, Buffer.alloc(1)])],
    ...[0, 3, 4, 15, 16, 40, 61, 62, 77].map(at => [`with byte ${at} changed`, (whole: Buffer) => flipped(whole, at)] as const),
  ] as [string, (whole: Buffer) => Buffer][])('%s does not open', async (_, damage) => {
    const owner = await newcomer()
    const { key_id } = owner.apiKey!
    const whole = sealedOf(key_id)
    expect(whole).toHaveLength(78)
    put(key_id, damage(whole))
    await expectDamage(owner, key_id)
    put(key_id, whole)
    expect((await reveal(owner)).statusCode).toBe(200)
  })

  it('does not keep the key from working, and says so in the log', async () => {
    const owner = await newcomer()
    put(owner.apiKey!.key_id, Buffer.alloc(0))
    const { headers } = await reveal(owner)
    expect(await p.tried(owner.apiKey!.api_key)).toEqual([200])
    const logged = p.lines.map(line => JSON.parse(line)).filter(({ request_id }) => request_id === headers['x-request-id'])
    expect(logged).toContainEqual(expect.objectContaining({ event: 'failed', key: owner.apiKey!.key_id, level: 50 }))
  })
})

it('S5: no log line holds a key, code or token of this run', () => expect(p.leaked()).toEqual([]))
