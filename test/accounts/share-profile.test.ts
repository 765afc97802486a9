import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Portal, portal, refused } from './portal.ts'

let p: Portal
beforeAll(async () => {
  p = await portal({ examples: true })
})
afterAll(() => p.close())

const profile = (token: string, query = '', portal = p) =>
  portal.send('GET', `/v2/self-serve/share-profile${query}`, { 'x-self-serve-token': token })

describe('share profile', () => {
  it('the share profile is a file with an endpoint and a key of the account, and the endpoint lists the shares', async () => {
    const { token, apiKey } = await p.signIn('reader@example.test')
    const answer = await profile(token)
    expect(answer.headers).toMatchObject({
      'content-disposition': 'attachment; filename="twmd.share"',
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
    })
    const { endpoint, bearerToken, ...rest } = answer.json()
    expect([rest, bearerToken]).toEqual([{ shareCredentialsVersion: 1 }, apiKey!.api_key])
    const shares = await p.send('GET', `${new URL(endpoint).pathname}/shares`, { authorization: `Bearer ${bearerToken}` })
    expect([shares.statusCode, shares.json().items]).toEqual([200, [{ name: 'free' }]])
  })

  it('the share profile contains the newest active key or the requested key, with its expiry in UTC', async () => {
    const { token, apiKey } = await p.signIn('keys@example.test')
    p.pass(1)
    const made = await p.send('POST', '/v2/self-serve/api-keys', { 'x-self-serve-token': token }, { name: 'spark', expires_in_days: 1 })
    const { key_id, api_key, expires_at } = made.json()
    expect((await profile(token)).json()).toMatchObject({ bearerToken: api_key, expirationTime: new Date(expires_at).toISOString() })
    expect((await profile(token, `?key_id=${apiKey!.key_id}`)).json().bearerToken).toBe(apiKey!.api_key)
    await p.send('POST', `/v2/self-serve/api-keys/${key_id}/revoke`, { 'x-self-serve-token': token })
    expect((await profile(token)).json().bearerToken).toBe(apiKey!.api_key)
    expect(refused(await profile(token, `?key_id=${key_id}`))).toEqual([410, 'key_not_revealable'])
  })

  it('the share profile obeys the rules of a key reveal: recent sign-in, ten an hour, audited', async () => {
    const strict = await portal({ limits: true })
    const { token, apiKey, accountId } = await strict.signIn('often@example.test')
    const answers = []
    for (let time = 0; time < 11; time++) answers.push(await profile(token, '', strict))
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([...Array.from({ length: 10 }, () => 200), 429])
    const shown = strict.rows("SELECT target FROM audit_log WHERE action = 'key revealed' AND account_id = ?", accountId)
    expect(shown).toEqual(Array.from({ length: 10 }, () => ({ target: apiKey!.key_id })))
    strict.pass(16)
    expect(refused(await profile(token, '', strict))).toEqual([403, 'reauth_required'])
    await strict.close()
  })

  it('the share profile is refused for another account’s key and for an account without an active key', async () => {
    const [{ token }, other] = [await p.signIn('one@example.test'), await p.signIn('other@example.test')]
    expect(refused(await profile(token, `?key_id=${other.apiKey!.key_id}`))).toEqual([404, 'unknown_id'])
    const [{ key_id }] = (await p.send('GET', '/v2/self-serve/api-keys', { 'x-self-serve-token': token })).json().data
    await p.send('POST', `/v2/self-serve/api-keys/${key_id}/revoke`, { 'x-self-serve-token': token })
    expect(refused(await profile(token))).toEqual([404, 'unknown_id'])
  })
})
