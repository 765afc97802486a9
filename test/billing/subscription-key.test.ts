import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Member, READS, refused, type Shop, shop, until } from './shop.ts'

let s: Shop
let member: Member
let id: string
beforeAll(async () => {
  s = await shop()
})
afterAll(() => s.close())
beforeEach(async () => {
  member = s.member()
  id = await s.buy(member)
})

const keys = (): number => s.rows('SELECT * FROM api_key').length
const audited = (target: string) =>
  s.rows<{ action: string }>('SELECT action FROM audit_log WHERE target = ? ORDER BY id', target).map(({ action }) => action)

describe('subscription keys', () => {
  it('P8: a request for the key of another account’s subscription gets the same 404 as for an unknown subscription', async () => {
    const other = s.member()
    const before = keys()
    const [foreign, unknown] = [await s.keyFor(other, id), await s.keyFor(other, 'sub_that_never_was')]
    for (const answer of [foreign, unknown]) expect(refused(answer)).toEqual([404, 'unknown_id'])
    const nameless = ({ body }: typeof foreign) => body.replace(/req_\w+/, '')
    expect(nameless(foreign)).toBe(nameless(unknown))
    expect(keys()).toBe(before)
  })

  it('P8: a request for a key with a malformed subscription id gets 404', async () => {
    for (const name of ["sub_' OR 1=1--", 'sub_%00', '..%2f..%2fadmin', 'x'.repeat(5_000), '%F0%9F%94%91', 'SUB'])
      expect.soft(refused(await s.keyFor(member, name)), name.slice(0, 60)).toEqual([404, 'unknown_id'])
  })

  it('P8: a request for the key of an unpaid or cancelled subscription gets 409', async () => {
    const before = keys()
    await s.provider.status(id, 'unpaid')
    await s.settled()
    const answer = await s.keyFor(member, id)
    expect(refused(answer)).toEqual([409, 'subscription_not_active'])
    expect(answer.json.error).toMatchObject({ subscription_id: id, status: 'unpaid' })
    await s.provider.cancel(id)
    await s.settled()
    expect((await s.keyFor(member, id)).json.error).toMatchObject({ error_code: 'subscription_not_active', status: 'canceled' })
    expect(keys()).toBe(before)
  })

  it('P8: if a subscription was cancelled at the provider, a key request gets 409 and ends the plan before the event arrives', async () => {
    await s.provider.delivery({ drop: 'all' })
    await s.provider.cancel(id)
    await s.provider.delivery({})
    expect(await s.planOf(member), 'the event is missing').toBe('pro')
    expect(refused(await s.keyFor(member, id))).toEqual([409, 'subscription_not_active'])
    expect(await s.planOf(member)).toBe('free')
  })

  it('P8: a request for the key of a subscription that was deleted at the provider gets 404', async () => {
    const before = keys()
    await s.provider.forget(id)
    expect(refused(await s.keyFor(member, id))).toEqual([404, 'unknown_id'])
    expect(keys()).toBe(before)
  })

  it('P8: the key of an active subscription works, is listed and is audited', async () => {
    const { json } = await s.keyFor(member, id)
    expect(json).toMatchObject({ subscription_id: id, name: `subscription ${id}`, status: 'active', plan_id: 'pro', prefix: 'sk_live_' })
    expect((await s.call('GET', READS.pro, { 'x-api-key': json.api_key })).status).toBe(200)
    const listed = (await s.as(member, 'GET', '/v2/self-serve/api-keys')).json
    expect(listed.data.map(({ key_id }: { key_id: string }) => key_id)).toContain(json.key_id)
    expect(audited(json.key_id)).toEqual(['key issued'])
  })

  it('P8: subscription keys count towards the hundred keys of an account within 24 hours', async () => {
    const [{ now }] = s.rows<{ now: string }>('SELECT max(created_at) AS now FROM api_key') as [{ now: string }]
    for (let made = 0; made < 100; made++) s.service.control.keys.issue(member.accountId, 'one of many', new Date(now))
    const before = keys()
    const answer = await s.keyFor(member, id)
    expect([refused(answer), answer.json.error.limit]).toEqual([[429, 'rate_limited'], 100])
    expect(keys()).toBe(before)
  })

  it('P8: ten concurrent requests for a subscription key issue one key', async () => {
    const before = keys()
    const answers = await Promise.all(Array.from({ length: 10 }, () => s.keyFor(member, id)))
    expect(new Set(answers.map(({ json }) => json.api_key)).size).toBe(1)
    expect(keys()).toBe(before + 1)
  })

  it('P8: repeated requests show the same key, are audited as reveals and are limited to ten an hour', async () => {
    const first = await s.keyFor(member, id)
    for (let count = 1; count <= 10; count++) expect((await s.keyFor(member, id)).json.api_key).toBe(first.json.api_key)
    expect(audited(first.json.key_id)).toEqual(['key issued', ...Array(10).fill('key revealed')])
    expect(refused(await s.keyFor(member, id))).toEqual([429, 'rate_limited'])
  })

  it('P8: a revoked subscription key is replaced by a new one', async () => {
    const first = (await s.keyFor(member, id)).json
    await s.as(member, 'POST', `/v2/self-serve/api-keys/${first.key_id}/revoke`)
    expect(refused(await s.call('GET', READS.pro, { 'x-api-key': first.api_key }))).toEqual([401, 'revoked_api_key'])
    const second = (await s.keyFor(member, id)).json
    expect(second.key_id).not.toBe(first.key_id)
    expect((await s.call('GET', READS.pro, { 'x-api-key': second.api_key })).status).toBe(200)
  })

  it('P8: a key requested while the account is closing is not issued', async () => {
    const calls = (await s.provider.calls()).length
    await s.provider.trouble({ times: 1, slowMs: 600, late: true, path: '/v1/subscriptions/' })
    const request = s.keyFor(member, id)
    await until('the provider receives the call', async () => (await s.provider.calls()).length > calls)
    expect((await s.as(member, 'DELETE', '/v2/self-serve/account')).status).toBe(200)
    expect(refused(await request)).toEqual([403, 'account_closed'])
    expect(s.rows("SELECT * FROM api_key WHERE account_id = ? AND status = 'active'", member.accountId)).toEqual([])
  })
})
