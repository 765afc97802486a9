import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { taipei } from '../../src/core/index.ts'
import { NOW, service, type TestService } from '../support.ts'

let s: TestService
beforeAll(async () => {
  s = await service({ indexed: false })
})
afterAll(() => s.close())

const PATH = '/v2/datasets/theme-taxonomy'

async function refusal(headers: Record<string, string>, url = PATH) {
  const response = await s.get(url, undefined, headers)
  return [response.statusCode, response.json().error.error_code]
}

/** The key with a changed last character: the format is valid, the checksum is not. */
const mistyped = (key: string): string => key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')

/** Texts that are not keys, whatever the state file contains. */
const malformed = (key: string): readonly string[] => [
  mistyped(key),
  key.replace('sk_live_', 'sk_test_'),
  key.toLowerCase(),
  key.slice(0, -1),
  `${key}0`,
  `${key} ${key}`,
  key.replace('sk', 'ѕк'),
  key.replace('s', 'ｓ'),
  `sk_live_${'a'.repeat(10_000)}`,
  "sk_live_' OR 1=1--",
  'null',
]

describe('K1: missing and invalid keys', () => {
  it('K1: a read without a key fails with missing_api_key', async () => {
    expect(await refusal({})).toEqual([401, 'missing_api_key'])
    expect(await refusal({ 'x-api-key': '' })).toEqual([401, 'missing_api_key'])
    expect(await refusal({ authorization: 'Basic c2tfbGl2ZV8=' })).toEqual([401, 'missing_api_key'])
  })

  it('K1: a read with a malformed key fails with invalid_api_key', async () => {
    for (const key of malformed(s.keyOn('free'))) expect(await refusal({ 'x-api-key': key }), key).toEqual([401, 'invalid_api_key'])
  })

  it('K1: a malformed key is refused without a query of the state file', async () => {
    const other = await service({ examples: false, indexed: false })
    const key = other.keyOn('free')
    other.control.close()
    for (const secret of malformed(key)) expect((await other.get(PATH, secret)).statusCode, secret).toBe(401)
    const response = await other.get(PATH, key)
    expect([response.statusCode, response.json().error.error_code]).toEqual([500, 'internal'])
    expect(response.body).not.toMatch(/database|sqlite|sk_live_/i)
    await other.close()
  })

  it('K1: a well-formed key that was never issued fails with invalid_api_key', async () => {
    const other = await service({ examples: false, indexed: false })
    const foreign = other.keyOn('free')
    await other.close()
    expect(await refusal({ 'x-api-key': foreign })).toEqual([401, 'invalid_api_key'])
  })
})

describe('K2: keys in URLs', () => {
  it.each(['api_key', 'apikey', 'API-KEY', 'x-api-key', 'key', 'token', 'access_token', 'symbol'])(
    'K2: the service refuses a key in the query parameter %s, even with a valid key in the header',
    async name => {
      const key = s.keyOn('free')
      expect(await refusal({ 'x-api-key': key }, `${PATH}?${name}=${key}`)).toEqual([400, 'key_in_url'])
    },
  )

  it('K2: the service refuses a query parameter named like a credential, whatever its value', async () => {
    const key = s.keyOn('free')
    for (const name of ['api_key', 'apikey', 'API-KEY', 'x-api-key', 'key', 'token', 'access_token'])
      expect.soft(await refusal({ 'x-api-key': key }, `${PATH}?${name}=x`), name).toEqual([400, 'key_in_url'])
  })

  it('K2: the service refuses a key in the path', async () => {
    expect(await refusal({}, `/v2/datasets/${s.keyOn('free')}`)).toEqual([400, 'key_in_url'])
  })

  it('K2: no log line and no response contains the key', async () => {
    const key = s.keyOn('free')
    const answers = [await s.get(PATH, key), await s.get(`${PATH}?api_key=${key}`), await s.get(PATH, mistyped(key))]
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 400, 401])
    for (const { body, headers } of answers) expect(body + JSON.stringify(headers)).not.toContain(key.slice(8, 40))
    await vi.waitUntil(() => s.lines.join('').includes('"event":"read"'))
    expect(s.lines.join('')).not.toContain(key.slice(8, 40))
  })
})

describe('K3: two credential headers', () => {
  it('K3: X-API-Key and Authorization may carry the same key', async () => {
    const key = s.keyOn('free')
    for (const headers of [
      { authorization: `Bearer ${key}` },
      { authorization: `bearer ${key}` },
      { 'x-api-key': key, authorization: `Bearer ${key}` },
    ])
      expect((await s.get(PATH, undefined, headers as Record<string, string>)).statusCode).toBe(200)
  })

  it('K3: different keys in X-API-Key and Authorization are refused, even if one is valid', async () => {
    const [first, other] = [s.keyOn('free'), s.keyOn('pro')]
    expect(await refusal({ 'x-api-key': first, authorization: `Bearer ${other}` })).toEqual([401, 'conflicting_credentials'])
    expect(await refusal({ 'x-api-key': mistyped(first), authorization: `Bearer ${first}` })).toEqual([401, 'conflicting_credentials'])
  })
})

describe('ended keys', () => {
  const holder = (email: string) => {
    const secret = s.keyOn('free', email)
    return { secret, ...s.control.keys.find(secret, NOW)! }
  }

  it('a revoked key is refused immediately, and the other keys of the account still work', async () => {
    const { secret, accountId, keyId } = holder('revoked@example.test')
    const second = s.keyOn('free', 'revoked@example.test')
    expect((await s.get(PATH, secret)).statusCode).toBe(200)
    expect(s.control.keys.revoke(accountId, keyId, NOW)).toBe(true)
    expect(await refusal({ 'x-api-key': secret })).toEqual([401, 'revoked_api_key'])
    expect((await s.get(PATH, second)).statusCode).toBe(200)
  })

  it('a key is refused from the instant it expires', async () => {
    const { accountId } = holder('expired@example.test')
    const until = (ms: number) => s.control.keys.issue(accountId, 'test', NOW, taipei(new Date(ms))).secret
    expect(await refusal({ 'x-api-key': until(NOW.getTime() - 1) })).toEqual([401, 'expired_api_key'])
    expect(await refusal({ 'x-api-key': until(NOW.getTime()) })).toEqual([401, 'expired_api_key'])
    expect((await s.get(PATH, until(NOW.getTime() + 1))).statusCode).toBe(200)
  })

  it('a key of a closed account is refused', async () => {
    const { secret, accountId } = holder('closed@example.test')
    expect(s.control.accounts.close(accountId, NOW)).toBe(true)
    const response = await s.get(PATH, secret)
    expect(response.statusCode).toBe(403)
    expect(response.json().error).toMatchObject({ error_code: 'account_closed', blocking_gate: 'auth' })
  })
})
