import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Portal, portal, refused, type SignedIn } from '../portal.ts'

let p: Portal
let people = 0
beforeAll(async () => {
  p = await portal()
})
afterAll(() => p.close())

const newcomer = (): Promise<SignedIn> => p.signIn(`owner${++people}@example.test`)
/** The key with a changed last character: the format is valid, the checksum is not. */
const mistyped = (key: string): string => key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')

describe('malformed secrets', () => {
  it('K1: a malformed key or token is refused without reading the state file', async () => {
    // The state file of this separate portal has no tables, so the service fails if it queries
    // them.
    const other = await portal()
    const { token, apiKey } = await other.signIn('k1@example.test')
    const key = apiKey!.api_key
    for (const table of ['api_key', 'session']) other.tamper(`DROP TABLE ${table}`)
    for (const url of ['/v2/datasets/theme-taxonomy', '/v1/earnings?symbol=2330', '/v2/account/entitlements']) {
      const send = (secret: string) => other.send('GET', url, { 'x-api-key': secret })
      for (const secret of [
        mistyped(key),
        key.slice(0, -1),
        `${key}0`,
        `${key}${key}`,
        key.replace('sk_live_', 'sk_test_'),
        key.replace('sk_live_', 'SK_LIVE_'),
        key.replace('k', 'ｋ'),
        `sk_live_${'a'.repeat(10_000)}`,
        "sk_live_' OR 1=1--",
        randomBytes(30).toString('base64'),
      ])
        expect.soft(refused(await send(secret)), `${url} with ${secret.slice(0, 60)}`).toEqual([401, 'invalid_api_key'])
      expect(refused(await send(key)), url).toEqual([500, 'internal'])
    }
    const knock = (secret: string) => other.send('GET', '/v2/self-serve/account', { 'x-self-serve-token': secret })
    for (const secret of ['', 'sst_', token.slice(0, -1), `${token}A`, token.replace('sst_', 'sss_'), `sst_${'*'.repeat(43)}`])
      expect.soft(refused(await knock(secret)), `session token ${secret}`).toEqual([401, 'invalid_self_serve_token'])
    expect(refused(await knock(token))).toEqual([500, 'internal'])
    expect(other.leaked()).toEqual([])
    await other.close()
  })
})

describe('ids of other accounts', () => {
  const without = (body: string): string => body.replace(/req_[0-9a-z]{26}/g, 'req')

  it.each(['revoke', 'reveal'] as const)('K5: %s gives the same 404 for a foreign, an unknown and a malformed key id', async act => {
    const [owner, other] = [await newcomer(), await newcomer()]
    const { key_id } = other.apiKey!
    const mine = owner.apiKey!.key_id
    const answers: string[] = []
    for (const id of [
      key_id,
      key_id.replace(/.$/, last => (last === '0' ? '1' : '0')),
      mine.toUpperCase(),
      `${mine} `,
      owner.accountId,
      '%2e%2e%2f',
      '..%2f..%2fapi-keys',
      '%00',
      `${mine}%00`,
      '%F0%9F%94%91',
      "'%20OR%201=1--",
      '__proto__',
      'undefined',
      '%25',
      '*',
      'a'.repeat(129),
      'a'.repeat(7_000),
    ]) {
      const response = await p.as(owner, act === 'reveal' ? 'GET' : 'POST', `api-keys/${id}/${act}`)
      expect.soft(refused(response), `id ${id.slice(0, 60)}`).toEqual([404, 'unknown_id'])
      answers.push(without(response.body))
    }
    expect(new Set(answers).size).toBe(1)
    expect(await p.tried(other.apiKey!.api_key)).toEqual([200])
    expect(p.rows('SELECT action FROM audit_log WHERE target = ? AND actor <> ?', key_id, other.accountId)).toEqual([])
  })

  it('K5: a key id that makes the URL longer than 8 KB gets 414', async () => {
    const owner = await newcomer()
    for (const id of ['a'.repeat(10_000), `${owner.apiKey!.key_id}${'/x'.repeat(5_000)}`])
      expect(refused(await p.as(owner, 'GET', `api-keys/${id}/reveal`))).toEqual([414, 'uri_too_long'])
  })
})

it('S5: no log line contains a key, code or token', () => expect(p.leaked()).toEqual([]))
