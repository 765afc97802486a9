import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openMailer, openTransport } from '../../../src/accounts/index.ts'
import { createNotices } from '../../../src/accounts/mail/notices.ts'
import { createLog, taipei } from '../../../src/core/index.ts'
import { SECRETS } from '../../support.ts'
import { type Portal, portal, refused, type SignedIn } from '../portal.ts'

let p: Portal
let owner: SignedIn
beforeEach(async () => {
  p = await portal()
  owner = await p.signIn('reader@example.test')
})
afterEach(() => p.close())

const DAY = 24 * 60
const admin = { authorization: `Bearer ${SECRETS.ADMIN_TOKEN}` }
const grant = (plan_id: string, expires_at?: string) =>
  p.send('POST', '/v2/admin/grant-plan', admin, { email: 'reader@example.test', plan_id, expires_at })
/** Subjects of the notices that were mailed, in their order, once those due are out. */
async function told(): Promise<readonly string[]> {
  await p.deliver()
  return p.post.mails.filter(({ text }) => !/\b\d{8}\b/.test(text)).map(({ text }) => text.split(/[.。]/)[0]!)
}
let uses = 0
const spend = (credits: number) =>
  p.control.ledger.record({
    ...{ requestId: `req_${uses++}`, accountId: owner.accountId, keyId: owner.apiKey!.key_id, dataset: 'theme-taxonomy' },
    ...{ at: taipei(p.now()), credits, rows: 1 },
  })
const used = (credits: string) => `Your account has used ${credits} of 1,000 credits this month`
const set = (credit_mails: unknown) => p.as(owner, 'POST', 'settings', { credit_mails })

describe('a mail that credits run out', () => {
  it('comes at 80 % and at 100 %, one each a period, whatever is read afterwards', async () => {
    await spend(799)
    expect(await told()).toEqual([])
    await spend(1)
    expect(await told()).toEqual([used('800')])
    await spend(100)
    expect(await told()).toEqual([used('800')])
    await spend(100)
    expect(await told()).toEqual([used('800'), used('1,000')])
    await spend(0)
    expect(await told()).toHaveLength(2)
    p.pass(31 * DAY)
    await spend(850)
    expect(await told()).toEqual([used('800'), used('1,000'), used('850')])
  })

  it('is one mail where both are reached at once, in English and Chinese, to the account alone', async () => {
    await spend(1_000)
    expect(await told()).toEqual([used('1,000')])
    const mail = p.post.mails.at(-1)!
    expect(mail.to).toEqual(['reader@example.test'])
    expect(mail.text).toContain('本月已使用 1,000 點')
    expect(mail.text).toContain('2026-08-01 00:00')
    expect(mail.text).toContain('/v2/self-serve/settings')
  })

  it('is on until it is turned off, which the account shows', async () => {
    const settings = async () => (await p.as(owner, 'GET', 'account')).json().settings
    expect(await settings()).toEqual({ credit_mails: true })
    const answer = await set(false)
    expect([answer.statusCode, answer.json()]).toEqual([200, { credit_mails: false }])
    expect(await settings()).toEqual({ credit_mails: false })
    await spend(1_000)
    expect(await told()).toEqual([])
    await set(true)
    await spend(1)
    expect(await told()).toEqual([used('1,001')])
  })

  it.each([['yes'], [1], [null], [undefined]])('is not turned by %s', async value => {
    expect(refused(await set(value))).toEqual([422, 'invalid_parameter'])
  })

  it('comes after a restart for what was charged before it, and once', async () => {
    await spend(800)
    const log = createLog('silent')
    const { control } = p
    const again = createNotices({ ...control, ledger: { used: control.ledger.used, takeCharged: () => new Set() } })
    const mailer = openMailer(control.outbox, openTransport(p.post.url, 'x@twmd.test'), p.now, log, 86_400_000, again)
    await mailer.sendDue()
    await mailer.close()
    expect(await told()).toEqual([used('800')])
  })

  it('never takes the place of a code: the mails of an hour are counted apart', async () => {
    for (let count = 0; count < 150; count++) p.control.outbox.put({ to: 'x@example.test', subject: 's', body: 'b' }, p.now(), 'notice')
    expect(p.control.outbox.lastHour(p.now())).toBe(1)
    await spend(800)
    await p.deliver()
    expect(p.rows('SELECT * FROM credit_notice')).toEqual([])
    p.pass(61)
    expect((await told()).filter(text => text === used('800'))).toHaveLength(1)
  })
})

describe('a granted plan that ends', () => {
  const END = '2026-07-31T18:00:00.000+08:00'
  const view = async () => (await p.as(owner, 'GET', 'account')).json()
  const entitlements = async () => (await p.send('GET', '/v2/account/entitlements', { 'x-api-key': owner.apiKey!.api_key })).json()

  it('says when, in the answer to the grant, in the account and in the entitlements', async () => {
    expect((await grant('max', '2026-07-31T10:00:00Z')).json()).toMatchObject({ plan_id: 'max', expires_at: END })
    for (const one of [await view(), await entitlements()])
      expect(one).toMatchObject({ plan_id: 'max', grant: { plan_id: 'max', expires_at: END } })
    expect((await grant('pro')).json().expires_at).toBeNull()
    for (const one of [await view(), await entitlements()]) expect(one.grant).toEqual({ plan_id: 'pro', expires_at: null })
  })

  it('is told a week before, once, and is over at that moment', async () => {
    await grant('max', END)
    const sentence = 'The Max plan that was granted to you ends on 2026-07-31 18:00 in Taipei'
    p.pass(22 * DAY + 22 * 60 - 1)
    expect(await told()).toEqual([])
    p.pass(1)
    expect(await told()).toEqual([sentence])
    p.pass(DAY)
    expect(await told()).toEqual([sentence])
    expect(p.post.mails.at(-1)!.text).toContain('Max 方案將於台北時間 2026-07-31 18:00 到期')
    p.pass(6 * DAY - 1)
    expect(await entitlements()).toMatchObject({ plan_id: 'max' })
    p.pass(1)
    expect(await entitlements()).toMatchObject({ plan_id: 'free', grant: null, row_limit: 1_000 })
    expect(await told()).toEqual([sentence])
  })

  it('is told again when the end is another one, and not when the grant has none', async () => {
    await grant('max', '2026-07-03T10:00:00+08:00')
    expect(await told()).toHaveLength(1)
    await grant('max', '2026-07-03T10:00:00+08:00')
    expect(await told()).toHaveLength(1)
    await grant('max', '2026-07-04T10:00:00+08:00')
    expect((await told()).at(-1)).toContain('ends on 2026-07-04 10:00')
    await grant('max')
    expect(await told()).toHaveLength(2)
  })

  it('is told to nobody once the account is closed', async () => {
    await grant('max', '2026-07-20T10:00:00+08:00')
    await p.as(owner, 'DELETE', 'account')
    p.pass(14 * DAY)
    expect(await told()).toEqual([])
  })
})
