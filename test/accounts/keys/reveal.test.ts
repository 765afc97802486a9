import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Portal, portal, refused, type SignedIn } from '../portal.ts'

let p: Portal
let people = 0
beforeAll(async () => {
  p = await portal()
})
afterAll(() => p.close())

const newcomer = (): Promise<SignedIn> => p.signIn(`owner${++people}@example.test`)
const reveal = (owner: SignedIn, keyId = owner.apiKey!.key_id, portal: Portal = p) => portal.as(owner, 'GET', `api-keys/${keyId}/reveal`)

describe('key reveal', () => {
  it('K6: a reveal returns the secret to its owner, forbids caching and is audited', async () => {
    const owner = await newcomer()
    const { key_id, api_key } = owner.apiKey!
    const response = await reveal(owner)
    expect(response.json()).toEqual({ key_id, api_key, last4: api_key.slice(-4), revealed_at: '2026-07-01T20:00:00.000+08:00' })
    expect(response.headers['cache-control']).toBe('no-store')
    expect(p.rows("SELECT actor, target, request_id FROM audit_log WHERE action = 'key revealed' AND target = ?", key_id)).toEqual([
      { actor: owner.accountId, target: key_id, request_id: response.headers['x-request-id'] },
    ])
  })

  it('K6: each account can reveal keys ten times an hour', async () => {
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

  it('K6: a revoked key cannot be revealed', async () => {
    const owner = await newcomer()
    await p.as(owner, 'POST', `api-keys/${owner.apiKey!.key_id}/revoke`)
    expect(refused(await reveal(owner))).toEqual([410, 'key_not_revealable'])
  })

  it('K6: a reveal requires a sign-in within the last fifteen minutes', async () => {
    const owner = await p.signIn('late@example.test')
    const { key_id, api_key } = owner.apiKey!
    p.pass(15)
    expect((await reveal(owner, key_id)).statusCode).toBe(200)
    p.pass(1)
    const late = await reveal(owner, key_id)
    expect(refused(late)).toEqual([403, 'reauth_required'])
    expect(late.body).not.toContain(api_key.slice(8, 40))
    expect((await p.as(owner, 'GET', 'api-keys')).statusCode).toBe(200)
    const again = await p.signIn('late@example.test')
    expect((await reveal(again, key_id)).json().api_key).toBe(api_key)
    p.rewind()
  })
})

describe('damaged sealed keys', () => {
  /**
   * Expects reveals to fail with `integrity`, without any account's secret in the response and
   * without an audit entry.
   */
  async function expectDamage(owner: SignedIn, keyIds: readonly string[], damage: string) {
    const reveals = () => p.rows("SELECT id FROM audit_log WHERE action = 'key revealed'").length
    for (const keyId of keyIds) {
      const before = reveals()
      const response = await reveal(owner, keyId)
      const { error } = response.json()
      expect.soft([response.statusCode, error?.error_code, error?.blocking_gate], damage).toEqual([500, 'integrity', 'integrity'])
      expect
        .soft(
          [...p.secrets].filter(secret => response.body.includes(secret)),
          damage,
        )
        .toEqual([])
      expect.soft(reveals(), `audited reveals ${damage}`).toBe(before)
    }
  }
  const sealedOf = (keyId: string): Buffer => (p.rows('SELECT sealed FROM api_key WHERE id = ?', keyId) as [{ sealed: Buffer }])[0].sealed
  const flipped = (whole: Buffer, index: number): Buffer => Buffer.from(whole.with(index, whole[index]! ^ 1))
  const put = (keyId: string, sealed: Buffer): void => p.tamper('UPDATE api_key SET sealed = ? WHERE id = ?', sealed, keyId)

  it('K7: sealed copies swapped between two keys of one account do not decrypt', async () => {
    const owner = await newcomer()
    const [firstKey, two] = [owner.apiKey!.key_id, (await p.as(owner, 'POST', 'api-keys')).json().key_id]
    const [first, second] = [sealedOf(firstKey), sealedOf(two)]
    put(firstKey, second)
    put(two, first)
    await expectDamage(owner, [firstKey, two], 'swapped')
    put(firstKey, first)
    expect((await reveal(owner, firstKey)).json().api_key).toBe(owner.apiKey!.api_key)
  })

  it('K7: a sealed copy taken from another account does not decrypt', async () => {
    const [owner, other] = [await newcomer(), await newcomer()]
    put(owner.apiKey!.key_id, sealedOf(other.apiKey!.key_id))
    await expectDamage(owner, [owner.apiKey!.key_id], 'taken from another account')
  })

  it('K7: a sealed copy that is cut, extended or has a flipped bit does not decrypt', async () => {
    const owner = await newcomer()
    const { key_id } = owner.apiKey!
    const whole = sealedOf(key_id)
    expect(whole).toHaveLength(78)
    const damages: readonly (readonly [string, Buffer])[] = [
      ['with a tag of four bytes', whole.subarray(0, -12)],
      ['without its last byte', whole.subarray(0, -1)],
      ['without its tag', whole.subarray(0, -16)],
      ['cut within its header', whole.subarray(0, 10)],
      ['empty', whole.subarray(0, 0)],
      ['with one more byte', Buffer.concat([whole, Buffer.alloc(1)])],
      ...[0, 3, 4, 15, 16, 40, 61, 62, 77].map(at => [`with a flipped bit in byte ${at}`, flipped(whole, at)] as const),
    ]
    for (const [damage, sealed] of damages) {
      put(key_id, sealed)
      await expectDamage(owner, [key_id], damage)
    }
    put(key_id, whole)
    expect((await reveal(owner)).statusCode).toBe(200)
  })

  it('K7: a key with a damaged sealed copy still authenticates, and the log names the key', async () => {
    const owner = await newcomer()
    put(owner.apiKey!.key_id, Buffer.alloc(0))
    const { headers } = await reveal(owner)
    expect(await p.tried(owner.apiKey!.api_key)).toEqual([200])
    const logged = p.lines.map(line => JSON.parse(line)).filter(({ request_id }) => request_id === headers['x-request-id'])
    expect(logged).toContainEqual(expect.objectContaining({ event: 'failed', key: owner.apiKey!.key_id, level: 50 }))
  })
})

it('S5: no log line contains a key, code or token', () => expect(p.leaked()).toEqual([]))
