import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CARD } from '../fixtures/provider/acts.ts'
import { SECRETS } from '../support.ts'
import { type Member, READS, type Shop, STRIPE_KEY, shop, until, WEBHOOK_SECRET } from './shop.ts'

/** Personal and card data in the provider's events and pages, and the service's own secrets. */
const PLANTED = {
  'the card’s fingerprint': CARD.fingerprint,
  'the card’s digits': `"last4":"${CARD.last4}"`,
  'the card’s expiry': '"exp_month"',
  'the card’s brand': '"visa"',
  'the payer’s name': 'Paying Person',
  'the payer’s address': 'Planted Street',
  'the link to an invoice': 'planted-link',
  'the payment method': 'pm_planted',
  'the provider’s key': STRIPE_KEY,
  'the webhook’s secret': WEBHOOK_SECRET,
  'the pepper': SECRETS.KEY_PEPPER,
} as const

let s: Shop
let member: Member
const keys: string[] = []

beforeAll(async () => {
  s = await shop()
  member = s.member('traced@example.test')
  const id = await s.buy(member)
  keys.push(member.key, (await s.keyFor(member, id)).json.api_key)
  for (const key of keys) await s.call('GET', READS.pro, { 'x-api-key': key })
  await s.provider.failPayment(id)
  await s.provider.recover(id)
  await s.as(member, 'POST', '/v2/self-serve/billing/portal-session', {})
  for (const path of ['/v2/self-serve/account', '/v2/self-serve/api-keys']) await s.as(member, 'GET', path)
  for (const path of ['/v2/account/entitlements', '/v2/account/billing-preview']) await s.call('GET', path, { 'x-api-key': member.key })
  await s.provider.delivery({ secret: 'whsec_another_secret_0123456789' })
  await s.provider.sendAgain((await s.provider.events())[0]!.id)
  await s.provider.delivery({})
  await s.provider.trouble({ times: 'until told', status: 503 })
  await s.provider.send({ type: 'customer.subscription.updated', object: { id, card: CARD } })
  await s.as(member, 'POST', '/v2/self-serve/billing/portal-session', {})
  await until(
    'an event could not be applied',
    () => s.rows("SELECT 1 FROM payment_event WHERE state = 'new' AND attempts = 1").length === 1,
  )
  await s.provider.trouble(null)
  await s.provider.cancel(id)
  await until('every other event is applied', () => s.rows("SELECT 1 FROM payment_event WHERE state = 'new' AND attempts = 0").length === 0)
})
afterAll(() => s.close())

describe('planted secrets and personal details', () => {
  it('S5: the planted personal details reached the service in payment events', async () => {
    const events = JSON.stringify((await s.provider.events()).map(({ body }) => body))
    for (const planted of Object.values(PLANTED).slice(0, 8)) expect(events).toContain(planted)
    expect(s.rows('SELECT 1 FROM payment_event').length).toBeGreaterThan(10)
  })

  it('S5: no planted secret or personal detail is in the log, the state file or a response', () => {
    expect(s.lines.length).toBeGreaterThan(10)
    expect(s.answers.length).toBeGreaterThan(8)
    for (const [where, text] of [
      ['log', s.lines.join('')],
      ['state file', s.stolen()],
      ['responses', s.answers.join('')],
    ] as const)
      for (const [what, planted] of Object.entries(PLANTED)) expect.soft(text.includes(planted), `${what} in the ${where}`).toBe(false)
  })
})

it('stored payment events contain no email address', () => {
  const stored = JSON.stringify(s.rows('SELECT * FROM payment_event'))
  expect(stored).toContain('checkout.session.completed')
  expect(stored).not.toContain('@')
})

it('no API key or session token is in the log or the state file', () => {
  for (const secret of [...keys, member.token]) {
    const bare = secret.replace(/^(sk_live|sst)_/, '')
    expect(s.lines.join('').includes(bare)).toBe(false)
    expect(s.stolen().includes(bare)).toBe(false)
  }
})

it('the log identifies payments and failures by ids', () => {
  expect(s.logged('paid')[0]).toMatchObject({
    account: member.accountId,
    subscription: expect.stringMatching(/^sub_/),
    status: 'active',
    plan: 'pro',
  })
  const failures = s.logged('failed').map(({ during, error }) => `${during}: ${error}`)
  expect(failures.toSorted()).toEqual(['applying a payment event: StripeAPIError', 'calling the payment provider: StripeAPIError'])
})

it('closing the account removes its address from the state file', async () => {
  await s.as({ token: s.signIn(member.accountId) }, 'DELETE', '/v2/self-serve/account')
  s.service.control.db.pragma('wal_checkpoint(TRUNCATE)')
  expect(s.stolen().includes('traced@example.test')).toBe(false)
  expect(s.lines.join('').includes('traced@example.test')).toBe(false)
})
