import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CARD } from '../../fixtures/provider/acts.ts'
import { SECRETS } from '../../support.ts'
import { type Member, READS, type Shop, STRIPE_KEY, shop, until, WEBHOOK_SECRET } from './shop.ts'

/** What the provider's events and pages hold of people and cards, and what is ours alone. */
const PLANTED = {
  'the card’s fingerprint': CARD.fingerprint,
  'the card’s digits': `"last4":"${CARD.last4}"`,
  'the card’s expiry': '"exp_month"',
  'the card’s kind': '"visa"',
  'the payer’s name': 'Paying Person',
  'the payer’s address': 'Planted Street',
  'the way to a bill': 'planted-link',
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

describe('a secret or personal detail planted in a payment', () => {
  it('really reached the service, so that it could be found', async () => {
    const events = JSON.stringify((await s.provider.events()).map(({ body }) => body))
    for (const planted of Object.values(PLANTED).slice(0, 8)) expect(events).toContain(planted)
    expect(s.rows('SELECT 1 FROM payment_event').length).toBeGreaterThan(10)
  })

  it.each(Object.entries(PLANTED))('%s is in no log line, no table and no answer', (_, planted) => {
    expect(s.lines.length).toBeGreaterThan(10)
    expect(s.answers.length).toBeGreaterThan(8)
    for (const [where, text] of [
      ['log', s.lines.join('')],
      ['state', s.stolen()],
      ['answers', s.answers.join('')],
    ])
      expect(text!.includes(planted), where).toBe(false)
  })
})

it('no event on record holds the address of a person', () => {
  const kept = JSON.stringify(s.rows('SELECT * FROM payment_event'))
  expect(kept).toContain('checkout.session.completed')
  expect(kept).not.toContain('@')
})

it('no key and no token is in a log line or a table', () => {
  for (const secret of [...keys, member.token]) {
    const bare = secret.replace(/^(sk_live|sst)_/, '')
    expect(s.lines.join('').includes(bare)).toBe(false)
    expect(s.stolen().includes(bare)).toBe(false)
  }
})

it('the log names what happened, by ids', () => {
  expect(s.logged('paid')[0]).toMatchObject({
    account: member.accountId,
    subscription: expect.stringMatching(/^sub_/),
    status: 'active',
    plan: 'pro',
  })
  const failures = s.logged('failed').map(({ during, error }) => `${during}: ${error}`)
  expect(failures.toSorted()).toEqual(['applying a payment event: StripeAPIError', 'asking the payment provider: StripeAPIError'])
})

it('nothing is left of the address once the account is closed', async () => {
  await s.as({ token: s.signIn(member.accountId) }, 'DELETE', '/v2/self-serve/account')
  s.service.control.db.pragma('wal_checkpoint(TRUNCATE)')
  expect(s.stolen().includes('traced@example.test')).toBe(false)
  expect(s.lines.join('').includes('traced@example.test')).toBe(false)
})
