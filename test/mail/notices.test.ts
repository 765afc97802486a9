import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createNotices } from '../../src/control/notices.ts'
import { createLog, taipei } from '../../src/core/index.ts'
import { openMailer, openTransport } from '../../src/mail/index.ts'
import { type Portal, portal, refused, type SignedIn } from '../accounts/portal.ts'
import { SECRETS } from '../support.ts'

let p: Portal
/** The account of each test, with its own address. Every test starts at the same time. */
let owner: SignedIn
let email: string
let people = 0
beforeAll(async () => {
  p = await portal()
})
afterAll(() => p.close())
beforeEach(async () => {
  p.rewind()
  email = `reader${++people}@example.test`
  owner = await p.signIn(email)
})

const DAY = 24 * 60
const admin = { authorization: `Bearer ${SECRETS.ADMIN_TOKEN}` }
const grant = (plan_id: string, expires_at?: string) => p.send('POST', '/v2/admin/grant-plan', admin, { email, plan_id, expires_at })
/** Mails to the test's account other than codes, oldest first. */
const received = () => p.post.mails.filter(({ to, text }) => to[0] === email && !/\b\d{8}\b/.test(text))
/**
 * Sends due mail.
 * @returns first sentences of the notices to the test's account, oldest first
 */
async function notices(): Promise<readonly string[]> {
  await p.deliver()
  return received().map(({ text }) => text.split(/[.。]/)[0]!)
}
let uses = 0
const spend = (credits: number) =>
  p.control.ledger.record({
    requestId: `req_${uses++}`,
    accountId: owner.accountId,
    keyId: owner.apiKey!.key_id,
    dataset: 'theme-taxonomy',
    at: taipei(p.now()),
    credits,
    rows: 1,
  })
const used = (credits: string) => `Your account has used ${credits} of 1,000 credits this month`
const set = (credit_mails: unknown) => p.as(owner, 'POST', 'settings', { credit_mails })

describe('credit notices', () => {
  it('credit notices are mailed at 80 % and at 100 % of the credits, once each per period', async () => {
    await spend(799)
    expect(await notices()).toEqual([])
    await spend(1)
    expect(await notices()).toEqual([used('800')])
    await spend(100)
    expect(await notices()).toEqual([used('800')])
    await spend(100)
    expect(await notices()).toEqual([used('800'), used('1,000')])
    await spend(0)
    expect(await notices()).toHaveLength(2)
    p.pass(31 * DAY)
    await spend(850)
    expect(await notices()).toEqual([used('800'), used('1,000'), used('850')])
  })

  it('a credit notice for both thresholds is one mail in English and Chinese, to the account only', async () => {
    await spend(1_000)
    expect(await notices()).toEqual([used('1,000')])
    const mail = received().at(-1)!
    expect(mail.to).toEqual([email])
    expect(mail.text).toContain('本月已使用 1,000 點')
    expect(mail.text).toContain('2026-08-01 00:00')
    expect(mail.text).toContain('/v2/self-serve/settings')
  })

  it('credit notices can be turned off and on in the settings, and the account shows the setting', async () => {
    const settings = async () => (await p.as(owner, 'GET', 'account')).json().settings
    expect(await settings()).toEqual({ credit_mails: true })
    const answer = await set(false)
    expect([answer.statusCode, answer.json()]).toEqual([200, { credit_mails: false }])
    expect(await settings()).toEqual({ credit_mails: false })
    await spend(1_000)
    expect(await notices()).toEqual([])
    await set(true)
    await spend(1)
    expect(await notices()).toEqual([used('1,001')])
  })

  it('the credit_mails setting rejects values that are not booleans', async () => {
    for (const value of ['yes', 1, null, undefined])
      expect.soft(refused(await set(value)), `credit_mails=${value}`).toEqual([422, 'invalid_parameter'])
  })

  it('if charges before a restart require a credit notice, the notice is mailed once after the restart', async () => {
    await spend(800)
    const log = createLog('silent')
    const { control } = p
    const again = createNotices({ ...control, ledger: { used: control.ledger.used, takeCharged: () => new Set() } })
    const mailer = openMailer(control.outbox, openTransport(p.post.url, 'x@twmd.test'), p.now, log, 86_400_000, again)
    await mailer.sendDue()
    await mailer.close()
    expect(await notices()).toEqual([used('800')])
  })

  it('credit notices do not count towards the hourly limit of code mails, and wait when the limit of notices is reached', async () => {
    // Two months later, so that these mails do not count in another test's hour.
    p.pass(62 * DAY)
    for (let count = 0; count < 150; count++) p.control.outbox.put({ to: 'x@example.test', subject: 's', body: 'b' }, p.now(), 'notice')
    expect(p.control.outbox.countLastHour(p.now())).toBe(0)
    await spend(800)
    await p.deliver()
    expect(p.rows('SELECT * FROM credit_notice WHERE account_id = ?', owner.accountId)).toEqual([])
    p.pass(61)
    expect((await notices()).filter(text => text === used('800'))).toHaveLength(1)
  })
})

describe('expiry of a grant', () => {
  const END = '2026-07-31T18:00:00.000+08:00'
  const view = async () => (await p.as(owner, 'GET', 'account')).json()
  const entitlements = async () => (await p.send('GET', '/v2/account/entitlements', { 'x-api-key': owner.apiKey!.api_key })).json()

  it('the expiry of a grant is in the grant response, the account and the entitlements', async () => {
    expect((await grant('max', '2026-07-31T10:00:00Z')).json()).toMatchObject({ plan_id: 'max', expires_at: END })
    for (const answer of [await view(), await entitlements()])
      expect(answer).toMatchObject({ plan_id: 'max', grant: { plan_id: 'max', expires_at: END } })
    expect((await grant('pro')).json().expires_at).toBeNull()
    for (const answer of [await view(), await entitlements()]) expect(answer.grant).toEqual({ plan_id: 'pro', expires_at: null })
  })

  it('the expiry of a grant is announced by one mail a week before, and the plan ends at the announced time', async () => {
    await grant('max', END)
    const sentence = 'The Max plan that was granted to you ends on 2026-07-31 18:00 (Taipei time)'
    p.pass(22 * DAY + 22 * 60 - 1)
    expect(await notices()).toEqual([])
    p.pass(1)
    expect(await notices()).toEqual([sentence])
    p.pass(DAY)
    expect(await notices()).toEqual([sentence])
    expect(received().at(-1)!.text).toContain('Max 方案將於臺北時間 2026-07-31 18:00 到期')
    p.pass(6 * DAY - 1)
    expect(await entitlements()).toMatchObject({ plan_id: 'max' })
    p.pass(1)
    expect(await entitlements()).toMatchObject({ plan_id: 'free', grant: null, row_limit: 1_000 })
    expect(await notices()).toEqual([sentence])
  })

  it('a changed expiry of a grant is announced again, but a removed expiry is not', async () => {
    await grant('max', '2026-07-03T10:00:00+08:00')
    expect(await notices()).toHaveLength(1)
    await grant('max', '2026-07-03T10:00:00+08:00')
    expect(await notices()).toHaveLength(1)
    await grant('max', '2026-07-04T10:00:00+08:00')
    expect((await notices()).at(-1)).toContain('ends on 2026-07-04 10:00')
    await grant('max')
    expect(await notices()).toHaveLength(2)
  })

  it('the expiry of a closed account’s grant is not announced', async () => {
    await grant('max', '2026-07-20T10:00:00+08:00')
    await p.as(owner, 'DELETE', 'account')
    p.pass(14 * DAY)
    expect(await notices()).toEqual([])
  })
})
