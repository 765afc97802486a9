import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Shop, shop } from '../../billing/shop.ts'
import { SECRETS } from '../../support.ts'

/** Every POST with a body: a valid body, a mistyped field and the field to suggest. */
const BODIES = [
  ['/v2/self-serve/api-keys', { name: 'notebook' }, 'expires_in_day', 'expires_in_days'],
  ['/v2/self-serve/settings', { credit_mails: true }, 'credits_mails', 'credit_mails'],
  ['/v2/self-serve/onboarding/start', { email: 'typo@example.test' }, 'locales', 'locale'],
  ['/v2/self-serve/onboarding/complete', { flow_id: 'flow_0', code: '01234567' }, 'flowid', 'flow_id'],
  ['/v2/self-serve/billing/portal-session', {}, 'return_uri', 'return_url'],
  ['/v2/admin/grant-plan', { email: 'typo@example.test', plan_id: 'pro' }, 'expire_at', 'expires_at'],
] as const

let s: Shop
beforeAll(async () => {
  s = await shop()
})
afterAll(() => s.close())

it.each(BODIES)(
  'POST %s with %o is refused because of the unknown field %s, and the error suggests %s',
  async (path, body, mistyped, meant) => {
    const { token, accountId } = s.member()
    const headers = { 'x-self-serve-token': token, 'x-admin-token': SECRETS.ADMIN_TOKEN }
    const sent = Object.fromEntries(Object.entries(headers).filter(([name]) => path.includes('admin') === (name === 'x-admin-token')))
    const keys = s.rows('SELECT 1 FROM api_key WHERE account_id = ?', accountId).length
    const answer = await s.call('POST', path, sent, { ...body, [mistyped]: 7 })
    expect([answer.status, answer.json.detail]).toMatchObject([422, [{ loc: ['body', mistyped], type: 'unknown_parameter' }]])
    expect(answer.json.detail[0].msg).toContain(`did you mean ${meant}?`)
    expect(s.rows('SELECT 1 FROM api_key WHERE account_id = ?', accountId)).toHaveLength(keys)
  },
)

it('the service lists the known fields of a body when no similar field exists', async () => {
  const { token } = s.member()
  const answer = await s.call('POST', '/v2/self-serve/api-keys', { 'x-self-serve-token': token }, { surprise: 1 })
  expect(answer.json.detail[0].msg).toContain('accepted: name, expires_in_days')
})
